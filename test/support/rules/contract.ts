import assert from 'node:assert/strict'
import { test } from 'node:test'
import { bodyOf } from '../../../server/kit/http/operation.ts'
import { answerFaults } from '../contract.ts'
import { hasId, pathFor, sampleBody, sendRequest, successStatus } from '../operations.ts'
import type { Worlds } from '../worlds.ts'

export function describeErrors({ operation, first, server }: Worlds): void {
  const { id, method } = operation

  test(`${id} returns the errors that its schema describes`, async () => {
    const { tenant, address } = await first()
    if (operation.kind === 'raw') {
      const unknown = await sendRequest(operation, tenant, `${address.slice(0, -1)}_`, sampleBody(operation))
      assert.equal(unknown.status, 404)
      return assert.deepEqual(answerFaults(operation, unknown), [])
    }
    const answers = [
      await server.fetch(method, `/api/v1${address}`),
      await tenant.call(method, `${address}${address.includes('?') ? '&' : '?'}nonsense=1`, sampleBody(operation)),
      ...(bodyOf(operation) ? [await tenant.call(method, address, { nonsense: 1 })] : []),
      ...(hasId(operation) ? [await tenant.call(method, pathFor(operation, 'none'), sampleBody(operation))] : []),
    ]
    for (const answer of answers) {
      assert.ok(answer.status >= 400, answer.text)
      assert.deepEqual(answerFaults(operation, answer), [])
    }
  })
}

export function describeAnswer({ operation, next }: Worlds): void {
  test(`${operation.id} returns what its schema describes`, async () => {
    const { tenant, address } = await next()
    const answer = await sendRequest(operation, tenant, address, sampleBody(operation))
    assert.equal(answer.status, successStatus(operation), answer.text)
    assert.deepEqual(answerFaults(operation, answer), [])
    const disposition = answer.headers.get('content-disposition')
    if (operation.kind === 'file') return assert.ok(disposition?.includes(`filename="${operation.file.name}"`))
    assert.equal(disposition, null)
    if (operation.kind === 'stream' || operation.kind === 'raw') return
    const shown = operation.kind === 'list' ? answer.body.data[0] : answer.body.data
    const { properties } = Object(operation.kind === 'list' ? operation.items : operation.response)
    assert.deepEqual(Object.keys(shown).sort(), Object.keys(properties).sort())
  })
}
