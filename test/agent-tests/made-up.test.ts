import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openMadeUp, type PersonFields } from '../../server/agent-tests/made-up.ts'
import { personIn } from '../../server/agent-tests/person-in.ts'
import type { Contact } from '../../server/contacts/schema.ts'
import { languageOf } from '../../server/models/matching.ts'

const nobody: PersonFields = {
  first_name: null,
  last_name: null,
  display_name: null,
  email: null,
  company: null,
  phone_number: null,
  custom_fields: {},
}
const ada: PersonFields = {
  ...nobody,
  first_name: 'Ada',
  last_name: 'Lovelace',
  email: 'ada.l@engines.org',
  company: 'Analytical Engines Ltd',
  phone_number: '+14155550100',
}

const madeUpFor = (contact: PersonFields | undefined, others: object = {}, tag = 'en') =>
  openMadeUp({ contact, names: [], phone_numbers: [], addresses: [], ...others }, languageOf(tag))

test('a name is replaced in any case, with and without accents, in parts and joined', () => {
  const { text } = madeUpFor({ ...ada, first_name: 'Zoë', display_name: 'Dr. Zoë K. van Lovelace' })
  for (const name of [
    'Zoë',
    'zoe',
    'ZOE',
    'Lovelace',
    'LOVELACE',
    'zoe_lovelace',
    'ZoeLovelace',
    'lovelace, zoë',
    "Lovelace's",
  ])
    assert.doesNotMatch(text(`This is ${name}.`).normalize('NFD'), /zoe|lovelace/i, name)
  assert.equal(text('This is Zoë Lovelace, hello.'), 'This is Robin Winter, hello.')
  assert.equal(text('THIS IS ZOE'), 'THIS IS ROBIN')
  assert.equal(text('A canoe and a van'), 'A canoe and a van', 'short names are found as words only')
})

test('a given name that may be a particle is replaced, and titles and particles of last names stay', () => {
  const { text, contact } = madeUpFor({ ...nobody, display_name: 'Al Green' })
  assert.equal(text("I'm Al Green, or Al."), "I'm Robin Winter, or Robin.")
  assert.equal(contact?.display_name, 'Robin Winter')
  const other = madeUpFor({ ...nobody, last_name: 'von Berg', display_name: 'Dr. Berg' }, { names: ['Dr. Al Berg'] })
  assert.equal(other.text('The Dr. is von Berg.'), 'The Dr. is von Winter.')
})

test('a name that the person has itself is not made up', () => {
  const { text } = madeUpFor({ ...nobody, first_name: 'Robin', last_name: 'Winter' })
  assert.doesNotMatch(text('Robin Winter here, Robin.'), /robin|winter/i)
})

test('a number is replaced in every spelling, and keeps its form', () => {
  const { text } = madeUpFor(ada)
  for (const [written, made_up] of [
    ['+14155550100', '+12025550143'],
    ['+1 (415) 555-0100', '+1 (202) 555-0143'],
    ['415 555 0100', '202 555 0143'],
    ['4155550100', '2025550143'],
    ['001 415.555.0100', '001 202.555.0143'],
    ['555-0100', '555-0143'],
    ['four one five, five five five, oh one zero zero', 'two zero two, five five five, zero one four three'],
    ['four one five triple five zero one double zero', 'two zero two five five five zero one four three'],
    ['forty one fifty five fifty five oh one zero zero', 'two zero two five five five zero one four three'],
  ] as const) {
    const said = text(`Call me at ${written}, please.`)
    if (made_up.startsWith('two') && written.startsWith('f'))
      assert.doesNotMatch(said, /four one five|zero zero|double|fifty/, said)
    if (!written.startsWith('forty')) assert.equal(said, `Call me at ${made_up}, please.`)
  }
  assert.equal(text('On 2026-11-17 at 10:30, order 1042'), 'On 2026-11-17 at 10:30, order 1042')
})

test('each number of a line is replaced, however many there are and whatever is beside them', () => {
  const { text } = madeUpFor(
    { ...ada, custom_fields: { account: '884201', office: '+1 415 555 9999' } },
    { phone_numbers: ['+14155550177'] },
  )
  for (const [written, made_up] of [
    ['415-555-0100, 415-555-0100', '202-555-0143, 202-555-0143'],
    ['415 555 0100\n415 555 0100', '202 555 0143\n202 555 0143'],
    ['mobile 415-555-0100, 415-555-9999', 'mobile 202-555-0143, 202-555-0145'],
    ['+1 415 555 0177 / +14155550100', '+1 202 555 0144 / +12025550143'],
    ['2, 555 0100', '2, 555 0143'],
    ['555 0100, 2', '555 0143, 2'],
    ['2 5 5 5 0 1 0 0', '2 5 5 5 0 1 4 3'],
    ['one, five five five oh one zero zero', 'one, five five five zero one four three'],
    ['12, double five five oh one double zero', '12, five five five zero one four three'],
    ['884201, 415-555-0100', '123456, 202-555-0143'],
    ['415-555-0100, 884201', '202-555-0143, 123456'],
  ] as const)
    assert.equal(text(`It is ${written}.`), `It is ${made_up}.`)
})

test('a number is replaced with any separators, and in the digits of any script', () => {
  const { text } = madeUpFor(ada)
  for (const [written, made_up] of [
    ['415\u2013555\u20130100', '202\u2013555\u20130143'],
    ['415\u2011555\u20110100', '202\u2011555\u20110143'],
    ['415\u00b7555\u00b70100', '202\u00b7555\u00b70143'],
    ['415:555:0100', '202:555:0143'],
    ['415_555_0100', '202_555_0143'],
    ['(415) \u2014 555*0100', '(202) \u2014 555*0143'],
    ['\u202a+1 415\u200b555\u00a00100\u202c', '\u202a+1 202\u200b555\u00a00143\u202c'],
    ['\uff14\uff11\uff15 \uff15\uff15\uff15 \uff10\uff11\uff10\uff10', '202 555 0143'],
    ['\u0664\u0661\u0665 \u0665\u0665\u0665 \u0660\u0661\u0660\u0660', '202 555 0143'],
    ['\u{1d7d2}\u{1d7cf}\u{1d7d3} 555 0100', '202 555 0143'],
  ] as const)
    assert.equal(text(`It is ${written}.`), `It is ${made_up}.`)
  const { contact } = madeUpFor({ ...ada, custom_fields: { office: '415\u2013555\u20139999' } })
  assert.equal(contact?.custom_fields.office, '415\u2013000\u20130044')
})

test('a number of another country keeps its country code and length', () => {
  const { text } = madeUpFor({ ...nobody, phone_number: '+4915123456789' }, {}, 'de')
  assert.equal(text('0151 23456789'), '0151 00000043')
  assert.equal(text('+49 151 234 56 789'), '+49 151 000 00 043')
  assert.equal(text('null eins fünf eins zwei drei vier fünf sechs sieben acht neun').includes('zwei drei'), false)
})

test('emails are replaced, those of others too, and spoken ones', () => {
  const { text } = madeUpFor(ada)
  assert.equal(
    text('Write to ADA.L@engines.org or bob@home.org.'),
    'Write to robin@example.com or person2@example.com.',
  )
  assert.equal(text('it is ada dot l at engines dot org'), 'it is robin at example dot com')
})

test('company, addresses and custom fields are replaced, and what everybody says is not', () => {
  const { text, contact, json } = madeUpFor(
    {
      ...ada,
      custom_fields: {
        plan: 'Gold Plus',
        code: 'K-10423',
        seats: 12,
        account: 884_201,
        is_partner: true,
        news: 'yes',
        born: '1980-05-12',
      },
    },
    { addresses: ['12 Main Street, Springfield', '90210'] },
  )
  assert.equal(text('From Analytical Engines'), 'From Sample Company')
  assert.doesNotMatch(text('I live at 12 main street, in Springfield 90210.'), /main|springfield|90210/i)
  assert.equal(
    text('I have gold plus with K-10423 and 884201 for 12.'),
    'I have sample with A-12345 and 123456 for 12.',
  )
  assert.equal(text('yes'), 'yes')
  assert.deepEqual(contact?.custom_fields, {
    plan: 'sample',
    code: 'A-12345',
    seats: 56,
    account: 123_456,
    is_partner: true,
    news: 'yes',
    born: '1990-01-15',
  })
  assert.deepEqual(json({ 'ada.l@engines.org': [{ account: 884_201, is_new: true, by: 'Ada', none: null }] }), {
    'robin@example.com': [{ account: 123_456, is_new: true, by: 'Robin', none: null }],
  })
})

test('values of any length are replaced, and many that are alike take no time', () => {
  const note = `Prefers ${'the red chair by the window and '.repeat(9)}no tea. ${'x'.repeat(120)}`
  const { text, json } = madeUpFor({ ...ada, custom_fields: { note } })
  assert.doesNotMatch(text(`We know: ${note}`), /chair|window|tea|xxx/)
  assert.doesNotMatch(JSON.stringify(json({ note })), /chair|window|tea|xxx/)
  const alike = (length: number) =>
    Object.fromEntries(Array.from({ length }, (_, index) => [`f${index}`, `${'a '.repeat(240)}${index}`]))
  // With a pattern of all that is known, this took a minute.
  const known = madeUpFor({ ...ada, custom_fields: alike(50) }, { names: Object.values(alike(50)) })
  assert.equal(known.text('b a '.repeat(8_000)), 'b a '.repeat(8_000))
})

test('numbers that the contact says are found in any writing, and dates are none', () => {
  const person = personIn({
    contact: undefined as Contact | undefined,
    conversation: { counterpart: null, variables: {}, results: {} },
    lines: [
      'mobile +1 212 555 0188, office 212\u2013555\u20130199',
      '+49 (0)151\u2011482\u201106317\n+49 30 123 456',
      '\u0662\u0661\u0662 \u0665\u0665\u0665 \u0660\u0661\u0667\u0667 or 212_555_0166 or 212:555:0155',
      '(030)\u00b71234\u201356 78',
      'On 2027-03-01 at 10:30, on 05.06.2027 10:30, at 09:15:00',
    ],
    runs: [],
    language: languageOf('en'),
  })
  assert.deepEqual(person.phone_numbers, [
    '+1 212 555 0188',
    '212 555 0188',
    '212\u2013555\u20130199',
    '+49 (0)151\u2011482\u201106317',
    '+49 30 123 456',
    '212 555 0177',
    '212_555_0166',
    '212:555:0155',
    '030)\u00b71234\u201356 78',
  ])
})

test('who the contact is shows in what it says and what tools are told', () => {
  const person = personIn({
    contact: undefined as Contact | undefined,
    conversation: {
      counterpart: null,
      variables: { customer_name: 'Charles Babbage' },
      results: { phone: '+14155550111' },
    },
    lines: ['Hello, my name is Grace Hopper', 'You reach me at (212) 555-0188', 'The 2026-11-17 is fine'],
    runs: [
      {
        arguments: { firstName: 'Grace', address: { street: 'Navy Road 1' } },
        result: { service: { name: 'Haircut' }, lastName: 'Hopper' },
      },
    ],
    language: languageOf('en'),
  })
  assert.deepEqual(person.names, ['Grace Hopper', 'Charles Babbage', 'Grace', 'Hopper'])
  assert.deepEqual(person.phone_numbers, ['212) 555-0188', '+14155550111'])
  assert.deepEqual(person.addresses, ['Navy Road 1'])
})
