import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { sql } from '../../server/kit/postgres/sql.ts'
import * as setup from '../../server/people/setup.ts'
import { createDatabase, openServer, testPool } from '../support/harness.ts'
import { browser, inWorkspace, password } from '../support/sessions.ts'

const owner = (name = 'Ada') => ({ email: `${name}@example.com`, name, password })

/** Closed before the database is dropped. */
const open = new AsyncDisposableStack()
after(() => open.disposeAsync())
/** Only a database without people can be set up. */
const { pool, url } = await createDatabase('setup_link')
const server = await openServer(testPool(url))
open.defer(server.close)
const newLink = async () => (await setup.createToken({ db: pool, now: Date.now() })) ?? ''
const statusOf = async (token: string) => (await browser(server).go('GET', `/setup/${token}`)).status
const isSetUp = async () => (await browser(server).go('GET', '/session')).body.data.is_set_up
const [first, second] = [await server.workspace(), await server.workspace()]

test('a new link replaces older ones', async () => {
  const old = await newLink()
  assert.equal(await statusOf(old), 200)
  const next = await newLink()
  assert.deepEqual([await statusOf(old), await statusOf(next)], [404, 200])
  assert.equal((await browser(server).go('POST', `/setup/${old}`, owner())).status, 404)
})

test('a link expires after a day', async () => {
  const expired = (await setup.createToken({ db: pool, now: Date.now() - 24 * 60 * 60 * 1000 })) ?? ''
  assert.equal(await statusOf(expired), 404)
  assert.equal((await browser(server).go('POST', `/setup/${expired}`, owner())).status, 404)
})

test('a validation error does not use up the link', async () => {
  const token = await newLink()
  const answer = await browser(server).go('POST', `/setup/${token}`, { email: 'ada', name: '', password: 'short' })
  assert.deepEqual(
    answer.body.error.details.fields.map(({ path }: { path: string }) => path),
    ['email', 'name', 'password'],
  )
  assert.equal(await statusOf(token), 200)
})

test('of concurrent uses of the link, one creates the owner of all workspaces', async () => {
  const token = await newLink()
  assert.equal(await isSetUp(), false)
  const visitors = Array.from({ length: 4 }, () => browser(server))
  const answers = await Promise.all(
    visitors.map(({ go }, index) => go('POST', `/setup/${token}`, owner(`ada${index}`))),
  )
  assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 404, 404, 404])
  const { total } = await pool.one<{ total: number }>(sql`select count(*) as total from people`)
  assert.equal(total, 1)
  assert.equal(await isSetUp(), true)
  const winner = visitors[answers.findIndex(({ status }) => status === 200)]
  for (const { call } of [first, second]) {
    const { data } = (await call('GET', '/audit_log')).body
    assert.deepEqual(
      data.map(({ action }: { action: string }) => action),
      ['setup.complete'],
    )
  }
  const { workspaces } = (await winner?.go('GET', '/session'))?.body.data ?? {}
  assert.deepEqual(
    workspaces.map((one: { id: string; role: string }) => [one.id, one.role]),
    [
      [first.id, 'owner'],
      [second.id, 'owner'],
    ],
  )
  const keys = await winner?.go('POST', '/api/v1/api_keys', { name: 'First' }, inWorkspace(first))
  const by_key = await server.fetch('GET', '/api/v1/contacts', undefined, {
    authorization: `Bearer ${keys?.body.data.key}`,
  })
  assert.equal(by_key.status, 200)
})

test('no link is created when a person exists', async () => {
  assert.equal(await setup.createToken({ db: pool, now: Date.now() }), undefined)
})
