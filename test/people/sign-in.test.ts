import assert from 'node:assert/strict'
import { test } from 'node:test'
import { clientNetwork } from '../../server/kit/network.ts'
import { sql } from '../../server/kit/postgres/sql.ts'
import * as sessions from '../../server/people/sessions.ts'
import { openThrottle } from '../../server/people/throttle.ts'
import { serve } from '../support/harness.ts'
import { browser, inWorkspace, newPerson, newSessionToken, password } from '../support/sessions.ts'

const server = await serve({ trust_proxy: ['127.0.0.1'] })
const { workspace, pool } = server
const day_ms = 24 * 60 * 60 * 1000

let networks = 0
/** The header of another network for each call, so that tests don't throttle each other. */
const otherNetwork = () => {
  networks += 1
  return { 'x-forwarded-for': `198.51.100.${networks}` }
}

const signIn = (email: string, entered = password, headers = otherNetwork()) => {
  const visitor = browser(server)
  return visitor
    .go('POST', '/session', { email, password: entered }, headers)
    .then((answer) => ({ ...visitor, answer }))
}

test('a sign-in sets a cookie that scripts and other sites cannot read', async () => {
  const tenant = await workspace()
  const { id, email, name } = await newPerson(server, { [tenant.id]: 'member' })
  const { answer, go } = await signIn(` ${email.toUpperCase()} `)
  assert.equal(answer.status, 200, answer.text)
  const { workspaces, person } = answer.body.data
  assert.deepEqual(person, { id, email, name })
  assert.deepEqual(
    workspaces.map((one: { id: string; role: string }) => [one.id, one.role]),
    [[tenant.id, 'member']],
  )
  const [cookie = ''] = answer.headers.getSetCookie()
  assert.match(cookie, /^parley_session=[\w-]{43}; Path=\/; Max-Age=7776000; HttpOnly; SameSite=Lax$/)
  assert.ok(!answer.text.includes(cookie.slice(15, 58)))
  assert.deepEqual((await go('GET', '/session')).body.data, { ...answer.body.data, is_set_up: true })
  const signed_out = await browser(server).go('GET', '/session')
  assert.deepEqual(signed_out.body.data, {
    person: null,
    workspaces: [],
    is_operator: false,
    has_two_factor: false,
    is_set_up: true,
  })
})

test('with TLS the cookie is bound to the host', async () => {
  const secure = await serve({ public_url: 'https://parley.example.com/x' })
  const { email } = await newPerson(secure)
  const headers = { origin: 'https://parley.example.com' }
  const answer = await browser(secure).go('POST', '/session', { email, password }, headers)
  const [cookie = ''] = answer.headers.getSetCookie()
  assert.match(cookie, /^__Host-parley_session=[\w-]{43}; Path=\/; Max-Age=7776000; HttpOnly; SameSite=Lax; Secure$/)
  const token = /=([^;]*)/.exec(cookie)?.[1]
  const named = (name: string) =>
    secure.fetch('GET', '/app/sessions', undefined, { cookie: `a=b; ${name}=${token}; c=d` })
  assert.equal((await named('__Host-parley_session')).status, 200)
  assert.equal((await named('parley_session')).status, 401, 'another host of the domain could have set this cookie')
  const wrong_origin = await browser(secure).go('POST', '/session', { email, password })
  assert.equal(wrong_origin.status, 403)
})

test('a wrong password and an unknown email return the same error', async () => {
  const { email } = await newPerson(server)
  const wrong = await signIn(email, `${password}!`)
  const unknown = await signIn(`x${email}`)
  for (const { answer } of [wrong, unknown]) {
    assert.equal(answer.status, 401)
    assert.deepEqual(answer.headers.getSetCookie(), [])
  }
  assert.equal(wrong.answer.body.error.message, unknown.answer.body.error.message)
})

test('only hashes of session tokens and passwords are stored', async () => {
  const { id, email } = await newPerson(server)
  const { cookie } = await signIn(email)
  const token = cookie().split('=')[1] ?? ''
  const stored = await pool.many(
    sql`select encode(hash, 'escape') as hash, sessions::text as row, people::text as person
      from sessions join people on people.id = person_id where person_id = ${id}`,
  )
  const text = JSON.stringify(stored)
  assert.ok(!text.includes(token) && !text.includes(Buffer.from(token).toString('hex')))
  assert.ok(!text.includes(password))
  assert.match(text, /\$argon2id\$v=19\$m=19456,t=2,p=1\$/)
})

test('after ten attempts an account is throttled in that network, even with the right password, but not elsewhere', async () => {
  const { email } = await newPerson(server)
  const here = otherNetwork()
  const answers = await Promise.all(Array.from({ length: 15 }, () => signIn(email, 'wrong wrong', here)))
  const statuses = answers.map(({ answer }) => answer.status)
  // On a busy machine some attempts wait too long for a hash.
  assert.ok(statuses.every((status) => [401, 429, 503].includes(status)))
  assert.equal(statuses.filter((status) => status === 429).length, 5)
  const { answer } = await signIn(email, password, here)
  assert.deepEqual([answer.status, answer.body.error.code], [429, 'RATE_LIMITED'])
  const wait_s = Number(answer.headers.get('retry-after'))
  assert.ok(wait_s > 0 && wait_s <= 60, String(wait_s))
  const unknown = await Promise.all(Array.from({ length: 11 }, () => signIn(`x${email}`, password, here)))
  assert.equal(
    unknown.filter((one) => one.answer.status === 429).length,
    1,
    'an unknown email is throttled in the same way',
  )
  assert.equal((await signIn(email)).answer.status, 200)
  assert.equal((await signIn(email, password, here)).answer.status, 429)
})

test('a successful sign-in resets the failed attempts', async () => {
  const { email } = await newPerson(server)
  const here = otherNetwork()
  for (let round = 0; round < 3; round += 1) {
    for (let count = 0; count < 5; count += 1)
      assert.equal((await signIn(email, 'wrong wrong', here)).answer.status, 401)
    assert.equal((await signIn(email, password, here)).answer.status, 200)
  }
})

test('the throttle recovers with time, and counts networks and accounts separately', () => {
  const { countAttempt, reset } = openThrottle()
  const start = 1_800_000_000_000
  const tries = (account: string, network: string, now: number) => {
    let count = 0
    try {
      for (; count < 1000; count += 1) countAttempt(account, network, now)
    } catch {
      // The count is the result.
    }
    return count
  }
  assert.equal(tries('a', 'n', start), 10)
  assert.equal(tries('a', 'n', start + 59_999), 0)
  assert.equal(tries('a', 'n', start + 60_000), 1)
  assert.equal(tries('a', 'n', start + day_ms), 10)
  assert.equal(tries('a', 'n', start - day_ms), 10, 'a clock that was set back')
  assert.equal(tries('b', 'n', start), 10)
  const many = Array.from({ length: 12 }, (_, index) => tries(`c${index}`, 'm', start))
  assert.equal(
    many.reduce((sum, count) => sum + count),
    50,
    'one network with many accounts',
  )
  const spread = Array.from({ length: 12 }, (_, index) => tries('d', `m${index}`, start))
  assert.equal(
    spread.reduce((sum, count) => sum + count),
    100,
    'one account from many networks',
  )
  reset('d', 'm99')
  assert.equal(tries('d', 'm99', start), 10)
})

test('an IPv6 network is the first 64 bits of the address', () => {
  assert.equal(clientNetwork('2001:db8:1:2:3:4:5:6'), clientNetwork('2001:DB8:1:2::1'))
  assert.equal(clientNetwork('2001:db8::1'), '2001:db8:0:0::/64')
  assert.notEqual(clientNetwork('2001:db8:1:2::1'), clientNetwork('2001:db8:1:3::1'))
  assert.equal(clientNetwork('::1'), '0:0:0:0::/64')
  assert.equal(clientNetwork('::ffff:192.0.2.1'), '192.0.2.1')
  assert.equal(clientNetwork('192.0.2.1'), '192.0.2.1')
})

test('signing out ends this session; signing out everywhere ends all', async () => {
  const first = await newPerson(server)
  const [second, third] = [await signIn(first.email), await signIn(first.email)]
  const old_cookie = second.cookie()
  assert.deepEqual((await second.go('DELETE', '/session')).body.data, { deleted: true })
  assert.equal(second.cookie(), '')
  const stolen = await server.fetch('GET', '/app/sessions', undefined, { cookie: old_cookie })
  assert.equal(stolen.status, 401, 'the old token does not work')
  assert.equal((await first.go('GET', '/sessions')).status, 200)
  assert.equal((await third.go('DELETE', '/sessions')).status, 200)
  assert.equal((await first.go('GET', '/sessions')).status, 401)
  assert.equal(
    (await browser(server).go('DELETE', '/session')).status,
    200,
    'signing out without a session is not an error',
  )
})

test('a sign-in ends the session that the browser had', async () => {
  const { email } = await newPerson(server)
  const { go, cookie } = await signIn(email)
  const before = cookie()
  assert.equal((await go('POST', '/session', { email, password }, otherNetwork())).status, 200)
  assert.notEqual(cookie(), before)
  assert.equal((await server.fetch('GET', '/app/sessions', undefined, { cookie: before })).status, 401)
})

test('only the person lists and ends their sessions', async () => {
  const first = await newPerson(server)
  const { go } = await signIn(first.email)
  const { data } = (await go('GET', '/sessions')).body
  assert.deepEqual(
    data.map((one: { is_current: boolean }) => one.is_current),
    [true, false],
  )
  assert.deepEqual(Object.keys(data[1]), ['id', 'created_at', 'last_used_at', 'user_agent', 'is_current'])
  const stranger = await newPerson(server)
  assert.equal((await stranger.go('DELETE', `/sessions/${data[1].id}`)).status, 404)
  assert.equal((await go('DELETE', `/sessions/${data[1].id}`)).status, 200)
  assert.equal((await first.go('GET', '/sessions')).status, 401)
  assert.equal((await go('DELETE', `/sessions/${data[0].id}`)).status, 200)
  assert.equal((await go('GET', '/sessions')).status, 401)
})

test('a session ends after two weeks without use, and after ninety days in any case', async () => {
  const { id } = await newPerson(server)
  const now = Date.now()
  const statusAfter = async (begun_ms: number, used_ms: number) => {
    const token = await newSessionToken(server, id, now - begun_ms)
    const used_at = new Date(now - used_ms).toISOString()
    await pool.run(
      sql`update sessions set last_used_at = ${used_at} where person_id = ${id} and created_at = ${new Date(now - begun_ms).toISOString()}`,
    )
    return (await browser(server, token).go('GET', '/sessions')).status
  }
  assert.equal(await statusAfter(20 * day_ms, 14 * day_ms - 60_000), 200)
  assert.equal(await statusAfter(21 * day_ms, 14 * day_ms + 1), 401)
  assert.equal(await statusAfter(90 * day_ms - 60_000, 1000), 200)
  assert.equal(await statusAfter(90 * day_ms + 1, 1000), 401)
})

test('a request extends the session', async () => {
  const { id } = await newPerson(server)
  const token = await newSessionToken(server, id, Date.now() - day_ms)
  const { go } = browser(server, token)
  await go('GET', '/sessions')
  const listed = (await go('GET', '/sessions')).body.data.find((one: { is_current: boolean }) => one.is_current)
  assert.ok(Date.now() - Date.parse(listed.last_used_at) < 60_000)
})

test('a person has at most fifty sessions; the least recently used end', async () => {
  const { id, go } = await newPerson(server)
  const now = Date.now()
  for (let count = 1; count <= 50; count += 1) await newSessionToken(server, id, now + count)
  assert.equal((await go('GET', '/sessions')).status, 401)
})

test('a new password ends all other sessions and replaces the token of this one', async () => {
  const first = await newPerson(server)
  const { go, cookie } = await signIn(first.email)
  const before = cookie()
  const here = otherNetwork()
  const change = (current_password: string, new_password: string) =>
    go('PUT', '/password', { current_password, new_password }, here)
  const wrong = await change('wrong wrong', 'another password')
  assert.deepEqual([wrong.status, wrong.body.error.details.fields[0].path], [400, 'current_password'])
  assert.equal((await change(password, '123456789')).status, 400)
  assert.deepEqual((await change(password, 'another password')).body.data, { changed: true })
  assert.notEqual(cookie(), before)
  assert.equal((await go('GET', '/sessions')).status, 200)
  assert.equal((await first.go('GET', '/sessions')).status, 401)
  assert.equal((await server.fetch('GET', '/app/sessions', undefined, { cookie: before })).status, 401)
  assert.equal((await signIn(first.email)).answer.status, 401)
  assert.equal((await signIn(first.email, 'another password')).answer.status, 200)
})

test('a sign-in with the old password during its change does not survive it', async () => {
  const { go, email } = await newPerson(server)
  const [changed, ...others] = await Promise.all([
    go('PUT', '/password', { current_password: password, new_password: 'another password' }, otherNetwork()),
    ...Array.from({ length: 6 }, () => signIn(email)),
  ])
  assert.equal(changed.status, 200, changed.text)
  for (const other of others) {
    assert.ok([200, 401].includes(other.answer.status), other.answer.text)
    assert.equal((await other.go('GET', '/sessions')).status, 401)
  }
  assert.equal((await go('GET', '/sessions')).status, 200)
})

test('only expired sessions are removed', async () => {
  const { id, go } = await newPerson(server)
  await newSessionToken(server, id, Date.now() - 15 * day_ms)
  const countOf = async () =>
    (await pool.one<{ total: number }>(sql`select count(*) as total from sessions where person_id = ${id}`)).total
  assert.equal(await countOf(), 2)
  await sessions.removeExpired({ db: pool, now: Date.now() })
  assert.equal(await countOf(), 1)
  assert.equal((await go('GET', '/sessions')).status, 200)
})

test('wrong current passwords are throttled like sign-ins', async () => {
  const { go } = await newPerson(server)
  const here = otherNetwork()
  const answers = await Promise.all(
    Array.from({ length: 12 }, () =>
      go('PUT', '/password', { current_password: 'wrong wrong', new_password: 'another password' }, here),
    ),
  )
  assert.equal(answers.filter(({ status }) => status === 429).length, 2)
})

test('passwords have 10 to 200 characters', async () => {
  const { go } = await newPerson(server)
  const here = otherNetwork()
  const change = (new_password: string) => go('PUT', '/password', { current_password: 'wrong', new_password }, here)
  const faults = async (new_password: string) => (await change(new_password)).body.error.details.fields
  assert.equal((await faults('🐎'.repeat(9)))[0].path, 'new_password')
  assert.match((await faults('a'.repeat(9)))[0].message, /at least 10/)
  assert.equal((await faults('a'.repeat(201)))[0].path, 'new_password')
  assert.equal((await faults('🐎'.repeat(10)))[0].path, 'current_password')
  assert.equal((await faults('a'.repeat(200)))[0].path, 'current_password')
})

test('the clock of a new test workspace begins at the given time', async () => {
  const { go, email } = await newPerson(server)
  const now = '2031-03-06T19:00:00.000Z'
  const create = (input: object) => go('POST', '/workspaces', { name: `test of ${email}`, ...input })
  for (const input of [{ kind: 'live', now }, { now }, { kind: 'test', now: '1969-12-31T23:59:59Z' }]) {
    const refused = await create(input)
    assert.deepEqual([refused.status, refused.body.error.details.fields[0].path], [400, 'now'])
  }
  assert.equal((await create({ kind: 'test', now: '9999-12-31T00:00:00Z' })).status, 400)
  const { status, body } = await create({ kind: 'test', now })
  assert.equal(status, 201)
  const clock = await go('GET', '/api/v1/test_clock', undefined, inWorkspace(body.data))
  assert.equal(clock.body.data.now, now)
})

test('a person changes their name and creates workspaces', async () => {
  const { go, id, email } = await newPerson(server)
  assert.deepEqual((await go('PATCH', '/person', { name: 'Grace' })).body.data, { id, email, name: 'Grace' })
  const name = `of ${email}`
  const created = await go('POST', '/workspaces', { name })
  assert.equal(created.status, 201)
  assert.deepEqual([created.body.data.name, created.body.data.role], [name, 'owner'])
  const again = await go('POST', '/workspaces', { name })
  assert.deepEqual(
    [again.status, again.body.error.details.field, again.body.error.details.existing_id],
    [409, 'name', null],
  )
  assert.deepEqual((await go('GET', '/session')).body.data.workspaces, [created.body.data])
  const contact = await go('POST', '/api/v1/contacts', { phone_number: '+14155550100' }, inWorkspace(created.body.data))
  assert.equal(contact.body.data.source, 'manual')
  assert.equal(
    (await go('GET', '/api/v1/overview', undefined, inWorkspace(created.body.data))).body.data.contacts.by_source
      .manual,
    1,
  )
})

test('of several people who create a workspace with the same name at once, one succeeds', async () => {
  const people = await Promise.all(Array.from({ length: 4 }, () => newPerson(server)))
  const name = `of all ${people[0]?.email}`
  const answers = await Promise.all(people.map(({ go }) => go('POST', '/workspaces', { name })))
  assert.deepEqual(answers.map(({ status }) => status).sort(), [201, 409, 409, 409])
})

test('a malformed Host header returns 403, not 500', async () => {
  const response = await server.sendBytes(
    'POST /app/session HTTP/1.1\r\nHost: a b[\r\nOrigin: http://a\r\nContent-Length: 0\r\nConnection: close\r\n\r\n',
  )
  assert.match(response, /^HTTP\/1\.1 403 /)
})

test('responses to the dashboard cannot be cached or framed', async () => {
  const { go } = await newPerson(server)
  for (const answer of [await go('GET', '/session'), await browser(server).go('GET', '/session')]) {
    assert.equal(answer.headers.get('cache-control'), 'no-store')
    assert.equal(answer.headers.get('content-security-policy'), "default-src 'none'; frame-ancestors 'none'")
    assert.equal(answer.headers.get('x-content-type-options'), 'nosniff')
  }
})
