import assert from 'node:assert/strict'
import { test } from 'node:test'
import { newSecret } from '../../server/kit/crypto/secret.ts'
import type { Operation } from '../../server/kit/http/operation.ts'
import { serve, type Tenant } from '../support/harness.ts'
import { hasId, makeOnce, makeSample, pathFor, prepare, sampleBody, successStatus } from '../support/operations.ts'
import {
  newRawTarget,
  owner_operations,
  person_operations,
  raw_operations,
  scoped_operations,
} from '../support/scoped.ts'
import { browser, inWorkspace, newPerson, type TestPerson } from '../support/sessions.ts'

const server = await serve()
const { workspace, fetch, url } = server
const stranger = await newPerson(server)
/** What is served to people at the session API. */
const session_operations = [...scoped_operations, ...owner_operations]
const unknown = '01a1dd18-9904-726a-94bc-9e3b6ab9ad11'

/** The path of a public operation below /app. */
const sessionPath = (address: string) => `/api/v1${address}`

const other = await workspace()
const other_owner = await newPerson(server, { [other.id]: 'owner' })

interface Prepared {
  tenant: Tenant
  owner: TestPerson
  address: string
}

async function prepareSample(operation: Operation): Promise<Prepared> {
  const tenant = await workspace()
  const owner = await newPerson(server, { [tenant.id]: 'owner' })
  const id = await makeSample(operation, tenant)
  await prepare(operation, tenant, id)
  return { tenant, owner, address: sessionPath(pathFor(operation, id)) }
}

for (const operation of session_operations) {
  const { id, method, path } = operation
  // Requests that are refused change nothing, so they share a resource. The one that succeeds comes last.
  const prepared = makeOnce(() => prepareSample(operation))

  test(`${id} returns 401 at the session API without a session, with a key too`, async () => {
    const { tenant, address } = await prepared()
    const signed_out = await browser(server).go(method, address, sampleBody(operation), inWorkspace(tenant))
    const by_key = await browser(server).go(method, address, sampleBody(operation), {
      ...inWorkspace(tenant),
      authorization: `Bearer ${tenant.key}`,
    })
    for (const { status, body } of [signed_out, by_key]) {
      assert.deepEqual([status, body.error.code], [401, 'UNAUTHORIZED'])
    }
  })

  test(`${id} by session returns 404 in the workspace of others, or without a workspace`, async () => {
    const { tenant, address } = await prepared()
    for (const headers of [
      inWorkspace(tenant),
      {},
      { 'x-workspace': 'none' },
      { 'x-workspace': `${tenant.id},${other.id}` },
    ]) {
      const answer = await other_owner.go(method, address, sampleBody(operation), headers)
      assert.deepEqual([answer.status, answer.body.error.code], [404, 'NOT_FOUND'])
    }
    if (hasId(operation)) {
      const answer = await other_owner.go(method, address, sampleBody(operation), inWorkspace(other))
      assert.equal(answer.status, 404, 'a resource of another workspace')
    }
  })

  if (method !== 'GET') {
    test(`${id} by session from another origin returns 403`, async () => {
      const { tenant, owner } = await prepared()
      const address = sessionPath(path.replace(/:\w+/g, unknown))
      const origin = 'http://evil.example'
      const by_header = await owner.go(method, address, {}, { ...inWorkspace(tenant), origin })
      // A form of another site can't set the header, but can put the workspace into the URL.
      const by_address = await owner.go(method, `${address}?workspace=${tenant.id}`, {}, { origin })
      assert.deepEqual([by_header.status, by_address.status], [403, 403])
    })
  }

  if (scoped_operations.includes(operation)) {
    test(`${id} returns 401 at the public API with only a cookie`, async () => {
      const { owner, address } = await prepared()
      const answer = await fetch(method, address, sampleBody(operation), { cookie: owner.cookie(), origin: url })
      assert.deepEqual([answer.status, answer.body.error.code], [401, 'UNAUTHORIZED'])
    })
  } else {
    test(`${id} is not served to API keys`, async () => {
      const { tenant, owner, address } = await prepared()
      for (const base of ['/api/v1', '/v1'])
        for (const headers of [{ authorization: `Bearer ${tenant.key}` }, { cookie: owner.cookie(), origin: url }]) {
          const path = address.replace('/api/v1', base)
          const { status } = await fetch(method, path, sampleBody(operation), headers)
          assert.ok([404, 405].includes(status), `${base}: ${status}`)
        }
    })
  }

  test(`${id} by session succeeds for an owner`, async () => {
    const { tenant, owner, address } = await prepared()
    const answer = await owner.go(method, address, sampleBody(operation), inWorkspace(tenant))
    assert.equal(answer.status, successStatus(operation), answer.text)
    assert.equal(answer.headers.get('cache-control'), 'no-store')
    if (answer.status === 201) assert.match(answer.headers.get('location') ?? '', /^\/app\/api\/v1\/[^:]+$/)
  })
}

for (const { id, method, path, scope } of person_operations) {
  const address = path.replace(/:\w+/g, unknown)
  const body = method === 'GET' || method === 'DELETE' ? undefined : {}

  if (!scope.startsWith('anyone:')) {
    test(`${id} without a session returns 401, with a key too`, async () => {
      for (const headers of [{}, { authorization: `Bearer ${other.key}` }]) {
        const answer = await browser(server).go(method, address, body, headers)
        assert.deepEqual([answer.status, answer.headers.get('cache-control')], [401, 'no-store'])
      }
    })
  }

  if (!/^(anyone|person):/.test(scope)) {
    test(`${id} in the workspace of others returns 404`, async () => {
      const answer = await stranger.go(method, address, body, inWorkspace(other))
      assert.equal(answer.status, 404)
    })
  }

  if (method !== 'GET') {
    test(`${id} from another origin, or without one, returns 403`, async () => {
      for (const origin of ['http://evil.example', url.replace(/\d+$/, '1'), 'null', '']) {
        const answer = await stranger.go(method, address, body, { origin })
        assert.deepEqual([answer.status, answer.body.error.code], [403, 'FORBIDDEN'], origin)
      }
      const without = await fetch(method, `/app${address}`, body, { cookie: stranger.cookie() })
      assert.equal(without.status, 403)
      assert.equal((await stranger.go('GET', '/sessions')).status, 200, 'the session still works')
    })
  }
}

for (const operation of raw_operations) {
  const { id, method } = operation

  test(`${id} needs no session and no origin, and ignores them`, async () => {
    const tenant = await workspace()
    const owner = await newPerson(server, { [tenant.id]: 'owner' })
    const evil = { origin: 'http://evil.example' }
    for (const headers of [{}, { cookie: owner.cookie() }, evil, { ...evil, cookie: 'parley_session=unknown' }]) {
      const { path, body } = await newRawTarget(operation, tenant)
      const answer = await fetch(method, path, body, headers)
      assert.equal(answer.status, 200, answer.text)
      assert.deepEqual(answer.headers.getSetCookie(), [])
    }
  })

  test(`${id} with another token returns 404 to an owner's session`, async () => {
    const tenant = await workspace()
    const owner = await newPerson(server, { [tenant.id]: 'owner' })
    const { path, body } = await newRawTarget(operation, tenant)
    const wrong = path.replace(/[^/]+$/, newSecret())
    const answer = await fetch(method, wrong, body, { cookie: owner.cookie(), origin: url, ...inWorkspace(tenant) })
    assert.equal(answer.status, 404)
  })
}
