import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from '../../server/kit/postgres/sql.ts'
import * as password_links from '../../server/people/password-links.ts'
import * as sessions from '../../server/people/sessions.ts'
import * as people from '../../server/people/store.ts'
import { codeOf, findStep, stepAt } from '../../server/people/totp.ts'
import * as two_factor from '../../server/people/two-factor.ts'
import { openServer, type Server, serve, testPool } from '../support/harness.ts'
import { holdTransaction } from '../support/held-transaction.ts'
import { browser, inWorkspace, newPerson, newSessionToken, password } from '../support/sessions.ts'
import { codeFor, turnOnTwoFactor } from '../support/two-factor.ts'

const server = await serve({ trust_proxy: ['127.0.0.1'] })
const { workspace, pool } = server

let networks = 0
/** The header of another network for each call, so that only the limit on codes is reached. */
const otherNetwork = () => {
  networks += 1
  return { 'x-forwarded-for': `203.0.113.${networks}` }
}

const signIn = (email: string, code?: string, entered = password) => {
  const visitor = browser(server)
  return visitor
    .go('POST', '/session', { email, password: entered, ...(code !== undefined && { code }) }, otherNetwork())
    .then((answer) => ({ ...visitor, answer }))
}
const statusOf = async (email: string, code?: string) => (await signIn(email, code)).answer.status
const reasonOf = async (email: string, code?: string) => (await signIn(email, code)).answer.body.error.details.reason

async function newPersonWithTwoFactor() {
  const person = await newPerson(server)
  return { ...person, ...(await turnOnTwoFactor(person)) }
}

test('codes are those of RFC 6238', () => {
  // The secret of its appendix B is "12345678901234567890"; its codes have eight digits, of which apps show the last six.
  const secret = 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ'
  const codes: [number, string][] = [
    [59, '287082'],
    [1_111_111_109, '081804'],
    [1_111_111_111, '050471'],
    [1_234_567_890, '005924'],
    [2_000_000_000, '279037'],
    [20_000_000_000, '353130'],
  ]
  for (const [seconds, code] of codes) assert.equal(codeOf(secret, stepAt(seconds * 1000)), code)
})

test('a code works one step before and after its own, and not after a later one was used', () => {
  const secret = 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ'
  const start = 1_800_000_000_000
  const step = stepAt(start)
  const code = codeOf(secret, step)
  const found = (now: number, last_step = 0) => findStep(secret, { code, now, last_step })
  assert.deepEqual(
    [-30_001, -30_000, 0, 59_999, 60_000].map((off_ms) => found(start + off_ms)),
    [undefined, step, step, step, undefined],
  )
  assert.deepEqual([found(start, step - 1), found(start, step), found(start, step + 1)], [step, undefined, undefined])
})

test('it is set up with a code of the app, and then a sign-in needs a code', async () => {
  const person = await newPerson(server)
  assert.deepEqual((await person.go('GET', '/two_factor')).body.data, { is_on: false, recovery_codes_left: 0 })
  const { secret, url } = (await person.go('POST', '/two_factor')).body.data
  assert.match(secret, /^[A-Z2-7]{32}$/)
  const other = await signIn(person.email)
  assert.equal((await other.go('GET', '/sessions')).status, 200)
  assert.equal(url, `otpauth://totp/Parley:${encodeURIComponent(person.email)}?secret=${secret}&issuer=Parley`)
  assert.equal(await statusOf(person.email), 200, 'not before the first code')
  const stolen = await person.go('POST', '/two_factor/turn_on', { password: 'wrong horse', code: codeFor(secret) })
  assert.deepEqual([stolen.status, stolen.body.error.details.fields[0].path], [400, 'password'])
  const wrong = await person.go('POST', '/two_factor/turn_on', { password, code: codeFor(secret, 5) })
  assert.deepEqual([wrong.status, wrong.body.error.details.fields[0].path], [400, 'code'])
  const turned_on = await person.go('POST', '/two_factor/turn_on', {
    password,
    code: codeFor(secret, -1).replace(/^.../, '$& '),
  })
  const { recovery_codes } = turned_on.body.data
  assert.equal(new Set(recovery_codes).size, 10)
  for (const code of recovery_codes) assert.match(code, /^([A-Z2-7]{4}-){3}[A-Z2-7]{4}$/)
  assert.deepEqual((await person.go('GET', '/two_factor')).body.data, { is_on: true, recovery_codes_left: 10 })
  assert.equal((await person.go('GET', '/session')).body.data.has_two_factor, true, 'the session stays')
  assert.equal((await other.go('GET', '/sessions')).status, 401, 'a session without a code ends')

  const first = await signIn(person.email)
  assert.deepEqual([first.answer.status, first.answer.body.error.details.reason], [401, 'code_required'])
  assert.equal(first.cookie(), '')
  const second = await signIn(person.email, codeFor(secret))
  assert.equal(second.answer.status, 200, second.answer.text)
  assert.equal((await second.go('GET', '/sessions')).status, 200)
  assert.equal((await person.go('POST', '/two_factor')).status, 409, 'the secret is not replaced')
  assert.equal((await person.go('POST', '/two_factor/turn_on', { password, code: codeFor(secret, 1) })).status, 409)
})

test('a wrong password says nothing about two-factor sign-in', async () => {
  const { email, secret } = await newPersonWithTwoFactor()
  const plain = await newPerson(server)
  const wrong = await Promise.all([
    signIn(email, undefined, 'wrong horse'),
    signIn(email, codeFor(secret), 'wrong horse'),
    signIn(plain.email, undefined, 'wrong horse'),
    signIn(`x${email}`, '123456'),
  ])
  const errors = wrong.map(({ answer }) => {
    const { request_id: _, ...details } = answer.body.error.details
    return [answer.status, answer.body.error.message, details]
  })
  for (const error of errors) assert.deepEqual(error, errors[0])
  assert.equal(await statusOf(email, codeFor(secret)), 200, 'the code was not used up')
})

test('a code works once, also at the same moment', async () => {
  const { email, secret } = await newPersonWithTwoFactor()
  const code = codeFor(secret)
  const answers = await Promise.all(Array.from({ length: 4 }, () => statusOf(email, code)))
  assert.deepEqual(answers.sort(), [200, 401, 401, 401])
  assert.equal(await reasonOf(email, code), 'wrong_code')
})

test('the code that turned it on does not sign in', async () => {
  const person = await newPerson(server)
  const { secret } = (await person.go('POST', '/two_factor')).body.data
  const code = codeFor(secret)
  assert.equal((await person.go('POST', '/two_factor/turn_on', { password, code })).status, 200)
  assert.equal(await statusOf(person.email, code), 401)
})

test('of concurrent requests to turn it on, one gets recovery codes', async () => {
  const person = await newPerson(server)
  const { secret } = (await person.go('POST', '/two_factor')).body.data
  const answers = await Promise.all(
    Array.from({ length: 3 }, () => person.go('POST', '/two_factor/turn_on', { password, code: codeFor(secret) })),
  )
  assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 409, 409])
})

test('a recovery code works once, also at the same moment', async () => {
  const { email, go, recovery_codes } = await newPersonWithTwoFactor()
  const [first = '', second = ''] = recovery_codes
  assert.equal(await statusOf(email, first.toLowerCase().replaceAll('-', ' ')), 200, 'as someone may type it')
  assert.equal(await reasonOf(email, first), 'wrong_code')
  const answers = await Promise.all(Array.from({ length: 3 }, () => statusOf(email, second)))
  assert.deepEqual(answers.sort(), [200, 401, 401])
  assert.deepEqual((await go('GET', '/two_factor')).body.data, { is_on: true, recovery_codes_left: 8 })
  const other = await newPersonWithTwoFactor()
  assert.equal(await statusOf(other.email, recovery_codes[2]), 401, 'of someone else')
})

test('after five wrong codes there is no sixth within a minute, even with the right one and from another network', async () => {
  const { email, secret, recovery_codes } = await newPersonWithTwoFactor()
  const statuses = []
  for (let count = 0; count < 5; count += 1) statuses.push(await statusOf(email, '000000'))
  assert.deepEqual(statuses, [401, 401, 401, 401, 401])
  const { answer } = await signIn(email, codeFor(secret))
  assert.deepEqual([answer.status, answer.body.error.code], [429, 'RATE_LIMITED'])
  const wait_s = Number(answer.headers.get('retry-after'))
  assert.ok(wait_s > 0 && wait_s <= 60, String(wait_s))
  assert.equal(await statusOf(email, recovery_codes[0]), 429)
  assert.equal(await reasonOf(email), 'code_required', 'the password alone is still checked')
})

test('the limit on codes holds for any minute', async () => {
  const { id } = await newPersonWithTwoFactor()
  const start = 1_800_000_000_000
  const tries = async (now: number) => {
    const counted = await Promise.allSettled(
      Array.from({ length: 10 }, () => two_factor.countCode({ db: pool, now }, id)),
    )
    for (const one of counted) if (one.status === 'rejected') assert.equal(one.reason.code, 'RATE_LIMITED')
    return counted.filter(({ status }) => status === 'fulfilled').length
  }
  await two_factor.countCode({ db: pool, now: start - 30_000 }, id)
  assert.equal(await tries(start), 4)
  assert.equal(await tries(start + 29_999), 0)
  assert.equal(await tries(start + 30_000), 1)
  assert.equal(await tries(start + 60_000), 4)
  assert.equal(await tries(start + 40_000), 0, 'on a process whose clock is late')
  assert.equal(await tries(start - 86_400_000), 5, 'a clock that was set back')
})

test('processes share the limit on codes', async () => {
  const { email, recovery_codes } = await newPersonWithTwoFactor()
  const other = await openServer(testPool())
  // A recovery code, because each test server seals secrets with a key of its own.
  const wrong_code = 'AAAA-AAAA-AAAA-AAAA'
  const enter = (where: Server, code: string) =>
    browser(where)
      .go('POST', '/session', { email, password, code }, otherNetwork())
      .then(({ status }) => status)
  const wrong = await Promise.all([server, other, server, other, server, other].map((each) => enter(each, wrong_code)))
  assert.deepEqual(wrong.sort(), [401, 401, 401, 401, 401, 429])
  assert.equal(await enter(other, recovery_codes[0] ?? ''), 429)
  await other.close()
})

test('codes count as attempts on the account, which the password alone does not forget', async () => {
  const { email, secret } = await newPersonWithTwoFactor()
  const here = otherNetwork()
  const attempt = (body: object) =>
    browser(server)
      .go('POST', '/session', { email, ...body }, here)
      .then(({ status }) => status)
  for (let count = 0; count < 9; count += 1) assert.equal(await attempt({ password: 'wrong horse' }), 401)
  assert.equal(await attempt({ password }), 401)
  assert.equal(await attempt({ password, code: codeFor(secret) }), 429)
})

test('only sealed secrets and hashes of recovery codes are stored', async () => {
  const { id, secret, recovery_codes } = await newPersonWithTwoFactor()
  const stored = await pool.many<{ row: string }>(
    sql`select two_factor_secrets::text as row from two_factor_secrets where person_id = ${id}
      union all select recovery_codes::text from recovery_codes where person_id = ${id}`,
  )
  assert.equal(stored.length, 11)
  const text = JSON.stringify(stored)
  for (const shown of [secret, ...recovery_codes, ...recovery_codes.map((code) => code.replaceAll('-', ''))])
    assert.ok(!text.includes(shown) && !text.includes(Buffer.from(shown).toString('hex')), shown)
})

test('turning it off needs the password and a code', async () => {
  const { email, secret, go, recovery_codes } = await newPersonWithTwoFactor()
  const turnOff = async (body: object) => {
    const answer = await go('POST', '/two_factor/turn_off', body, otherNetwork())
    return [answer.status, answer.body.error?.details.fields?.[0].path]
  }
  assert.deepEqual(await turnOff({ password }), [400, 'code'])
  assert.deepEqual(await turnOff({ password: 'wrong horse', code: codeFor(secret) }), [400, 'password'])
  assert.deepEqual(await turnOff({ password, code: codeFor(secret, 7) }), [400, 'code'])
  assert.deepEqual(await turnOff({ password, code: recovery_codes[0] }), [200, undefined])
  assert.deepEqual(await turnOff({ password, code: recovery_codes[1] }), [409, undefined])
  assert.equal(await statusOf(email), 200)
})

test('a password link and a new password do not bypass it', async () => {
  const { id, email, secret, go } = await newPersonWithTwoFactor()
  const { link } = await password_links.create({ db: pool, now: Date.now() }, { person_id: id, link_start: '' })
  const new_password = 'another horse battery'
  assert.equal((await browser(server).go('POST', `/password_links/${link}`, { new_password })).status, 200)
  assert.equal((await go('GET', '/sessions')).status, 401)
  const without = await signIn(email, undefined, new_password)
  assert.equal(without.answer.body.error.details.reason, 'code_required')
  assert.equal((await signIn(email, codeFor(secret), new_password)).answer.status, 200)
})

test('a session without a code does not change the password', async () => {
  const { id, email, secret } = await newPersonWithTwoFactor()
  const { go, cookie } = browser(server, await newSessionToken(server, id))
  const before = cookie()
  const change = { current_password: password, new_password: 'another horse battery' }
  const refused = await go('PUT', '/password', change, otherNetwork())
  assert.deepEqual([refused.status, refused.body.error?.details.reason], [403, 'two_factor_required'])
  assert.deepEqual([cookie(), (await go('GET', '/sessions')).status], [before, 200])
  const wrong = await go('PUT', '/password', { ...change, current_password: 'wrong horse' }, otherNetwork())
  assert.equal(wrong.status, 400)
  const signed_in = await signIn(email, codeFor(secret))
  assert.equal((await signed_in.go('PUT', '/password', change, otherNetwork())).status, 200)
})

test('a reset turns it off and ends all sessions', async () => {
  const { id, email, go } = await newPersonWithTwoFactor()
  assert.equal(await two_factor.reset(server.at(''), id), true)
  assert.equal((await go('GET', '/sessions')).status, 401)
  assert.equal(await statusOf(email), 200)
  assert.equal(await two_factor.reset(server.at(''), id), false)
})

test('a workspace that requires it is closed to sessions without it, not to keys and other workspaces', async () => {
  const tenant = await workspace()
  const other = await workspace()
  const owner = await newPerson(server, { [tenant.id]: 'owner', [other.id]: 'owner' })
  const viewer = await newPerson(server, { [tenant.id]: 'viewer' })
  const contacts = (who: typeof owner, where = tenant) =>
    who.go('GET', '/api/v1/contacts', undefined, inWorkspace(where))
  const isLocked = async (who: Pick<typeof owner, 'go'>) => {
    const { workspaces } = (await who.go('GET', '/session')).body.data
    return workspaces.find((one: { id: string }) => one.id === tenant.id).is_locked
  }
  const settings = { requires_two_factor: true }
  const requiring = await newPerson(server, { [tenant.id]: 'owner' })
  await turnOnTwoFactor(requiring)
  const changed = await requiring.go('PATCH', '/api/v1/workspace', { settings }, inWorkspace(tenant))
  assert.equal(changed.body.data.settings.requires_two_factor, true, changed.text)

  for (const who of [owner, viewer]) {
    const refused = await contacts(who)
    assert.deepEqual([refused.status, refused.body.error.code], [403, 'FORBIDDEN'])
    assert.equal(refused.body.error.details.reason, 'two_factor_required')
    assert.equal(await isLocked(who), true)
  }
  assert.equal((await owner.go('GET', '/members', undefined, inWorkspace(tenant))).status, 403)
  assert.equal((await owner.go('PATCH', '/api/v1/workspace', { settings }, inWorkspace(tenant))).status, 403)
  assert.equal((await contacts(owner, other)).status, 200)
  assert.equal((await tenant.call('GET', '/contacts')).status, 200, 'keys are not affected')

  const own_header = inWorkspace(tenant)
  assert.equal((await owner.go('POST', '/two_factor', undefined, own_header)).status, 201, 'it can be set up')
  const { secret } = await turnOnTwoFactor(owner)
  assert.equal((await contacts(owner)).status, 200)
  assert.equal(await isLocked(owner), false)
  const elsewhere = browser(server, await newSessionToken(server, owner.id))
  assert.deepEqual(
    [(await contacts({ ...owner, ...elsewhere })).status, await isLocked(elsewhere)],
    [403, true],
    'a session without a code',
  )
  const signed_in = await signIn(owner.email, codeFor(secret))
  assert.equal(await isLocked(signed_in), false)
  const new_password = 'another horse battery'
  await signed_in.go('PUT', '/password', { current_password: password, new_password })
  assert.equal(await isLocked(signed_in), false, 'the new session has both factors too')
  const members = (await signed_in.go('GET', '/members', undefined, inWorkspace(tenant))).body.data
  assert.deepEqual(
    members.map((one: { person_id: string; has_two_factor: boolean }) => [one.person_id, one.has_two_factor]).sort(),
    [
      [owner.id, true],
      [requiring.id, true],
      [viewer.id, false],
    ].sort(),
  )
})

test('an owner who has none is asked to set it up before the workspace requires it', async () => {
  const tenant = await workspace()
  const owner = await newPerson(server, { [tenant.id]: 'owner' })
  const change = (body: object) => owner.go('PATCH', '/api/v1/workspace', body, inWorkspace(tenant))
  const settings = { requires_two_factor: true }
  assert.equal((await owner.go('POST', '/two_factor')).status, 201)
  // One who has begun has none yet.
  const refused = await change({ name: 'Other name', settings })
  assert.deepEqual([refused.status, refused.body.error.code], [409, 'INVALID_STATE'], refused.text)
  assert.match(refused.body.error.message, /^Set up two-factor sign-in for yourself first/)
  assert.equal(refused.body.error.details.reason, 'two_factor_not_set_up')
  const { name, settings: kept } = (await owner.go('GET', '/api/v1/workspace', undefined, inWorkspace(tenant))).body
    .data
  assert.deepEqual([name === 'Other name', kept.requires_two_factor], [false, false])
  assert.equal((await change({ settings: { requires_two_factor: false } })).status, 200)
  await turnOnTwoFactor(owner)
  assert.equal((await change({ settings })).status, 200)
  assert.equal((await change({ settings })).status, 200, 'once more')
})

test('a session with both factors does not open the workspace after it was turned off', async () => {
  const tenant = await workspace()
  const owner = await newPerson(server, { [tenant.id]: 'owner' })
  const { recovery_codes } = await turnOnTwoFactor(owner)
  const settings = { requires_two_factor: true }
  await owner.go('PATCH', '/api/v1/workspace', { settings }, inWorkspace(tenant))
  await owner.go('POST', '/two_factor/turn_off', { password, code: recovery_codes[0] }, otherNetwork())
  assert.equal((await owner.go('GET', '/api/v1/contacts', undefined, inWorkspace(tenant))).status, 403)
})

test('a key cannot change whether a workspace requires it', async () => {
  const { call } = await workspace()
  const { settings } = (await call('GET', '/workspace')).body.data
  assert.equal(settings.requires_two_factor, false)
  assert.equal((await call('PATCH', '/workspace', { settings })).status, 200, 'the body of a GET can be sent back')
  const refused = await call('PATCH', '/workspace', { settings: { requires_two_factor: true } })
  assert.deepEqual([refused.status, refused.body.error.code], [403, 'FORBIDDEN'])
})

/** Someone who is turning it on elsewhere. The transaction is committed by `end`. */
async function turningOn() {
  const person = await newPerson(server)
  assert.equal((await person.go('POST', '/two_factor')).status, 201)
  const held = await holdTransaction(pool, async (db) => {
    await people.lock({ db }, person.id)
    await db.run(sql`update two_factor_secrets set confirmed_at = now() where person_id = ${person.id}`)
  })
  return { person, held }
}

test('a sign-in without a code, during which it is turned on, is refused', async () => {
  const { person, held } = await turningOn()
  await using _ = held
  const requested = signIn(person.email)
  await held.waitUntilBlocking(requested)
  await held.end()
  const { answer, cookie } = await requested
  assert.deepEqual([answer.status, answer.body.error?.details.reason, cookie()], [401, 'code_required', ''])
})

test('a change of password, during which it is turned on elsewhere, is refused', async () => {
  const { person, held } = await turningOn()
  await using _ = held
  const requested = person.go('PUT', '/password', { current_password: password, new_password: `${password}!` })
  await held.waitUntilBlocking(requested)
  await held.end()
  const { status, body } = await requested
  assert.deepEqual([status, body.error?.details.reason], [403, 'two_factor_required'])
  assert.equal((await person.go('GET', '/sessions')).status, 200)
})

test('turning it on waits for sign-ins that are under way, and ends their sessions', async () => {
  const person = await newPerson(server)
  const { secret } = (await person.go('POST', '/two_factor')).body.data
  await using held = await holdTransaction(pool, (db) =>
    db.run(sql`select from people where id = ${person.id} for share`),
  )
  const requested = person.go('POST', '/two_factor/turn_on', { password, code: codeFor(secret) })
  await held.waitUntilBlocking(requested)
  const token = await newSessionToken(server, person.id)
  await held.end()
  assert.equal((await requested).status, 200)
  assert.equal((await browser(server, token).go('GET', '/sessions')).status, 401)
})

test('it is not turned on in a session that has ended meanwhile', async () => {
  const person = await newPerson(server)
  const { secret } = (await person.go('POST', '/two_factor')).body.data
  await using held = await holdTransaction(pool, async (db) => {
    await people.lock({ db }, person.id)
    await sessions.endAll({ db }, person.id)
  })
  const requested = person.go('POST', '/two_factor/turn_on', { password, code: codeFor(secret) })
  await held.waitUntilBlocking(requested)
  await held.end()
  assert.equal((await requested).status, 401)
  assert.equal((await two_factor.get({ db: pool }, person.id)).is_on, false)
})
