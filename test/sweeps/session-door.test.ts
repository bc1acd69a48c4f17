import assert from 'node:assert/strict'
import { test } from 'node:test'
import { newSecret } from '../../server/kit/crypto/secret.ts'
import { serve } from '../support/harness.ts'
import { unknown_id } from '../support/rules/sessions.ts'
import { newRawTarget, person_operations, raw_operations } from '../support/scoped.ts'
import { browser, inWorkspace, newPerson } from '../support/sessions.ts'

const server = await serve()
const { workspace, fetch, url } = server
const stranger = await newPerson(server)
const other = await workspace()

for (const { id, method, path, scope } of person_operations) {
  const address = path.replace(/:\w+/g, unknown_id)
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
