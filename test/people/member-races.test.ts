import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { sql } from '../../server/kit/postgres/sql.ts'
import { createDatabase, openServer, testPool } from '../support/harness.ts'
import { holdTransaction } from '../support/held-transaction.ts'
import { listLockWaits } from '../support/lock-waits.ts'
import { browser, inWorkspace, newPerson } from '../support/sessions.ts'

const rounds = 30

/** Closed before the database is dropped. */
const open = new AsyncDisposableStack()
after(() => open.disposeAsync())
const { url, pool } = await createDatabase('member_races')
const server = await openServer(testPool(url))
open.defer(server.close)

/** A workspace with two owners. */
async function owners() {
  const tenant = await server.workspace()
  const first = await newPerson(server, { [tenant.id]: 'owner' })
  const second = await newPerson(server, { [tenant.id]: 'owner' })
  return { tenant, first, second, here: inWorkspace(tenant) }
}

const invitationsOf = ({ id }: { id: string }) =>
  pool.many<{ invited_by: string }>(sql`select invited_by from invitations where workspace_id = ${id}`)

/** Resolves when this many statements wait for a lock, or when the request is answered without waiting. */
async function waitForLocks(count: number, request: Promise<unknown>): Promise<void> {
  let is_answered = false
  const answered = () => {
    is_answered = true
  }
  request.then(answered, answered)
  const countWaiting = async () => new Set((await listLockWaits(pool)).map(({ waiting }) => waiting)).size
  while (!is_answered && (await countWaiting()) < count);
}

const statusOf = async (link: string) =>
  (await browser(server).go('GET', `/invitations/${link.split('/').at(-1)}`)).status

for (const [verb, change] of [
  ['removed', sql`delete from memberships`],
  ['demoted', sql`update memberships set role = 'member'`],
] as const) {
  test(`an owner who is ${verb} during a request for an invitation creates none`, async () => {
    const { tenant, first, here } = await owners()
    await using held = await holdTransaction(pool, (db) =>
      db.run(sql`${change} where workspace_id = ${tenant.id} and person_id = ${first.id}`),
    )
    const requested = first.go('POST', '/invitations', { role: 'owner' }, here)
    await waitForLocks(1, requested)
    await held.end()
    const { status, body } = await requested
    assert.deepEqual([status, body.error?.message], [403, 'Only owners may do this.'])
    assert.deepEqual(await invitationsOf(tenant), [])
  })
}

for (const [verb, method, body] of [
  ['removed', 'DELETE', undefined],
  ['demoted', 'PATCH', { role: 'viewer' }],
] as const) {
  test(`an invitation that is being created while its owner is ${verb} is withdrawn`, async () => {
    const { tenant, first, second, here } = await owners()
    // The lock blocks inserts, so the request waits between its check and its insert.
    await using held = await holdTransaction(pool, (db) => db.run(sql`lock table invitations in share mode`))
    const requested = first.go('POST', '/invitations', { role: 'owner' }, here)
    await waitForLocks(1, requested)
    const removed = second.go(method, `/members/${first.id}`, body, here)
    await waitForLocks(2, removed)
    await held.end()
    assert.equal((await removed).status, 200)
    const { status, body: created } = await requested
    assert.equal(status, 201)
    assert.equal(await statusOf(created.data.link), 404)
    assert.deepEqual(await invitationsOf(tenant), [])
  })

  test(`an owner who is ${verb} leaves no invitation behind, whichever request is first`, async () => {
    for (let round = 0; round < rounds; round += 1) {
      const { tenant, first, second, here } = await owners()
      const [removed, ...requested] = await Promise.all([
        second.go(method, `/members/${first.id}`, body, here),
        ...Array.from({ length: 3 }, () => first.go('POST', '/invitations', { role: 'owner' }, here)),
      ])
      assert.equal(removed.status, 200)
      assert.ok(requested.every(({ status }) => [201, 403, 404].includes(status)))
      assert.deepEqual(await invitationsOf(tenant), [], `round ${round}`)
    }
  })
}

test('an owner who is removed at the same time changes no other member', async () => {
  for (const [method, body] of [
    ['DELETE', undefined],
    ['PATCH', { role: 'owner' }],
  ] as const) {
    const { tenant, first, here } = await owners()
    const member = await newPerson(server, { [tenant.id]: 'member' })
    await using held = await holdTransaction(pool, (db) =>
      db.run(sql`delete from memberships where workspace_id = ${tenant.id} and person_id = ${first.id}`),
    )
    const requested = first.go(method, `/members/${member.id}`, body, here)
    await waitForLocks(1, requested)
    await held.end()
    assert.equal((await requested).status, 403)
    const { role } = await pool.one<{ role: string }>(
      sql`select role from memberships where workspace_id = ${tenant.id} and person_id = ${member.id}`,
    )
    assert.equal(role, 'member')
  }
})

test('an invitation that is withdrawn and accepted at the same time is either withdrawn or accepted', async () => {
  for (let round = 0; round < rounds; round += 1) {
    const { tenant, first, here } = await owners()
    const guest = await newPerson(server)
    const { id, link } = (await first.go('POST', '/invitations', { role: 'member' }, here)).body.data
    const [withdrawn, accepted] = await Promise.all([
      first.go('DELETE', `/invitations/${id}`, undefined, here),
      guest.go('POST', `/invitations/${link.split('/').at(-1)}`, {}),
    ])
    assert.deepEqual([withdrawn.status, accepted.status].sort(), [200, 404])
    const members = await pool.many(sql`select from memberships where workspace_id = ${tenant.id}`)
    assert.equal(members.length, accepted.status === 200 ? 3 : 2)
  }
})

test('a removed person cannot return with an older invitation to their email', async () => {
  const { tenant, first, second, here } = await owners()
  const guest = await newPerson(server)
  const invite = async (email: string) =>
    (await first.go('POST', '/invitations', { role: 'owner', email }, here)).body.data
  const [own, other] = [await invite(second.email), await invite(guest.email)]
  assert.equal((await first.go('DELETE', `/members/${second.id}`, undefined, here)).status, 200)
  assert.deepEqual([await statusOf(own.link), await statusOf(other.link)], [404, 200])
  assert.equal((await invitationsOf(tenant)).length, 1)
})
