import assert from 'node:assert/strict'
import { test } from 'node:test'
import { hasId, sampleBody } from '../operations.ts'
import { scoped_operations } from '../scoped.ts'
import { browser, inWorkspace } from '../sessions.ts'
import type { Worlds } from '../worlds.ts'

/** The path of a public operation below /app. */
export const sessionPath = (address: string) => `/api/v1${address}`

export const unknown_id = '01a1dd18-9904-726a-94bc-9e3b6ab9ad11'

export function refuseOtherSessions({ operation, first, persons, other, server }: Worlds): void {
  const { id, method, path } = operation

  test(`${id} returns 401 at the session API without a session, with a key too`, async () => {
    const { tenant, address } = await first()
    for (const headers of [{}, { authorization: `Bearer ${tenant.key}` }]) {
      const answer = await browser(server).go(method, sessionPath(address), sampleBody(operation), {
        ...inWorkspace(tenant),
        ...headers,
      })
      assert.deepEqual([answer.status, answer.body.error.code], [401, 'UNAUTHORIZED'])
    }
  })

  test(`${id} by session returns 404 in the workspace of others, or without a workspace`, async () => {
    const { tenant, address } = await first()
    const go = (headers: Record<string, string>) =>
      other.owner.go(method, sessionPath(address), sampleBody(operation), headers)
    const both = `${tenant.id},${other.tenant.id}`
    for (const headers of [inWorkspace(tenant), {}, { 'x-workspace': 'none' }, { 'x-workspace': both }]) {
      const answer = await go(headers)
      assert.deepEqual([answer.status, answer.body.error.code], [404, 'NOT_FOUND'])
    }
    if (!hasId(operation)) return
    assert.equal((await go(inWorkspace(other.tenant))).status, 404, 'a resource of another workspace')
  })

  if (method !== 'GET') {
    test(`${id} by session from another origin returns 403`, async () => {
      const { tenant } = await first()
      const address = sessionPath(path.replace(/:\w+/g, unknown_id))
      const origin = 'http://evil.example'
      const by_header = await persons.owner.go(method, address, {}, { ...inWorkspace(tenant), origin })
      // A form of another site can't set the header, but can put the workspace into the URL.
      const by_address = await persons.owner.go(method, `${address}?workspace=${tenant.id}`, {}, { origin })
      assert.deepEqual([by_header.status, by_address.status], [403, 403])
    })
  }

  const cookie = () => ({ cookie: persons.owner.cookie(), origin: server.url })
  if (scoped_operations.some((one) => one.id === id)) {
    test(`${id} returns 401 at the public API with only a cookie`, async () => {
      const { address } = await first()
      const answer = await server.fetch(method, `/api/v1${address}`, sampleBody(operation), cookie())
      assert.deepEqual([answer.status, answer.body.error.code], [401, 'UNAUTHORIZED'])
    })
  } else {
    test(`${id} is not served to API keys`, async () => {
      const { tenant, address } = await first()
      for (const base of ['/api/v1', '/v1'])
        for (const headers of [{ authorization: `Bearer ${tenant.key}` }, cookie()]) {
          const { status } = await server.fetch(method, base + address, sampleBody(operation), headers)
          assert.ok([404, 405].includes(status), `${base}: ${status}`)
        }
    })
  }
}
