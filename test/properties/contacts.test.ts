import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { serve, type Tenant } from '../support/harness.ts'
import { runs } from '../support/property-runs.ts'

const { workspace } = await serve()

interface Contact {
  id: string
  phone_number: string
  first_name: string | null
  last_name: string | null
  email: string | null
  company: string | null
  tags: string[]
  crm_ids: Record<string, string>
  updated_at: string
}

/** The expected state of the service, oldest contact first. */
interface Model {
  contacts: Contact[]
  answers: Map<string, { body: string; text: string; status: number }>
}

type Command = (tenant: Tenant, model: Model) => Promise<void>

const numbers = ['+14155550100', '+14155550101', '+14155550102', '+4930123456']
const names = ['Ada', 'Élodie', 'Zoë 100%', 'a_b', "O'Brien", 'Ada Lovelace', null, '']
const tags = ['vip', 'VIP', 'new', 'Straße', ' new ']

const profile = fc.record(
  {
    first_name: fc.constantFrom(...names),
    last_name: fc.constantFrom(...names),
    email: fc.constantFrom('ada@example.com', 'X@Y.zz', null, ''),
    company: fc.constantFrom('Babbage & Söhne', 'Studio 54', '4-1 Ltd', null, ''),
    tags: fc.oneof(fc.constant(null), fc.array(fc.constantFrom(...tags), { maxLength: 4 })),
  },
  { requiredKeys: [] },
)
const number = fc.constantFrom(...numbers)
const position = fc.nat({ max: 5 })

function applyFields(contact: Contact, fields: Record<string, unknown>): Contact {
  const after = { ...contact }
  for (const name of ['phone_number', 'first_name', 'last_name', 'email', 'company'] as const) {
    if (name in fields) Object.assign(after, { [name]: (fields[name] as string | null)?.trim() || null })
  }
  if ('tags' in fields) {
    const trimmed = ((fields.tags ?? []) as string[]).map((tag) => tag.trim())
    after.tags = trimmed.filter(
      (tag, index) => trimmed.findIndex((t) => t.toLowerCase() === tag.toLowerCase()) === index,
    )
  }
  return after
}

const comparable = ({
  id,
  phone_number,
  first_name,
  last_name,
  email,
  company,
  tags,
  crm_ids,
  updated_at,
}: Contact) => ({
  id,
  phone_number,
  first_name,
  last_name,
  email,
  company,
  tags,
  crm_ids,
  updated_at,
})

const contactAt = (model: Model, index: number): Contact | undefined =>
  model.contacts[index % Math.max(1, model.contacts.length)]
const holderOf = (model: Model, phone_number: unknown) =>
  model.contacts.find((one) => one.phone_number === phone_number)

const create = fc.tuple(number, profile, fc.option(fc.constantFrom('k1', 'k2', 'k3'))).map(
  ([phone_number, fields, key]): Command =>
    async ({ call }, model) => {
      const body = { phone_number, ...fields }
      const answer = await call('POST', '/contacts', body, key ? { 'idempotency-key': key } : {})
      const first = key ? model.answers.get(key) : undefined
      if (first && first.body !== JSON.stringify(body)) return assert.equal(answer.status, 422)
      if (first) {
        assert.equal(answer.headers.get('idempotent-replayed'), 'true')
        return assert.deepEqual([answer.status, answer.text], [first.status, first.text])
      }
      if (key) model.answers.set(key, { body: JSON.stringify(body), text: answer.text, status: answer.status })
      const holder = holderOf(model, phone_number)
      if (holder) {
        assert.equal(answer.status, 409)
        return assert.equal(answer.body.error.details.existing_id, holder.id)
      }
      assert.equal(answer.status, 201)
      const { id, updated_at } = answer.body.data
      const blank = {
        id,
        updated_at,
        phone_number,
        first_name: null,
        last_name: null,
        email: null,
        company: null,
        tags: [],
        crm_ids: {},
      }
      model.contacts.push(applyFields(blank, body))
    },
)

const update = fc.tuple(position, profile, fc.option(number)).map(
  ([index, fields, phone_number]): Command =>
    async ({ call }, model) => {
      const contact = contactAt(model, index)
      if (!contact) return
      const body = phone_number ? { ...fields, phone_number } : fields
      const answer = await call('PATCH', `/contacts/${contact.id}`, body)
      const holder = phone_number ? holderOf(model, phone_number) : undefined
      if (holder && holder !== contact) return assert.equal(answer.status, 409)
      assert.equal(answer.status, 200)
      const { updated_at } = answer.body.data
      const is_change = Object.keys(body).length > 0
      assert.ok(is_change ? updated_at > contact.updated_at : updated_at === contact.updated_at)
      model.contacts[model.contacts.indexOf(contact)] = { ...applyFields(contact, body), updated_at }
    },
)

const remove = position.map(
  (index): Command =>
    async ({ call }, model) => {
      const contact = contactAt(model, index)
      if (!contact) return
      assert.deepEqual((await call('DELETE', `/contacts/${contact.id}`)).body, {
        success: true,
        data: { deleted: true },
      })
      assert.equal((await call('DELETE', `/contacts/${contact.id}`)).status, 404)
      model.contacts = model.contacts.filter((other) => other !== contact)
    },
)

const setCrmId = fc.tuple(position, fc.constantFrom('hubspot', 'zoho'), fc.option(fc.constantFrom('1', '2'))).map(
  ([index, system, crm_id]): Command =>
    async ({ call }, model) => {
      const contact = contactAt(model, index)
      if (!contact) return
      const address = `/contacts/${contact.id}/crm_ids/${system}`
      const answer = await (crm_id ? call('PUT', address, { id: crm_id }) : call('DELETE', address))
      const { [system]: had, ...others } = contact.crm_ids
      if (!crm_id && !had) return assert.equal(answer.status, 404)
      const holder = model.contacts.find((other) => crm_id && other.crm_ids[system] === crm_id)
      if (holder && holder !== contact) return assert.equal(answer.status, 409)
      assert.equal(answer.status, 200)
      contact.crm_ids = crm_id ? { ...others, [system]: crm_id } : others
      contact.updated_at = answer.body.data.updated_at
    },
)

const plain = (text: string) =>
  text
    .normalize('NFD')
    .replace(/[\u0300-\u036f]/g, '')
    .toLowerCase()

/** The words of a search, and the digits in it that are compared with the phone number. */
const searches: Record<string, { words: string[]; digits?: string }> = {
  ada: { words: ['ada'] },
  ADA: { words: ['ada'] },
  elo: { words: ['elo'] },
  'zoë 100%': { words: ['zoe', '100%'] },
  '0%': { words: ['0%'] },
  a_b: { words: ['a_b'] },
  "brien o'": { words: ['brien', "o'"] },
  'a l': { words: ['a', 'l'] },
  'lovelace  ada': { words: ['lovelace', 'ada'] },
  'ada babbage': { words: ['ada', 'babbage'] },
  'SOHNE & b': { words: ['sohne', '&', 'b'] },
  'y.z studio': { words: ['y.z', 'studio'] },
  '+1415': { words: ['+1415'] },
  '0101': { words: ['0101'] },
  '54': { words: ['54'] },
  '415 555': { words: [], digits: '415555' },
  '(415) 555-0101': { words: [], digits: '4155550101' },
  'ada 555.01-0': { words: ['ada'], digits: '555010' },
  '4-1': { words: [], digits: '41' },
  '+4 930': { words: [], digits: '+4930' },
  example: { words: ['example'] },
  zz: { words: ['zz'] },
}

const search = fc.constantFrom(...Object.entries(searches)).map(
  ([text, { words, digits }]): Command =>
    async ({ call }, model) => {
      const expected = model.contacts.filter(({ phone_number, first_name, last_name, email, company }) => {
        const fields = [phone_number, first_name, last_name, email, company].map((field) => plain(field ?? ''))
        const hasNumber = () => phone_number.includes(digits ?? '') || fields.some((field) => field.includes(text))
        return words.every((word) => fields.some((field) => field.includes(word))) && hasNumber()
      })
      await assertList(call, `search=${encodeURIComponent(text)}`, expected)
    },
)

const filterByTag = fc.constantFrom('vip', 'NEW', 'straße', 'ne').map(
  (tag): Command =>
    async ({ call }, model) => {
      const has = ({ tags }: Contact) => tags.some((one) => one.toLowerCase() === tag.toLowerCase())
      await assertList(call, `tag=${encodeURIComponent(tag)}`, model.contacts.filter(has))
    },
)

async function assertList(call: Tenant['call'], query: string, expected: Contact[]): Promise<void> {
  const { body } = await call('GET', `/contacts?sort=created_at&limit=100&${query}`)
  const ids = (contacts: { id: string }[]) => contacts.map(({ id }) => id).sort()
  assert.deepEqual(ids(body.data), ids(expected))
  assert.equal(body.pagination.total, expected.length)
}

test('any sequence of commands gives the result of a simple model', async () => {
  const commands = fc.array(fc.oneof({ weight: 3, arbitrary: create }, update, remove, setCrmId, search, filterByTag), {
    maxLength: 25,
    size: 'max',
  })
  await fc.assert(
    fc.asyncProperty(commands, async (sequence) => {
      const tenant = await workspace()
      const model: Model = { contacts: [], answers: new Map() }
      for (const command of sequence) await command(tenant, model)
      await assertList(tenant.call, '', model.contacts)
      for (const contact of model.contacts) {
        const { body } = await tenant.call('GET', `/contacts/${contact.id}`)
        assert.deepEqual(comparable(body.data), comparable(contact))
      }
    }),
    runs(0.3),
  )
})
