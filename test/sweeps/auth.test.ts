import assert from 'node:assert/strict'
import { test } from 'node:test'
import { operations } from '../../server/api.ts'
import { newSecret } from '../../server/kit/crypto/secret.ts'
import { serve } from '../support/harness.ts'
import { newRawTarget, raw_operations, scoped_operations } from '../support/scoped.ts'

const { workspace, fetch } = await serve()

test('every operation is tested here: with a scope, or raw with a token in its path', () => {
  assert.equal(scoped_operations.length + raw_operations.length, operations.length)
  assert.deepEqual(raw_operations.map(({ id }) => id).sort(), ['integrations.receive', 'webhooks.receive'])
  for (const { id, path } of raw_operations) assert.ok(path.endsWith('/:token'), id)
})

for (const operation of raw_operations) {
  const { id, method } = operation

  test(`${id} needs no key, and ignores one`, async () => {
    for (const authorization of [undefined, 'Bearer pk_unknown', 'nonsense']) {
      const { path, body } = await newRawTarget(operation, await workspace())
      const answer = await fetch(method, path, body, authorization ? { authorization } : {})
      assert.equal(answer.status, 200, answer.text)
    }
  })

  test(`${id} with another token returns 404, with a key that has all scopes too`, async () => {
    const tenant = await workspace()
    const { path, body } = await newRawTarget(operation, tenant)
    const token = path.split('/').at(-1) ?? ''
    const authorization = `Bearer ${tenant.key}`
    for (const wrong of [newSecret(), `${token}x`, token.slice(1), token.toLowerCase(), 'x', '%00', '']) {
      for (const headers of [{}, { authorization }]) {
        const answer = await fetch(method, path.replace(token, wrong), body, headers)
        assert.deepEqual([answer.status, answer.body.error.code], [404, 'NOT_FOUND'], `${wrong}: ${answer.text}`)
      }
    }
  })

  test(`${id} is not served at the base paths of the API`, async () => {
    const tenant = await workspace()
    const { path, body } = await newRawTarget(operation, tenant)
    for (const base of ['/api/v1', '/v1']) {
      const answer = await fetch(method, base + path, body, { authorization: `Bearer ${tenant.key}` })
      assert.deepEqual([answer.status, answer.body.error.code], [404, 'NOT_FOUND'], base)
    }
  })

  test(`${id} with a workspace and a token that don't belong together returns 404`, async () => {
    const [mine, other] = [await workspace(), await workspace()]
    const { path, body } = await newRawTarget(operation, mine)
    if (!path.includes(mine.id)) return assert.ok(!operation.path.includes(':workspace'))
    assert.equal((await fetch(method, path.replace(mine.id, other.id), body)).status, 404)
  })
}
