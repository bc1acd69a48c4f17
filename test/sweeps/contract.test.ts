import assert from 'node:assert/strict'
import fs from 'node:fs'
import path from 'node:path'
import { test } from 'node:test'
import { Validator } from '@seriousme/openapi-schema-validator'
import { document, documentWithoutGuide, operations } from '../../server/api.ts'
import { bodyOf as bodySchema } from '../../server/kit/http/operation.ts'
import { printJson } from '../../server/kit/openapi/print.ts'
import { answerFaults } from '../support/contract.ts'
import { serve } from '../support/harness.ts'
import {
  hasId,
  makeOnce,
  makeSample,
  pathFor,
  prepare,
  sampleBody,
  sendRequest,
  successStatus,
} from '../support/operations.ts'

const { workspace, fetch } = await serve({ rate_limit_per_second: 100_000 })

for (const operation of operations) {
  const { id, method } = operation

  // Requests with errors change nothing, so they come first.
  const prepared = makeOnce(async () => {
    const tenant = await workspace()
    return { tenant, resource: await makeSample(operation, tenant) }
  })

  test(`${id} returns the errors that its schema describes`, async () => {
    const { tenant, resource } = await prepared()
    const address = pathFor(operation, resource)
    if (operation.kind === 'raw') {
      const unknown = await sendRequest(operation, tenant, `${address.slice(0, -1)}_`, sampleBody(operation))
      assert.equal(unknown.status, 404)
      return assert.deepEqual(answerFaults(operation, unknown), [])
    }
    const answers = [
      await fetch(method, `/api/v1${address}`),
      await tenant.call(method, `${address}${address.includes('?') ? '&' : '?'}nonsense=1`, sampleBody(operation)),
      ...(bodySchema(operation) ? [await tenant.call(method, address, { nonsense: 1 })] : []),
      ...(hasId(operation) ? [await tenant.call(method, pathFor(operation, 'none'), sampleBody(operation))] : []),
    ]
    for (const answer of answers) {
      assert.ok(answer.status >= 400, answer.text)
      assert.deepEqual(answerFaults(operation, answer), [])
    }
  })

  test(`${id} returns what its schema describes`, async () => {
    const { tenant, resource } = await prepared()
    await prepare(operation, tenant, resource)
    const answer = await sendRequest(operation, tenant, pathFor(operation, resource), sampleBody(operation))
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

test('the document is valid OpenAPI according to another library', async () => {
  const result = await new Validator().validate(structuredClone(JSON.parse(JSON.stringify(document))))
  assert.deepEqual(result.errors ?? [], [])
  assert.ok(result.valid)
})

test('no schema is named like a global of JavaScript', () => {
  const { schemas, 'x-former-names': former } = Object(document.components)
  const references = former.map(({ $ref }: { $ref: string }) => $ref.split('/').at(-1))
  const names = Object.keys(schemas).filter((name) => !references.includes(name))
  assert.deepEqual(
    names.filter((name) => name in globalThis),
    [],
  )
})

test('openapi.json is up to date (if not, run: npm run openapi)', async () => {
  const committed = fs.readFileSync(path.resolve(import.meta.dirname, '../../openapi.json'), 'utf8')
  assert.equal(committed, `${printJson(documentWithoutGuide)}\n`)
  assert.deepEqual(JSON.parse(committed), JSON.parse(JSON.stringify(documentWithoutGuide)))
})

test('the served document is the committed one with the guide', async () => {
  const { body: served } = await fetch('GET', '/openapi.json')
  assert.deepEqual(served, JSON.parse(JSON.stringify(document)))
  assert.match(served.info.description, /\n## Idempotency\n/)
  const { description } = documentWithoutGuide.info
  assert.ok(description.length < 1_000 && served.info.description.startsWith(description))
  assert.deepEqual(
    { ...served, info: { ...served.info, description } },
    JSON.parse(JSON.stringify(documentWithoutGuide)),
  )
})
