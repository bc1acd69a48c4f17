import assert from 'node:assert/strict'
import { test } from 'node:test'
import { create } from '../support/contacts.ts'
import { serve, type Tenant } from '../support/harness.ts'

const { workspace } = await serve()

/** The sorted last names of the contacts found, after checking the total. `query` is URL-encoded. */
async function found({ call }: Tenant, query: string): Promise<string[]> {
  const { status, body } = await call('GET', `/contacts?${query}`)
  assert.equal(status, 200, query)
  assert.equal(body.pagination.total, body.data.length, query)
  return body.data.map((contact: { last_name: string }) => contact.last_name).sort()
}

const search = (tenant: Tenant, text: string) => found(tenant, `search=${encodeURIComponent(text)}`)

async function assertFinds(tenant: Tenant, expected: Record<string, string[]>) {
  const actual: Record<string, string[]> = {}
  for (const text of Object.keys(expected)) actual[text] = await search(tenant, text)
  assert.deepEqual(actual, expected)
}

test('search matches parts of number, names, "first last", display name, email and company, and nothing else', async () => {
  const tenant = await workspace()
  const fields = { phone_number: '+14155550123', first_name: 'Ada', last_name: 'Lovelace', display_name: 'Countess' }
  await create(tenant, { ...fields, email: 'al@engines.example', company: 'Babbage', notes: 'poet', tags: ['maths'] })
  await create(tenant, { first_name: 'Grace', last_name: 'Hopper' })
  const one = ['Lovelace']
  await assertFinds(tenant, {
    '55501': one,
    '+1415555012': one,
    ada: one,
    vela: one,
    'Ada Lovelace': one,
    'a L': one,
    ountes: one,
    'al@engines': one,
    '.example': one,
    e: ['Hopper', 'Lovelace'],
    abbag: one,
    'babbage ada 0123': one,
    poet: [],
    maths: [],
    api: [],
  })
})

test('every word of a search must be found, in any order and in any field', async () => {
  const tenant = await workspace()
  await create(tenant, {
    phone_number: '+14155550111',
    first_name: 'Ana',
    last_name: 'Abbott',
    email: 'first@example.com',
  })
  const fields = { phone_number: '+14155550113', display_name: 'Boss  2', email: 'b52@example.com' }
  await create(tenant, { ...fields, first_name: 'Ana', last_name: 'Costello' })
  await create(tenant, { phone_number: '+4930123456', last_name: 'Zoë', display_name: 'La Ñ' })
  const [abbott, costello, zoe] = [['Abbott'], ['Costello'], ['Zoë']]
  await assertFinds(tenant, {
    'abbott ana': abbott,
    'ABB  an': abbott,
    'ana ana': ['Abbott', 'Costello'],
    'ana example.com': ['Abbott', 'Costello'],
    'ana costello b5': costello,
    'os 5': costello,
    '2 na': costello,
    'a 2 boss': costello,
    'Boss  2': costello,
    'abbott costello': [],
    'ana abbott q': [],
    abbottana: [],
    'zoe ñ 123': zoe,
    'ZOE \u0301': zoe,
    'a%t ana': [],
    'ana _': [],
  })
})

test('digits with spaces, dots, dashes, brackets and + are compared with the digits of the number', async () => {
  const tenant = await workspace()
  await create(tenant, {
    phone_number: '+14155551003',
    last_name: 'Abbott',
    display_name: 'Room 7-2',
    email: 'a@b.example',
  })
  await create(tenant, { phone_number: '+4930123456', last_name: 'Costello', email: '415555@b.example' })
  const [abbott, costello] = [['Abbott'], ['Costello']]
  await assertFinds(tenant, {
    '(415) 555-1003': abbott,
    '415 555': abbott,
    '415.555.1003': abbott,
    '[415] 555 – 1003': abbott,
    '+1 (415) 555-1003': abbott,
    '(+1) 415': abbott,
    '４１５ ５５５': abbott,
    '5 5 5': abbott,
    '5-': ['Abbott', 'Costello'],
    '- 10 -': abbott,
    '415 555 1004': [],
    '+415 555': [],
    '+49 30': costello,
    '415555': ['Abbott', 'Costello'],
    'abbott 415 555': abbott,
    '(415) abbott 10-03 room': abbott,
    'costello 415 555': [],
    '7-2': abbott,
    '( 7-2 )': [],
    'abbott 7-2': abbott,
    '1-4 a 5-5 b 0-3': abbott,
    '1-4 a 5-5 b 0-3 a 7-2 a 1-4': abbott,
    '1-4 a 5-5 b 0-3 a 4-1': [],
    '--': [],
    '-': abbott,
    '. -': abbott,
    '( )': [],
  })
})

test('a search has up to ten words: in a longer one, what follows the ninth is found as it was typed', async () => {
  const tenant = await workspace()
  const phone_number = '+14155551003'
  await create(tenant, { phone_number, first_name: 'a b c d e f g h i j k', last_name: 'One', display_name: 'x y z' })
  const one = ['One']
  await assertFinds(tenant, {
    'j i h g f e d c b a': one,
    'i h g f e d c b a 415 555': one,
    'i h g f e d c b a x y': one,
    'i h g f e d c b a y x': [],
    'a b c d e f g h i j k': one,
    'i h g f e d c b a j k one': one,
    [Array.from({ length: 100 }, () => 'a').join(' ')]: [],
  })
})

test('a word does not match across fields', async () => {
  const tenant = await workspace()
  const fields = { phone_number: '+14155550123', first_name: 'Ada', last_name: 'Lovelace', display_name: 'Countess' }
  await create(tenant, { ...fields, email: 'al@engines.example' })
  await create(tenant, { last_name: 'Solo', display_name: 'Alone' })
  const texts = ['0123Ada', 'LovelaceCountess', 'Countessal@', 'SoloAlone']
  await assertFinds(tenant, Object.fromEntries(texts.map((text) => [text, []])))
  const { status } = await tenant.call('GET', '/contacts?search=Lovelace%0ACountess')
  assert.equal(status, 400, 'a search must not contain line breaks')
})

test('search ignores case and accents', async () => {
  const tenant = await workspace()
  for (const last_name of [
    'Müller',
    'MULLER',
    'muller',
    'Straße',
    'Łódź',
    'Ångström',
    'Ειρήνη',
    'Ðorđe',
    'Николай',
    '山田',
  ]) {
    await create(tenant, { last_name })
  }
  await create(tenant, { last_name: 'Zoe\u0308' })
  const mullers = ['MULLER', 'Müller', 'muller'].sort()
  await assertFinds(tenant, {
    müller: mullers,
    Muller: mullers,
    'MU\u0308LL': mullers,
    STRASSE: ['Straße'],
    strasse: ['Straße'],
    lodz: ['Łódź'],
    angstrom: ['Ångström'],
    ΕΙΡΗΝΗ: ['Ειρήνη'],
    dorde: ['Ðorđe'],
    НИКОЛАЙ: ['Николай'],
    山: ['山田'],
    zoë: ['Zoe\u0308'],
    zoe: ['Zoe\u0308'],
  })
})

test('%, _, \\, quotes and other punctuation are plain characters', async () => {
  const tenant = await workspace()
  const characters = [
    '%',
    '_',
    '\\',
    "'",
    '"',
    '*',
    '?',
    '[',
    ']',
    '^',
    '$',
    '.',
    '(',
    ')',
    '|',
    '+',
    '&',
    ';',
    '--',
    '🙂',
    '👩‍👩‍👧',
  ]
  for (const character of characters) await create(tenant, { last_name: `a${character}b` })
  await create(tenant, { last_name: 'axb' })
  await assertFinds(tenant, Object.fromEntries(characters.map((character) => [`a${character}b`, [`a${character}b`]])))
  await assertFinds(tenant, {
    '%': ['a%b'],
    _: ['a_b'],
    '\\': ['a\\b'],
    '\\\\': [],
    '%%': [],
    'a%': ['a%b'],
    "a'b": ["a'b"],
    "' or '1'='1": [],
    '🙂': ['a🙂b'],
    x: ['axb'],
  })
})

test('characters that nobody sees, copied with a number or a name, are ignored', async () => {
  const tenant = await workspace()
  const { id, phone_number } = await create(tenant, { first_name: 'Ada' })
  for (const search of [`\u202a${phone_number}\u202c`, 'A\u200bda\u200f', '\u2068ada\u2069']) {
    const found = await tenant.call('GET', `/contacts?search=${encodeURIComponent(search)}`)
    assert.deepEqual(
      found.body.data.map((contact: { id: string }) => contact.id),
      [id],
      JSON.stringify(search),
    )
  }
})

test('a phone number is found with + or %2B', async () => {
  const tenant = await workspace()
  await create(tenant, { phone_number: '+14155550123', last_name: 'Lovelace' })
  for (const text of ['+14155550123', '%2B14155550123', '14155550123', '%2B1415', '+1415', '0123', '0123%20']) {
    assert.deepEqual(await found(tenant, `search=${text}`), ['Lovelace'], text)
  }
  assert.deepEqual(await found(tenant, 'search=%2B4155'), [])
})

test('search matches the text after an update, and only in the workspace', async () => {
  const tenant = await workspace()
  const { id } = await create(tenant, { last_name: 'Byron', first_name: 'Ada' })
  await tenant.call('PATCH', `/contacts/${id}`, { last_name: 'King', company: 'Engines' })
  await assertFinds(tenant, { Byron: [], 'ada king': ['King'], engin: ['King'] })
  await tenant.call('PATCH', `/contacts/${id}`, { company: 'Looms' })
  await assertFinds(tenant, { engin: [], 'looms ada': ['King'] })
  await assertFinds(await workspace(), { King: [] })
})

test('a search has 1 to 200 characters', async () => {
  const tenant = await workspace()
  await create(tenant, { last_name: 'x'.repeat(100), display_name: `${'🙂'.repeat(199)}y` })
  assert.equal((await search(tenant, 'x')).length, 1)
  assert.equal((await search(tenant, `${'🙂'.repeat(199)}y`)).length, 1)
  assert.equal((await search(tenant, `  ${'z'.repeat(200)}  `)).length, 0)
  for (const text of ['', '   ', 'x'.repeat(201), '🙂'.repeat(201), 'a\0b', 'a\tb']) {
    const { status, body } = await tenant.call('GET', `/contacts?search=${encodeURIComponent(text)}`)
    assert.deepEqual([status, body.error?.details.fields[0].path], [400, 'search'], text)
  }
})

test('a search of only accents or with broken encoding is not a server error', async () => {
  const tenant = await workspace()
  await create(tenant, { last_name: 'Lovelace' })
  for (const text of ['%CC%81', '%ED%A0%80', '%ff', '%zz', '%', '%E2%82', '%F0%9F%99%82']) {
    const { status } = await tenant.call('GET', `/contacts?search=${text}`)
    assert.ok(status === 200 || status === 400, `${text}: ${status}`)
  }
})
