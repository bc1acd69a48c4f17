import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from '../../server/kit/postgres/sql.ts'
import * as password_links from '../../server/people/password-links.ts'
import type { Role } from '../../server/people/schema.ts'
import * as people from '../../server/people/store.ts'
import { serve } from '../support/harness.ts'
import { browser, inWorkspace, newPerson, password, type TestPerson } from '../support/sessions.ts'

const server = await serve()
const { workspace, pool } = server
const hour_ms = 60 * 60 * 1000
const new_password = 'another horse battery'

/** As the command line does. */
const newLink = async (person_id: string, now = Date.now()) =>
  toToken((await password_links.create({ db: pool, now }, { person_id, link_start: '' })).link)
const toToken = (link: string) => link.split('/').at(-1) ?? ''
const open = (token: string) => browser(server).go('GET', `/password_links/${token}`)
const use = (token: string, entered = new_password) =>
  browser(server).go('POST', `/password_links/${token}`, { new_password: entered })
const signIn = (email: string, entered: string) => browser(server).go('POST', '/session', { email, password: entered })

/** Two people of one workspace. */
async function ownerAndMember(role: Role = 'member') {
  const tenant = await workspace()
  const owner = await newPerson(server, { [tenant.id]: 'owner' })
  const member = await newPerson(server, { [tenant.id]: role })
  const ask = (by: TestPerson, of: { id: string }) =>
    by.go('POST', `/members/${of.id}/password_link`, undefined, inWorkspace(tenant))
  return { tenant, owner, member, ask }
}

test('a link sets a new password once, ends all sessions and starts none', async () => {
  const person = await newPerson(server)
  const token = await newLink(person.id)
  assert.deepEqual((await open(token)).body.data, { email: person.email })
  const visitor = browser(server)
  const used = await visitor.go('POST', `/password_links/${token}`, { new_password })
  assert.deepEqual([used.status, used.body.data], [200, { changed: true }])
  assert.equal(visitor.cookie(), '', 'the person still signs in')
  assert.equal((await person.go('GET', '/sessions')).status, 401)
  assert.deepEqual([(await open(token)).status, (await use(token)).status], [404, 404])
  assert.equal((await signIn(person.email, password)).status, 401)
  assert.equal((await signIn(person.email, new_password)).status, 200)
})

test('a password that is too short does not use up the link', async () => {
  const person = await newPerson(server)
  const token = await newLink(person.id)
  assert.equal((await use(token, 'short')).body.error.details.fields[0].path, 'new_password')
  assert.equal((await open(token)).status, 200)
})

test('a link expires after an hour, and is then deleted', async () => {
  const person = await newPerson(server)
  const now = Date.now()
  const almost = await newLink(person.id, now - hour_ms + 60_000)
  assert.equal((await open(almost)).status, 200)
  const token = await newLink(person.id, now - hour_ms)
  assert.deepEqual([(await open(token)).status, (await use(token)).status], [404, 404])
  await password_links.removeExpired({ db: pool, now: Date.now() })
  assert.equal(await pool.maybe(sql`select from password_links where person_id = ${person.id}`), undefined)
})

test('a new link and a change of the password end the earlier link', async () => {
  const person = await newPerson(server)
  const first = await newLink(person.id)
  const second = await newLink(person.id)
  assert.deepEqual([(await open(first)).status, (await open(second)).status], [404, 200])
  await person.go('PUT', '/password', { current_password: password, new_password })
  assert.equal((await open(second)).status, 404)
})

test('of concurrent uses of a link, one sets the password', async () => {
  const person = await newPerson(server)
  const token = await newLink(person.id)
  const entered = ['one horse battery', 'two horse battery', 'six horse battery']
  const answers = await Promise.all(entered.map((each) => use(token, each)))
  assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 404, 404])
  const winner = entered[answers.findIndex(({ status }) => status === 200)] ?? ''
  assert.equal((await signIn(person.email, winner)).status, 200)
})

test('only a hash of the link is stored', async () => {
  const person = await newPerson(server)
  const token = await newLink(person.id)
  const { row } = await pool.one<{ row: string }>(
    sql`select password_links::text as row from password_links where person_id = ${person.id}`,
  )
  assert.ok(!row.includes(token) && !row.includes(Buffer.from(token).toString('hex')))
})

test('an owner makes a link for a member of their workspaces', async () => {
  const { owner, member, ask } = await ownerAndMember()
  const answer = await ask(owner, member)
  assert.equal(answer.status, 201, answer.text)
  const { link, expires_at } = answer.body.data
  assert.ok(link.startsWith(`${server.url}/password/`), link)
  const left_ms = Date.parse(expires_at) - Date.now()
  assert.ok(left_ms > hour_ms - 60_000 && left_ms <= hour_ms, expires_at)
  assert.equal((await use(toToken(link))).status, 200)
  assert.equal((await signIn(member.email, new_password)).status, 200)
})

test('an owner makes no link for a member of a workspace that they do not own', async () => {
  const { owner, member, ask } = await ownerAndMember()
  const other = await workspace()
  await people.join(server.at(other.id), { person_id: member.id, role: 'viewer' })
  const refused = await ask(owner, member)
  assert.deepEqual([refused.status, refused.body.error.details.reason], [403, 'other_workspaces'])
  await people.join(server.at(other.id), { person_id: owner.id, role: 'member' })
  assert.equal((await ask(owner, member)).status, 403, 'a member of the other workspace does not own it')
  await pool.run(
    sql`update memberships set role = 'owner' where workspace_id = ${other.id} and person_id = ${owner.id}`,
  )
  assert.equal((await ask(owner, member)).status, 201)
})

test('owners of other workspaces, members and owners themselves get no link', async () => {
  const { tenant, owner, member, ask } = await ownerAndMember()
  const stranger = await newPerson(server, { [(await workspace()).id]: 'owner' })
  assert.equal((await ask(stranger, member)).status, 404)
  assert.equal((await ask(member, owner)).status, 403)
  assert.equal((await ask(owner, stranger)).status, 404, 'not a member')
  assert.equal((await ask(owner, owner)).status, 409, 'a stolen session must not be enough to change the password')
  assert.equal(
    (await browser(server).go('POST', `/members/${member.id}/password_link`, {}, inWorkspace(tenant))).status,
    401,
  )
})

test('the link of an owner ends when the member joins a workspace that the owner does not own', async () => {
  const { owner, member, ask } = await ownerAndMember()
  const token = toToken((await ask(owner, member)).body.data.link)
  await people.join(server.at((await workspace()).id), { person_id: member.id, role: 'viewer' })
  assert.equal((await browser(server).go('GET', `/password_links/${token}`)).status, 404)
  assert.equal((await use(token)).status, 404)
  assert.equal((await signIn(member.email, password)).status, 200)
  const by_operator = await newLink(member.id)
  assert.equal((await use(by_operator)).status, 200, 'the command line makes one for everybody')
})

test('the link of an owner ends when the owner becomes a member', async () => {
  const { tenant, owner, member, ask } = await ownerAndMember()
  const token = toToken((await ask(owner, member)).body.data.link)
  await pool.run(
    sql`update memberships set role = 'member' where workspace_id = ${tenant.id} and person_id = ${owner.id}`,
  )
  assert.equal((await use(token)).status, 404)
})
