import assert from 'node:assert/strict'
import { test } from 'node:test'
import { operations, scopes } from '../../server/api.ts'
import { serve } from '../support/harness.ts'
import { makeSample, pathFor } from '../support/operations.ts'

const { workspace, fetch } = await serve()
const no_json = '{"this is": no JSON'
const json = { 'content-type': 'application/json' }

for (const operation of operations) {
  const { id, method, scope } = operation
  const body = method === 'GET' ? undefined : no_json

  test(`${id} without a key is 401, before the body is looked at`, async () => {
    const address = pathFor(operation, await makeSample(operation, await workspace()))
    const answer = await fetch(method, `/api/v1${address}`, body, json)
    assert.equal(answer.status, 401)
    assert.equal(answer.body.error.code, 'UNAUTHORIZED')
    assert.equal(answer.headers.get('www-authenticate'), 'Bearer')
  })

  test(`${id} without its scope is 403, before the body is looked at`, async () => {
    const tenant = await workspace()
    const address = pathFor(operation, await makeSample(operation, tenant))
    const key = await tenant.newKey({ scopes: scopes.filter((other) => other !== scope) })
    const answer = await tenant.call(method, address, body, { ...json, authorization: `Bearer ${key}` })
    assert.equal(answer.status, 403)
    assert.equal(answer.body.error.code, 'FORBIDDEN')
    assert.equal(answer.body.error.details.required_scope, scope)
  })

  test(`${id} with nothing but its scope is let in`, async () => {
    const tenant = await workspace()
    const address = pathFor(operation, await makeSample(operation, tenant))
    const key = await tenant.newKey({ scopes: [scope] })
    const answer = await tenant.call(method, address, body, { ...json, authorization: `Bearer ${key}` })
    assert.ok(![401, 403].includes(answer.status), answer.text)
  })
}
