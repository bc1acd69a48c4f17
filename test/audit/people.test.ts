import assert from 'node:assert/strict'
import { test } from 'node:test'
import { newId } from '../../server/kit/id.ts'
import { sql } from '../../server/kit/postgres/sql.ts'
import { serve, type Tenant } from '../support/harness.ts'
import { holdTransaction } from '../support/held-transaction.ts'
import { until } from '../support/model-servers.ts'
import { browser, inWorkspace, newPerson, password } from '../support/sessions.ts'
import { turnOnTwoFactor } from '../support/two-factor.ts'

const server = await serve({ trust_proxy: ['127.0.0.1'] })
const { workspace, pool } = server

interface Entry {
  action: string
  actor: { type: string; id: string | null; name: string | null }
  subject: { type: string; id: string; name: string | null }
  ip: string | null
  request_id: string | null
  count: number
}

async function entries({ call }: Pick<Tenant, 'call'>): Promise<Entry[]> {
  const { status, body, text } = await call('GET', '/audit_log?limit=100')
  assert.equal(status, 200, text)
  return body.data
}

const actions = async (tenant: Tenant) => (await entries(tenant)).map(({ action }) => action)

const countOf = (all: Entry[]): number => all.reduce((sum, { count }) => sum + count, 0)

const forwarded = (ip: string) => ({ 'x-forwarded-for': ip })

test('a sign-in is in the log of each workspace of the person, and in no other', async () => {
  const [first, second, other] = [await workspace(), await workspace(), await workspace()]
  const { id, email, name } = await newPerson(server, { [first.id]: 'owner', [second.id]: 'viewer' })
  const answer = await browser(server).go('POST', '/session', { email, password }, forwarded('198.51.100.201'))
  assert.equal(answer.status, 200, answer.text)
  for (const tenant of [first, second]) {
    const [{ action, actor, subject, ip, request_id } = {} as Entry, ...others] = await entries(tenant)
    assert.deepEqual([action, ip, others], ['session.create', '198.51.100.201', []])
    assert.deepEqual(
      [actor, subject],
      [
        { type: 'person', id, name },
        { type: 'person', id, name },
      ],
    )
    assert.equal(request_id, answer.headers.get('x-request-id'))
  }
  assert.deepEqual(await entries(other), [])
})

test('wrong passwords are one entry a minute, with a count, and unknown emails none', async () => {
  const tenant = await workspace()
  const { id, email, name } = await newPerson(server, { [tenant.id]: 'member' })
  const times = 4
  for (let n = 0; n < times; n += 1) {
    const headers = forwarded('198.51.100.202')
    assert.equal((await browser(server).go('POST', '/session', { email, password: 'wrong' }, headers)).status, 401)
  }
  const unknown = { email: `${newId()}@example.com`, password }
  const { status, headers } = await browser(server).go('POST', '/session', unknown, forwarded('198.51.100.203'))
  assert.equal(status, 401)
  // The answers don't wait for the entries.
  await until(async () => countOf(await entries(tenant)) >= times)
  const all = await entries(tenant)
  assert.equal(countOf(all), times)
  assert.ok(all.length <= 2, 'a minute may have ended meanwhile')
  for (const { action, actor, subject } of all) {
    assert.equal(action, 'session.create_failed')
    assert.deepEqual(actor, { type: 'person', id: null, name: null })
    assert.deepEqual(subject, { type: 'person', id, name })
  }
  const of_unknown = await pool.many(
    sql`select workspace_id, action from audit_log where request_id = ${headers.get('x-request-id')}`,
  )
  assert.deepEqual(of_unknown, [])
})

test('the answer to a wrong password does not wait for its entry', async () => {
  const tenant = await workspace()
  const { email } = await newPerson(server, { [tenant.id]: 'member' })
  const headers = forwarded('198.51.100.205')
  const enterWrong = () => browser(server).go('POST', '/session', { email, password: 'wrong' }, headers)
  await enterWrong()
  await until(async () => (await entries(tenant)).length > 0)
  const held = await holdTransaction(pool, (db) =>
    db.many(sql`select from audit_log where workspace_id = ${tenant.id} for update`),
  )
  assert.equal((await enterWrong()).status, 401)
  await held.end()
  await until(async () => countOf(await entries(tenant)) === 2)
})

test('password links and two-factor sign-in are in the log', async () => {
  const tenant = await workspace()
  const owner = await newPerson(server, { [tenant.id]: 'owner' })
  const member = await newPerson(server, { [tenant.id]: 'member' })
  const made = await owner.go('POST', `/members/${member.id}/password_link`, {}, inWorkspace(tenant))
  const path = `/password_links/${made.body.data.link.split('/').at(-1)}`
  assert.equal((await browser(server).go('POST', path, { new_password: password })).status, 200)
  const { recovery_codes } = await turnOnTwoFactor(owner)
  const off = { password, code: recovery_codes[0] }
  assert.equal((await owner.go('POST', '/two_factor/turn_off', off, forwarded('198.51.100.206'))).status, 200)
  assert.deepEqual(
    (await entries(tenant)).map(({ action, actor, subject }) => [action, actor.id, subject.id]),
    [
      ['two_factor.turn_off', owner.id, owner.id],
      ['two_factor.turn_on', owner.id, owner.id],
      ['password_links.use', member.id, member.id],
      ['password_links.create', owner.id, member.id],
    ],
  )
})

test('changes of members and invitations are in the log of their workspace', async () => {
  const tenant = await workspace()
  const owner = await newPerson(server, { [tenant.id]: 'owner' })
  const member = await newPerson(server, { [tenant.id]: 'member' })
  const headers = inWorkspace(tenant)
  const go = async (method: string, path: string, body?: object) => {
    const answer = await owner.go(method, path, body, headers)
    assert.ok(answer.status < 300, answer.text)
    return answer.body.data
  }
  await go('PATCH', `/members/${member.id}`, { role: 'viewer' })
  const withdrawn = await go('POST', '/invitations', { role: 'member' })
  await go('DELETE', `/invitations/${withdrawn.id}`)
  const accepted = await go('POST', '/invitations', { role: 'member' })
  const guest = await newPerson(server)
  assert.equal((await guest.go('POST', `/invitations/${accepted.link.split('/').at(-1)}`, {})).status, 200)
  await go('DELETE', `/members/${member.id}`)
  const all = await entries(tenant)
  assert.deepEqual(
    all.map(({ action, actor, subject }) => [action, actor.id, subject.type, subject.id]),
    [
      ['members.delete', owner.id, 'person', member.id],
      ['invitations.accept', guest.id, 'person', guest.id],
      ['invitations.create', owner.id, 'invitation', accepted.id],
      ['invitations.delete', owner.id, 'invitation', withdrawn.id],
      ['invitations.create', owner.id, 'invitation', withdrawn.id],
      ['members.update', owner.id, 'person', member.id],
    ],
  )
})

test('a change of members that fails leaves no entry', async () => {
  const tenant = await workspace()
  const owner = await newPerson(server, { [tenant.id]: 'owner' })
  const { status } = await owner.go('PATCH', `/members/${owner.id}`, { role: 'viewer' }, inWorkspace(tenant))
  assert.equal(status, 409)
  assert.deepEqual(await actions(tenant), [])
})

test('someone who accepts an invitation as a new person leaves one entry', async () => {
  const tenant = await workspace()
  const owner = await newPerson(server, { [tenant.id]: 'owner' })
  const { body } = await owner.go('POST', '/invitations', { role: 'viewer' }, inWorkspace(tenant))
  const new_person = { email: `${newId()}@example.com`, name: 'New', password }
  const token = body.data.link.split('/').at(-1)
  const { status, text } = await browser(server).go('POST', `/invitations/${token}`, new_person)
  assert.equal(status, 200, text)
  assert.deepEqual(await actions(tenant), ['invitations.accept', 'invitations.create'])
})

test('a new password is in the log of each workspace of the person', async () => {
  const tenant = await workspace()
  const person = await newPerson(server, { [tenant.id]: 'member' })
  const change = { current_password: password, new_password: 'another long password' }
  const { status, text } = await person.go('PUT', '/password', change, forwarded('198.51.100.204'))
  assert.equal(status, 200, text)
  assert.deepEqual(await actions(tenant), ['password.update'])
})

test('a workspace that someone creates in the dashboard begins with an entry', async () => {
  const person = await newPerson(server)
  const { status, body, text } = await person.go('POST', '/workspaces', { name: newId() })
  assert.equal(status, 201, text)
  const { id } = body.data
  const answer = await person.go('GET', '/api/v1/audit_log', undefined, inWorkspace({ id }))
  assert.equal(answer.status, 200, answer.text)
  const [entry] = answer.body.data
  assert.deepEqual([entry.action, entry.actor.id, entry.subject.id], ['workspaces.create', person.id, id])
})
