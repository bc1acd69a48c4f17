import assert from 'node:assert/strict'
import { test } from 'node:test'
import { document, operations } from '../../server/api.ts'
import { showsResource } from '../../server/kit/http/envelope.ts'
import { isWrite, type Operation } from '../../server/kit/http/operation.ts'
import { resolveReference } from '../support/contract.ts'
import { successStatus } from '../support/operations.ts'
import { isGet } from '../support/rules/conditions.ts'

const isStoredFile = (one: Operation): boolean => one.kind === 'file' && one.open !== undefined

test('exactly the operations with a documented ETag have one', () => {
  const documented = operations.filter((operation) => {
    const { path, method } = operation
    const { responses } = Object(document.paths[path.replace(/:(\w+)/g, '{$1}')]?.[method.toLowerCase()])
    const { headers } = Object(resolveReference(responses[successStatus(operation)]))
    return 'ETag' in Object(headers)
  })
  assert.deepEqual(
    documented.map(({ id }) => id),
    operations
      .filter((one) => isGet(one) || isStoredFile(one) || (isWrite(one) && one.version && showsResource(one)))
      .map(({ id }) => id),
  )
})
