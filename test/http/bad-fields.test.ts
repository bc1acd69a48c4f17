import assert from 'node:assert/strict'
import { test } from 'node:test'
import { create, get, unset } from '../support/contacts.ts'
import { answerFaults } from '../support/contract.ts'
import { type Answer, serve } from '../support/harness.ts'
import { createRejectionCheck, statusAndFault } from '../support/rejections.ts'
import { newContact } from '../support/samples.ts'

const server = await serve()
const { workspace } = server
const refuses = createRejectionCheck(server)

test('NUL, control characters and lone surrogates are rejected in every text', async () => {
  const controls = [0x00, 0x01, 0x08, 0x0b, 0x0c, 0x0e, 0x1f, 0x7f, 0x80, 0x9f]
  const refused = ['\ud800', '\udc00', ...controls.map((code) => String.fromCharCode(code))]
  for (const name of ['phone_number', ...Object.keys(unset)]) {
    const more = name === 'notes' ? [] : ['\t', '\n', '\r', '\r\n']
    const bodies = [...refused, ...more].map((sign) => ({ ...newContact(), [name]: `a${sign}b` }))
    await refuses(bodies, statusAndFault, [400, name, 'invalid_characters'])
  }
  const tags = [...refused, '\t', '\n'].map((sign) => ({ ...newContact(), tags: ['fine', `a${sign}b`] }))
  await refuses(tags, statusAndFault, [400, 'tags.1', 'invalid_characters'])
})

test('notes may contain tabs and line breaks, and every text any other character', async () => {
  const tenant = await workspace()
  const { notes } = await create(tenant, { notes: ' a\tb\nc\r\nd ' })
  assert.equal(notes, 'a\tb\nc\r\nd')
  const odd = '\u2028 👩‍👩‍👧 e\u0301 \u202e עברית \ufffd \u{10ffff} <b>&amp;"\'\\/'.trim()
  const said = { first_name: odd, last_name: odd, display_name: odd, company: odd, notes: odd, tags: [odd] }
  const { id } = await create(tenant, said)
  assert.partialDeepStrictEqual(await get(tenant, id), said)
})

test('a value of the wrong type is rejected, never converted', async () => {
  for (const name of ['phone_number', ...Object.keys(unset)]) {
    const bodies = [5, 0, true, false, [], ['x'], {}, { a: 'x' }].map((value) => ({ ...newContact(), [name]: value }))
    await refuses(bodies, statusAndFault, [400, name, 'type'])
  }
  const values = ['vip', 5, true, {}, { 0: 'vip', length: 1 }]
  await refuses(
    values.map((tags) => ({ ...newContact(), tags })),
    statusAndFault,
    [400, 'tags', 'type'],
  )
  const items = [5, null, true, ['vip'], {}]
  await refuses(
    items.map((item) => ({ ...newContact(), tags: ['fine', item] })),
    statusAndFault,
    [400, 'tags.1', 'type'],
  )
})

test('a text is measured in characters after trimming', async () => {
  const tenant = await workspace()
  const limits = { first_name: 100, last_name: 100, display_name: 200, company: 200, notes: 2_000 }
  for (const [name, limit] of Object.entries(limits)) {
    for (const character of ['x', '🙂', 'é', '\u0301']) {
      const longest = character.repeat(limit)
      const { id } = await create(tenant, { [name]: `  ${longest}\t\n` })
      assert.equal((await get(tenant, id))[name], longest)
      const bodies = [`${longest}x`, `${longest}🙂`, ` x${longest} `].map((text) => ({ ...newContact(), [name]: text }))
      await refuses(bodies, statusAndFault, [400, name, 'too_long'])
    }
  }
})

test('a time zone is a name of the IANA database, in its exact spelling', async () => {
  const tenant = await workspace()
  for (const time_zone of ['UTC', 'America/New_York', 'US/Eastern', 'Asia/Kolkata', 'Europe/Kyiv', 'Etc/GMT+5']) {
    assert.equal((await create(tenant, { time_zone: ` ${time_zone} ` })).time_zone, time_zone)
  }
  const unknown = ['Mars/Olympus', 'america/new_york', 'utc', '+01:00', '-0500', 'UTC+1', 'New York', 'x'.repeat(5_000)]
  await refuses(
    unknown.map((time_zone) => ({ ...newContact(), time_zone })),
    statusAndFault,
    [400, 'time_zone', 'format'],
  )
})

test('50 tags of 64 characters are accepted; more, longer or empty tags are rejected', async () => {
  const tenant = await workspace()
  const tags = Array.from({ length: 50 }, (_, index) => `${index}`.padEnd(64, 'x'))
  const emoji = '🙂'.repeat(64)
  assert.deepEqual((await create(tenant, { tags })).tags, tags)
  assert.deepEqual((await create(tenant, { tags: [` ${emoji} `] })).tags, [emoji])
  await refuses([{ ...newContact(), tags: [...tags, 'y'] }], statusAndFault, [400, 'tags', 'too_many'])
  await refuses([{ ...newContact(), tags: ['fine', `${emoji}x`] }], statusAndFault, [400, 'tags.1', 'too_long'])
  const empty = ['', '  '].map((tag) => ({ ...newContact(), tags: ['fine', tag] }))
  await refuses(empty, statusAndFault, [400, 'tags.1', 'too_short'])
})

test('an email address is checked by its shape and stored as given', async () => {
  const tenant = await workspace()
  const longest = `${'a'.repeat(64)}@${'b'.repeat(185)}.com`
  const good = [
    'a@b.co',
    'Ada.Lovelace+tag@Sub.Example.CO.UK',
    "o'brien@example.ie",
    'ünï@exämple.de',
    '_-@1.de',
    '.a..b.@example.jp',
    longest,
  ]
  for (const email of good) {
    const answer = await tenant.call('POST', '/contacts', newContact({ email: ` ${email} ` }))
    assert.equal(answer.body.data?.email, email)
    assert.deepEqual(answerFaults({ path: '/contacts', method: 'POST' }, answer), [], 'the document allows it too')
  }
  const shapes = ['ada', 'ada@', '@example.com', 'ada@@example.com', 'ada@example', 'ada@.com', 'ada@example..com', '@']
  const lists = ['ada@example.com.', 'ada@example.com, eve@example.com', 'Ada <ada@example.com>', 'a b@example.com']
  const signs = [
    'ada@exam ple.com',
    '<ada@example.com>',
    'ada@example.com,',
    'ada@example.com;',
    'ada@ex<b>.com',
    '"a"@b.co',
  ]
  const bodies = [...shapes, ...lists, ...signs].map((email) => ({ ...newContact(), email }))
  await refuses(bodies, statusAndFault, [400, 'email', 'format'])
  await refuses([{ ...newContact(), email: `${longest}m` }], statusAndFault, [400, 'email', 'too_long'])
})

test('a phone number must be E.164, and the error suggests it if the number can be read', async () => {
  const { call } = await workspace()
  for (const phone_number of ['+12', '+123456789012345', '+15551234567', ' +14155550100\n']) {
    const { status, body } = await call('POST', '/contacts', { phone_number })
    assert.deepEqual([status, body.data?.phone_number], [201, phone_number.trim()])
  }
  const suggested = ({ status, body }: Answer) => [status, body.error?.details.fields[0]?.suggestion]
  for (const [expected, texts] of [
    [
      '+14155550100',
      ['+1 (415) 555-0100', '+1-415-555-0100', '+1 415.555.0100', '0014155550100', '+1\u00a0415 555 0100'],
    ],
    ['+442079460018', ['+44 20 7946 0018', '+44 (0)20 7946 0018']],
    [undefined, ['x', '+', '+1', '++14155550100', '+0155550100', '4155550100', 'call me', '+1234567890123456']],
    [undefined, [`+1 (415) 555-0100${' '.repeat(100)}.`, `+1${'4'.repeat(5_000)}`]],
  ] as const) {
    const bodies = texts.map((phone_number) => ({ phone_number }))
    await refuses(bodies, suggested, [400, expected])
    await refuses(bodies, statusAndFault, [400, 'phone_number', 'format'])
  }
})

test('an unknown member is rejected by name, with a suggestion', async () => {
  for (const [name, meant] of [
    ['firstName', 'first_name'],
    ['phone-number', 'phone_number'],
    ['e_mail', 'email'],
    ['emal', 'email'],
    ['Tags', 'tags'],
    ['tag', 'tags'],
    ['first_nam', 'first_name'],
    ['phone', 'phone_number'],
    ['Mobile Number', 'phone_number'],
    ['email_address', 'email'],
    ['name', 'first_name, last_name or display_name'],
    ['mobile', 'phone_number'],
    ['cell', 'phone_number'],
    ['celli', undefined],
    ['at', undefined],
    ['toString', undefined],
    ['hasOwnProperty', undefined],
    ['constructor', undefined],
    ['', undefined],
    ['a\0b', undefined],
  ] as const) {
    const faultAndMessage = ({ status, body }: Answer) => {
      const [{ path, code, message }] = body.error.details.fields
      return [status, path, code, / Did you mean (.*)\?$/.exec(message)?.[1]]
    }
    await refuses([{ ...newContact(), [name]: { polluted: true } }], faultAndMessage, [400, name, 'unknown', meant])
  }
})

test('a long name is cut between two characters', async () => {
  const long = '\u{1f600}'.repeat(150)
  const isWhole = ({ status, body }: Answer) => {
    const [{ path, message }] = body.error.details.fields
    return [status, path.isWellFormed(), message.isWellFormed()]
  }
  const bodies = [long, `a${long}`].map((name) => ({ ...newContact(), [name]: 1 }))
  await refuses(bodies, isWhole, [400, true, true])
})

test('__proto__ is a member like any other', async () => {
  const { phone_number } = newContact()
  const body = `{"phone_number":"${phone_number}","__proto__":{"first_name":"Eve","polluted":true}}`
  await refuses([body], statusAndFault, [400, '__proto__', 'unknown'])
  await refuses([`{"__proto__":{"phone_number":"${phone_number}"}}`], statusAndFault, [400, '__proto__', 'unknown'])
  assert.equal('polluted' in {}, false)
})

test('all faults are reported together, at most 100', async () => {
  const wrong = { phone_number: 'x', first_name: 5, last_name: 'x'.repeat(101), email: 'x', tags: [1, ''], notes: '\0' }
  const paths = ['email', 'first_name', 'last_name', 'notes', 'phone_number', 'surname', 'tags.0', 'tags.1']
  const pathsOf = ({ body }: Answer) => body.error.details.fields.map(({ path }: { path: string }) => path).sort()
  await refuses([{ ...wrong, surname: 'x' }], pathsOf, paths)
  const members = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, index) => [`m${index}`, 1]))
  await refuses([members(99)], (answer) => pathsOf(answer).length >= 99, true)
  await refuses([{ ...wrong, ...members(150) }, members(50_000)], (answer) => pathsOf(answer).length, 100)
  const long = { [`x${'y'.repeat(100_000)}`]: 1 }
  await refuses([long], (answer) => answer.text.length < 1_000, true)
})
