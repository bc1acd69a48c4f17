import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { sql } from '../server/kit/postgres/sql.ts'
import { createDatabase, openServer, testPool } from './support/harness.ts'
import { holdTransaction } from './support/held-transaction.ts'
import { at, browser, someone } from './support/visitors.ts'

const rounds = 30

const { url, pool } = await createDatabase('member_races')
const server = await openServer(testPool(url))
after(server.close)

/** A workspace with two owners. */
async function owners() {
  const tenant = await server.workspace()
  const first = await someone(server, { [tenant.id]: 'owner' })
  const second = await someone(server, { [tenant.id]: 'owner' })
  return { tenant, first, second, here: at(tenant) }
}

const invitationsOf = ({ id }: { id: string }) =>
  pool.many<{ invited_by: string }>(sql`select invited_by from invitations where workspace_id = ${id}`)

/** Until so many statements wait for a lock, or the request was answered without waiting. */
async function waiting(count: number, asked: Promise<unknown>): Promise<void> {
  let is_answered = false
  const answered = () => {
    is_answered = true
  }
  asked.then(answered, answered)
  const blocked = sql`select pid from pg_stat_activity
    where datname = current_database() and cardinality(pg_blocking_pids(pid)) > 0`
  while (!is_answered && (await pool.many(blocked)).length < count);
}

const statusOf = async (link: string) =>
  (await browser(server).go('GET', `/invitations/${link.split('/').at(-1)}`)).status

for (const [verb, change] of [
  ['removed', sql`delete from memberships`],
  ['demoted', sql`update memberships set role = 'member'`],
] as const) {
  test(`an owner who was ${verb} while an invitation was asked for makes none`, async () => {
    const { tenant, first, here } = await owners()
    await using held = await holdTransaction(pool, (db) =>
      db.run(sql`${change} where workspace_id = ${tenant.id} and person_id = ${first.id}`),
    )
    const asked = first.go('POST', '/invitations', { role: 'owner' }, here)
    await waiting(1, asked)
    await held.end()
    const { status, body } = await asked
    assert.deepEqual([status, body.error?.message], [403, 'Only owners may do this.'])
    assert.deepEqual(await invitationsOf(tenant), [])
  })
}

for (const [verb, method, body] of [
  ['removed', 'DELETE', undefined],
  ['demoted', 'PATCH', { role: 'viewer' }],
] as const) {
  test(`an invitation that is being made when its owner is ${verb} is withdrawn`, async () => {
    const { tenant, first, second, here } = await owners()
    // Nothing can be inserted: what was asked for is held between the check and the insert.
    await using held = await holdTransaction(pool, (db) => db.run(sql`lock table invitations in share mode`))
    const asked = first.go('POST', '/invitations', { role: 'owner' }, here)
    await waiting(1, asked)
    const removed = second.go(method, `/members/${first.id}`, body, here)
    await waiting(2, removed)
    await held.end()
    assert.equal((await removed).status, 200)
    const { status, body: made } = await asked
    assert.equal(status, 201)
    assert.equal(await statusOf(made.data.link), 404)
    assert.deepEqual(await invitationsOf(tenant), [])
  })

  test(`whoever comes first, an owner who was ${verb} leaves no invitation behind`, async () => {
    for (let round = 0; round < rounds; round += 1) {
      const { tenant, first, second, here } = await owners()
      const [removed, ...asked] = await Promise.all([
        second.go(method, `/members/${first.id}`, body, here),
        ...Array.from({ length: 3 }, () => first.go('POST', '/invitations', { role: 'owner' }, here)),
      ])
      assert.equal(removed.status, 200)
      assert.ok(asked.every(({ status }) => [201, 403, 404].includes(status)))
      assert.deepEqual(await invitationsOf(tenant), [], `round ${round}`)
    }
  })
}

test('an owner who was removed in the same moment changes no other member', async () => {
  for (const [method, body] of [
    ['DELETE', undefined],
    ['PATCH', { role: 'owner' }],
  ] as const) {
    const { tenant, first, here } = await owners()
    const friend = await someone(server, { [tenant.id]: 'member' })
    await using held = await holdTransaction(pool, (db) =>
      db.run(sql`delete from memberships where workspace_id = ${tenant.id} and person_id = ${first.id}`),
    )
    const asked = first.go(method, `/members/${friend.id}`, body, here)
    await waiting(1, asked)
    await held.end()
    assert.equal((await asked).status, 403)
    const { role } = await pool.one<{ role: string }>(
      sql`select role from memberships where workspace_id = ${tenant.id} and person_id = ${friend.id}`,
    )
    assert.equal(role, 'member')
  }
})

test('an invitation that is withdrawn and accepted at once does one of the two', async () => {
  for (let round = 0; round < rounds; round += 1) {
    const { tenant, first, here } = await owners()
    const guest = await someone(server)
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

test('who is removed cannot come back by an older invitation that names them', async () => {
  const { tenant, first, second, here } = await owners()
  const guest = await someone(server)
  const invite = async (email: string) =>
    (await first.go('POST', '/invitations', { role: 'owner', email }, here)).body.data
  const [own, other] = [await invite(second.email), await invite(guest.email)]
  assert.equal((await first.go('DELETE', `/members/${second.id}`, undefined, here)).status, 200)
  assert.deepEqual([await statusOf(own.link), await statusOf(other.link)], [404, 200])
  assert.equal((await invitationsOf(tenant)).length, 1)
})
