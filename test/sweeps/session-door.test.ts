import assert from 'node:assert/strict'
import { test } from 'node:test'
import { operations, personOperations } from '../../server/api.ts'
import type { Operation } from '../../server/kit/http/operation.ts'
import { serve, type Tenant } from '../support/harness.ts'
import { hasId, makeSample, pathFor, prepare, sampleBody } from '../support/operations.ts'
import { at, browser, someone } from '../support/visitors.ts'

const server = await serve()
const { workspace, fetch, url } = server
const stranger = await someone(server)
const unknown = '01a1dd18-9904-726a-94bc-9e3b6ab9ad11'

/** An operation of the public API in the dashboard's door. */
const behind = (address: string) => `/api/v1${address}`

async function made(operation: Operation): Promise<{ tenant: Tenant; address: string }> {
  const tenant = await workspace()
  const id = await makeSample(operation, tenant)
  await prepare(operation, tenant, id)
  return { tenant, address: behind(pathFor(operation, id)) }
}

for (const operation of operations) {
  const { id, method } = operation

  test(`${id} by session answers an owner, as it does a key`, async () => {
    const { tenant, address } = await made(operation)
    const owner = await someone(server, { [tenant.id]: 'owner' })
    const answer = await owner.go(method, address, sampleBody(operation), at(tenant))
    assert.equal(answer.status, operation.status, answer.text)
    assert.equal(answer.headers.get('cache-control'), 'no-store')
    if (answer.status === 201) assert.match(answer.headers.get('location') ?? '', /^\/app\/api\/v1\/[^:]+$/)
  })

  test(`${id} by session without a session, by a key alone, or by a cookie at the base address is 401`, async () => {
    const { tenant, address } = await made(operation)
    const owner = await someone(server, { [tenant.id]: 'owner' })
    const signed_out = await browser(server).go(method, address, sampleBody(operation), at(tenant))
    const by_key = await browser(server).go(method, address, sampleBody(operation), {
      ...at(tenant),
      authorization: `Bearer ${tenant.key}`,
    })
    const by_cookie = await fetch(method, address, sampleBody(operation), { cookie: owner.cookie(), origin: url })
    for (const { status, body } of [signed_out, by_key, by_cookie]) {
      assert.deepEqual([status, body.error.code], [401, 'UNAUTHORIZED'])
    }
  })

  test(`${id} by session in another's workspace, or in none, is 404`, async () => {
    const { tenant, address } = await made(operation)
    const other = await workspace()
    const owner = await someone(server, { [other.id]: 'owner' })
    for (const headers of [at(tenant), {}, { 'x-workspace': 'none' }, { 'x-workspace': `${tenant.id},${other.id}` }]) {
      const answer = await owner.go(method, address, sampleBody(operation), headers)
      assert.deepEqual([answer.status, answer.body.error.code], [404, 'NOT_FOUND'])
    }
    if (hasId(operation)) {
      const answer = await owner.go(method, address, sampleBody(operation), at(other))
      assert.equal(answer.status, 404, 'with the id of the one in the name of the other')
    }
  })
}

for (const { id, method, path, scope } of personOperations) {
  const address = path.replace(/:\w+/g, unknown)
  const body = method === 'GET' || method === 'DELETE' ? undefined : {}

  if (!scope.startsWith('anyone:')) {
    test(`${id} without a session is 401, with a key too`, async () => {
      const { key } = await workspace()
      for (const headers of [{}, { authorization: `Bearer ${key}` }]) {
        const answer = await browser(server).go(method, address, body, headers)
        assert.deepEqual([answer.status, answer.headers.get('cache-control')], [401, 'no-store'])
      }
    })
  }

  if (!/^(anyone|person):/.test(scope)) {
    test(`${id} in another's workspace is 404`, async () => {
      const answer = await stranger.go(method, address, body, at(await workspace()))
      assert.equal(answer.status, 404)
    })
  }

  if (method !== 'GET') {
    test(`${id} from a page of another server, or of none, is 403`, async () => {
      for (const origin of ['http://evil.example', url.replace(/\d+$/, '1'), 'null', '']) {
        const answer = await stranger.go(method, address, body, { origin })
        assert.deepEqual([answer.status, answer.body.error.code], [403, 'FORBIDDEN'], origin)
      }
      const without = await fetch(method, `/app${address}`, body, { cookie: stranger.cookie() })
      assert.equal(without.status, 403)
      assert.equal((await stranger.go('GET', '/sessions')).status, 200, 'nothing happened')
    })
  }
}

for (const { id, method, path } of operations.filter((operation) => operation.method !== 'GET')) {
  test(`${id} by session from a page of another server is 403`, async () => {
    const tenant = await workspace()
    const owner = await someone(server, { [tenant.id]: 'owner' })
    const address = behind(path.replace(/:\w+/g, unknown))
    const origin = 'http://evil.example'
    const by_header = await owner.go(method, address, {}, { ...at(tenant), origin })
    // A form can name the workspace so, which sends no headers of its own.
    const by_address = await owner.go(method, `${address}?workspace=${tenant.id}`, {}, { origin })
    assert.deepEqual([by_header.status, by_address.status], [403, 403])
  })
}
