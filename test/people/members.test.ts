import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from '../../server/kit/postgres/sql.ts'
import * as invitations from '../../server/people/invitations.ts'
import { serve } from '../support/harness.ts'
import { newContact } from '../support/samples.ts'
import { browser, inWorkspace, newPerson, password } from '../support/sessions.ts'

const server = await serve()
const { workspace, pool } = server

/** A workspace with an owner and a member. */
async function team() {
  const tenant = await workspace()
  const owner = await newPerson(server, { [tenant.id]: 'owner' })
  const member = await newPerson(server, { [tenant.id]: 'member' })
  return { tenant, owner, member, here: inWorkspace(tenant) }
}

const tokenOf = (link: string) => link.split('/').at(-1) ?? ''
const newcomer = () => ({ email: `new.${crypto.randomUUID()}@example.com`, name: 'Grace', password })

test('only owners list and change members', async () => {
  const { owner, member, here } = await team()
  const { data, pagination } = (await owner.go('GET', '/members', undefined, here)).body
  assert.deepEqual(
    data.map((one: { person_id: string; role: string }) => [one.person_id, one.role]),
    [
      [member.id, 'member'],
      [owner.id, 'owner'],
    ],
  )
  assert.deepEqual(Object.keys(data[0]), ['person_id', 'email', 'name', 'role', 'has_two_factor', 'created_at'])
  assert.equal(pagination.total, 2)
  for (const [method, path, body] of [
    ['GET', '/members', undefined],
    ['PATCH', `/members/${member.id}`, { role: 'owner' }],
    ['DELETE', `/members/${owner.id}`, undefined],
    ['PATCH', '/api/v1/workspace', { name: 'Mine' }],
    ['POST', '/invitations', { role: 'member' }],
    ['GET', '/invitations', undefined],
    ['POST', '/api/v1/api_keys', { name: 'Mine' }],
    ['GET', '/api/v1/api_keys', undefined],
  ] as const) {
    const answer = await member.go(method, path, body, here)
    assert.deepEqual([answer.status, answer.body.error.code], [403, 'FORBIDDEN'], `${method} ${path}`)
  }
})

test('a change of role takes effect at the next request', async () => {
  const { owner, member, here } = await team()
  const raised = await owner.go('PATCH', `/members/${member.id}`, { role: 'owner' }, here)
  assert.deepEqual([raised.status, raised.body.data.role, raised.body.data.email], [200, 'owner', member.email])
  assert.equal((await member.go('GET', '/api/v1/api_keys', undefined, here)).status, 200)
  assert.equal((await owner.go('PATCH', `/members/${member.id}`, { role: 'member' }, here)).status, 200)
  assert.equal((await member.go('GET', '/api/v1/api_keys', undefined, here)).status, 403)
  assert.equal((await member.go('POST', '/api/v1/contacts', newContact(), here)).status, 201)
  assert.equal((await owner.go('PATCH', `/members/${member.id}`, { role: 'viewer' }, here)).status, 200)
  assert.equal((await member.go('POST', '/api/v1/contacts', newContact(), here)).status, 403)
  assert.equal((await member.go('GET', '/api/v1/contacts', undefined, here)).body.pagination.total, 1)
  const unknown = await owner.go('PATCH', `/members/${member.id}`, { role: 'king' }, here)
  assert.deepEqual([unknown.status, unknown.body.error.details.fields[0].path], [400, 'role'])
})

test('a removed member loses access at the next request, but stays signed in', async () => {
  const { owner, member, here } = await team()
  assert.equal((await member.go('GET', '/api/v1/contacts', undefined, here)).status, 200)
  assert.deepEqual((await owner.go('DELETE', `/members/${member.id}`, undefined, here)).body.data, { deleted: true })
  assert.equal((await member.go('GET', '/api/v1/contacts', undefined, here)).status, 404)
  assert.equal((await member.go('GET', '/members', undefined, here)).status, 404)
  assert.deepEqual((await member.go('GET', '/session')).body.data.workspaces, [])
  assert.equal((await owner.go('DELETE', `/members/${member.id}`, undefined, here)).status, 404)
})

test('everyone may leave but not remove others; the last owner can neither leave nor become a member', async () => {
  const { tenant, owner, member, here } = await team()
  const viewer = await newPerson(server, { [tenant.id]: 'viewer' })
  assert.equal((await viewer.go('DELETE', `/members/${member.id}`, undefined, here)).status, 403)
  assert.equal((await viewer.go('DELETE', `/members/${viewer.id}`, undefined, here)).status, 200)
  for (const [method, body] of [
    ['DELETE', undefined],
    ['PATCH', { role: 'member' }],
  ] as const) {
    const rejected = await owner.go(method, `/members/${owner.id}`, body, here)
    assert.deepEqual([rejected.status, rejected.body.error.code], [409, 'INVALID_STATE'])
  }
  assert.equal((await owner.go('PATCH', `/members/${owner.id}`, { role: 'owner' }, here)).status, 200)
  assert.equal((await member.go('DELETE', `/members/${member.id}`, undefined, here)).status, 200)
  assert.equal((await owner.go('GET', '/members', undefined, here)).body.pagination.total, 1)
})

test('of two owners who remove or demote each other at once, one stays owner', async () => {
  for (const [method, body] of [
    ['DELETE', undefined],
    ['PATCH', { role: 'member' }],
  ] as const) {
    const { tenant, owner, member, here } = await team()
    await owner.go('PATCH', `/members/${member.id}`, { role: 'owner' }, here)
    const answers = await Promise.all([
      owner.go(method, `/members/${member.id}`, body, here),
      member.go(method, `/members/${owner.id}`, body, here),
    ])
    const owners = await pool.many(
      sql`select person_id from memberships where workspace_id = ${tenant.id} and role = 'owner'`,
    )
    assert.equal(owners.length, 1)
    assert.equal(answers.filter(({ status }) => status === 200).length, 1)
  }
})

test("members of another workspace can't be changed", async () => {
  const [ours, theirs] = [await team(), await team()]
  for (const [method, body] of [
    ['DELETE', undefined],
    ['PATCH', { role: 'member' }],
  ] as const) {
    const answer = await ours.owner.go(method, `/members/${theirs.owner.id}`, body, ours.here)
    assert.equal(answer.status, 404)
  }
  assert.equal((await theirs.owner.go('GET', '/members', undefined, theirs.here)).body.pagination.total, 2)
})

test('an invited person joins with the link, which works once', async () => {
  const { tenant, owner, here } = await team()
  const invited = await owner.go('POST', '/invitations', { role: 'member' }, here)
  assert.equal(invited.status, 201)
  const { link, ...shown } = invited.body.data
  assert.deepEqual(Object.keys(shown).sort(), ['email', 'expires_at', 'id', 'role'])
  assert.match(link, new RegExp(`^${server.url}/invite/[\\w-]{43}$`))
  const listed = await owner.go('GET', '/invitations', undefined, here)
  assert.equal(listed.body.data[0].id, shown.id)
  assert.ok(!listed.text.includes(tokenOf(link)))

  const path = `/invitations/${tokenOf(link)}`
  const visitor = browser(server)
  const shown_to_guest = await visitor.go('GET', path)
  assert.deepEqual(
    [shown_to_guest.body.data.role, shown_to_guest.body.data.email, shown_to_guest.body.data.invited_by],
    ['member', null, owner.name],
  )
  const incomplete = await visitor.go('POST', path, { email: 'grace@example.com' })
  assert.deepEqual(
    incomplete.body.error.details.fields.map((field: { path: string }) => field.path),
    ['name', 'password'],
  )
  assert.equal((await visitor.go('POST', path, {})).status, 401, 'not signed in')
  const joined = await visitor.go('POST', path, newcomer())
  assert.deepEqual(
    joined.body.data.workspaces.map((one: { id: string; role: string }) => [one.id, one.role]),
    [[tenant.id, 'member']],
  )
  assert.equal((await visitor.go('GET', '/api/v1/contacts', undefined, here)).status, 200)
  assert.equal((await visitor.go('GET', path)).status, 404)
  assert.equal((await browser(server).go('POST', path, newcomer())).status, 404)
})

test('a person who is signed in joins without more input; an existing member gets 409', async () => {
  const { tenant, owner, member, here } = await team()
  const { link } = (await owner.go('POST', '/invitations', { role: 'owner' }, here)).body.data
  const path = `/invitations/${tokenOf(link)}`
  const again = await member.go('POST', path, {})
  assert.deepEqual([again.status, again.body.error.code], [409, 'INVALID_STATE'])
  const guest = await newPerson(server)
  const { workspaces } = (await guest.go('POST', path, {})).body.data
  assert.deepEqual([workspaces[0].id, workspaces[0].role], [tenant.id, 'owner'])
})

test('a person who is invited as a viewer can only read', async () => {
  const { tenant, owner, here } = await team()
  const { link } = (await owner.go('POST', '/invitations', { role: 'viewer' }, here)).body.data
  const guest = await newPerson(server)
  const { workspaces } = (await guest.go('POST', `/invitations/${tokenOf(link)}`, {})).body.data
  assert.deepEqual([workspaces[0].id, workspaces[0].role], [tenant.id, 'viewer'])
  assert.equal((await guest.go('GET', '/api/v1/contacts', undefined, here)).status, 200)
  // A link to a file can't set headers.
  assert.equal((await guest.go('GET', `/api/v1/contacts/export?workspace=${tenant.id}`)).status, 403)
})

test('of several people who accept one invitation at once, one joins', async () => {
  const { owner, here } = await team()
  const { link } = (await owner.go('POST', '/invitations', { role: 'member' }, here)).body.data
  const path = `/invitations/${tokenOf(link)}`
  const guests = await Promise.all(Array.from({ length: 3 }, () => newPerson(server)))
  const answers = await Promise.all([
    ...guests.map(({ go }) => go('POST', path, {})),
    browser(server).go('POST', path, newcomer()),
    browser(server).go('POST', path, newcomer()),
  ])
  assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 404, 404, 404, 404])
  assert.equal((await owner.go('GET', '/members', undefined, here)).body.pagination.total, 3)
})

test('an invitation to an email can only be accepted with that email', async () => {
  const { owner, here } = await team()
  const guest = await newPerson(server)
  const input = { role: 'member', email: ` ${guest.email.toUpperCase()}` }
  const { link, email } = (await owner.go('POST', '/invitations', input, here)).body.data
  assert.equal(email, guest.email)
  const path = `/invitations/${tokenOf(link)}`
  assert.equal((await browser(server).go('POST', path, newcomer())).status, 400)
  assert.equal((await (await newPerson(server)).go('POST', path, {})).status, 403)
  const taken = await browser(server).go('POST', path, { ...newcomer(), email: guest.email })
  assert.deepEqual(
    [taken.status, taken.body.error.details.field],
    [409, 'email'],
    'an invitation does not take over an account',
  )
  assert.equal((await guest.go('POST', path, {})).status, 200)
})

test('an invitation ends when it is withdrawn, when it expires, and when its creator is no longer an owner', async () => {
  const { tenant, owner, member, here } = await team()
  const other = await team()
  await owner.go('PATCH', `/members/${member.id}`, { role: 'owner' }, here)
  const invite = async (by = owner) => {
    const { id, link } = (await by.go('POST', '/invitations', { role: 'owner' }, here)).body.data
    return { id, status: async () => (await browser(server).go('GET', `/invitations/${tokenOf(link)}`)).status }
  }
  const withdrawn = await invite()
  assert.equal((await other.owner.go('DELETE', `/invitations/${withdrawn.id}`, undefined, other.here)).status, 404)
  assert.equal(await withdrawn.status(), 200)
  assert.equal((await owner.go('DELETE', `/invitations/${withdrawn.id}`, undefined, here)).status, 200)
  assert.equal(await withdrawn.status(), 404)

  const expired = await invite()
  await pool.run(sql`update invitations set expires_at = '2026-01-01' where workspace_id = ${tenant.id}`)
  assert.equal(await expired.status(), 404)
  assert.equal((await owner.go('GET', '/invitations', undefined, here)).body.pagination.total, 0)
  const open = await invite()
  await invitations.removeExpired(server.at(tenant.id))
  const remaining = await pool.many<{ id: string }>(sql`select id from invitations where workspace_id = ${tenant.id}`)
  assert.deepEqual(remaining, [{ id: open.id }])

  const by_former = await invite(member)
  await owner.go('PATCH', `/members/${member.id}`, { role: 'member' }, here)
  assert.equal(await by_former.status(), 404)
})

test('an invalid token returns 404', async () => {
  for (const token of ['x', '%00', 'a'.repeat(43), `${'a'.repeat(499)}`, "'%20or%20true"]) {
    assert.equal((await browser(server).go('GET', `/invitations/${token}`)).status, 404, token)
    assert.equal((await browser(server).go('GET', `/setup/${token}`)).status, 404, token)
  }
})
