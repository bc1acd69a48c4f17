import assert from 'node:assert/strict'
import { test } from 'node:test'
import { scopesOf } from '../../../server/kit/http/operation.ts'
import type { Worlds } from '../worlds.ts'

const invalid_json = '{"this is": no JSON'
const json = { 'content-type': 'application/json' }

const bodyOf = ({ operation: { method } }: Worlds) => (method === 'GET' ? undefined : invalid_json)

export function refuseOtherKeys(worlds: Worlds): void {
  const { operation, first, server } = worlds
  const { id, method } = operation
  const body = bodyOf(worlds)

  test(`${id} without a key returns 401 before the body is read`, async () => {
    const { address } = await first()
    const answer = await server.fetch(method, `/api/v1${address}`, body, json)
    assert.equal(answer.status, 401)
    assert.equal(answer.body.error.code, 'UNAUTHORIZED')
    assert.equal(answer.headers.get('www-authenticate'), 'Bearer')
  })

  for (const scope of scopesOf(operation))
    test(`${id} without the scope ${scope} returns 403 before the body is read`, async () => {
      const { tenant, address, keys_without } = await first()
      const authorization = `Bearer ${keys_without[scope]}`
      const answer = await tenant.call(method, address, body, { ...json, authorization })
      assert.equal(answer.status, 403)
      assert.equal(answer.body.error.code, 'FORBIDDEN')
      assert.equal(answer.body.error.details.required_scope, scope)
    })
}

export function acceptOwnScopes(worlds: Worlds): void {
  const { operation, first } = worlds
  test(`${operation.id} needs no scope but its own`, async () => {
    const { tenant, address, own_key } = await first()
    const authorization = `Bearer ${own_key}`
    const answer = await tenant.call(operation.method, address, bodyOf(worlds), { ...json, authorization })
    assert.ok(![401, 403].includes(answer.status), answer.text)
  })
}
