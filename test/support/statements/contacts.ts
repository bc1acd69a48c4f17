import assert from 'node:assert/strict'
import { findRefusals } from '../../../server/consent/refusals.ts'
import * as short_search from '../../../server/contacts/short-search-totals.ts'
import * as clock from '../../../server/kit/clock.ts'
import { sign } from '../../../server/kit/crypto/signing.ts'
import { newId } from '../../../server/kit/id.ts'
import type { Server } from '../harness.ts'
import { newContact, newImport, newIntegration, newSuppression, newWebhook, phoneNumber } from '../samples.ts'

const filters = {
  search: ['ada', 'a', '.e', 'a+d'],
  tag: ['vip', 'vip&tag=trial'],
  source: ['api'],
  created_after: ['2026-01-01T00:00:00Z'],
  crm_id: ['1&crm_system=hubspot'],
}

/** Filters that are conditions beside all others. */
const exact_filters = [
  'phone_number=%2B14155550100',
  'email=Ada@Example.com',
  'custom_field=plan:gold',
  'custom_field=plan:gold&custom_field=seats:12',
]

/** Every combination of filters, with each kind of page. */
export async function listContacts(server: Server): Promise<void> {
  const large = await server.workspace()
  const small = await server.workspace()
  for (const { call } of [large, small])
    for (let count = 0; count < 3; count += 1)
      await call('POST', '/contacts', newContact({ first_name: 'Ada', tags: ['vip', 'trial'] }))
  await short_search.startTotals(server.at(large.id))
  await short_search.applyChanges(server.at(large.id))
  const combined = Object.entries(filters).reduce<string[]>(
    (queries, [name, values]) =>
      queries.flatMap((query) => [query, ...values.map((value) => `${query}&${name}=${value}`)]),
    [''],
  )
  for (const sort of ['-created_at', 'last_contact_at'])
    for (const filter of combined) {
      const query = `sort=${sort}${filter}`
      const { status, text } = await large.call('GET', `/contacts?limit=1&${query}`)
      assert.equal(status, 200, text)
      await large.call('GET', `/contacts/export?${query}`)
      await small.call('GET', `/contacts?limit=1&${query}`)
    }
  for (const exact of exact_filters)
    for (const filter of ['', '&search=ada', '&search=a', '&tag=vip']) {
      const { status, text } = await large.call('GET', `/contacts?${exact}${filter}`)
      assert.equal(status, 200, text)
    }
  for (const search of ['ada+trial', 'ada+x+y', '(415)+555', 'ada+(415)+555+a', '4-1', '4-1+a+5-5+ada'])
    for (const path of ['', '/export'])
      for (const { call } of [large, small]) {
        const { status, text } = await call('GET', `/contacts${path}?search=${search}`)
        assert.equal(status, 200, text)
      }
  for (const page of ['offset=1', 'offset=1000'])
    for (const filter of ['', '&search=ada', '&search=a']) await large.call('GET', `/contacts?${page}${filter}`)
  const cursorOf = (...position: unknown[]) => Buffer.from(JSON.stringify(position)).toString('base64url')
  for (const value of [clock.iso(clock.wall()), null]) {
    const cursor = cursorOf('last_contact_at', value, newId(), 1)
    for (const filter of ['', '&search=ada', '&search=a', '&tag=vip']) {
      const { status, text } = await large.call('GET', `/contacts?sort=last_contact_at&cursor=${cursor}${filter}`)
      assert.equal(status, 200, text)
    }
  }
}

export async function changeContacts(server: Server): Promise<void> {
  const tenant = await server.workspace()
  const { call } = tenant
  const create = async (fields: object = {}) => (await call('POST', '/contacts', newContact(fields))).body.data
  const custom_fields = { plan: 'gold' }
  const [first, second] = [await create({ tags: ['vip'], custom_fields }), await create()]
  await call('PATCH', `/contacts/${first.id}`, { custom_fields: { plan: 'silver' } })
  await call('GET', '/contacts/export')
  await call('POST', '/contacts', { phone_number: first.phone_number })
  for (const [path, body] of [
    ['/contacts', newContact()],
    ['/webhooks', newWebhook()],
    ['/contacts/batch', { atomic: true, operations: [{ op: 'create', data: newContact() }] }],
    [`/contacts/imports/${newId()}/undo`, undefined],
    [`/tools/${newId()}/test`, {}],
  ] as const) {
    const headers = { 'idempotency-key': newId() }
    for (const _ of ['first', 'repeated']) await call('POST', path, body, headers)
  }
  await call('PATCH', `/contacts/${first.id}`, { phone_number: second.phone_number })
  await call('PATCH', `/contacts/${first.id}`, { first_name: 'Ada', tags: ['trial'] })
  for (const number of [first.phone_number, phoneNumber()])
    await call('PUT', `/contacts/by_phone_number/${number}`, { tags: ['vip'] })
  await call('PUT', `/contacts/${first.id}/crm_ids/hubspot`, { id: '1' })
  await create({ crm_ids: { hubspot: '2' } })
  await call('PATCH', `/contacts/${first.id}`, { crm_ids: { hubspot: null, zoho: '1' } })
  await call('GET', '/contacts?created_before=2036-01-01T00:00:00Z')
  await call('DELETE', `/contacts/${first.id}`)
}

export async function importContacts(server: Server): Promise<void> {
  const { call, work } = await server.workspace()
  await call('POST', '/webhooks', newWebhook({ url: 'inbox' }))
  const known = phoneNumber()
  await call('POST', '/contacts', newContact({ phone_number: known }))
  const rows = [
    ...Array.from({ length: 120 }, () => ({ Phone: phoneNumber(), Name: 'Ada' })),
    { Phone: known, Name: 'Grace' },
    { Phone: 'none', Name: 'Grace' },
  ]
  const start = async (fields: object) =>
    (await call('POST', '/contacts/imports', newImport({ rows, on_conflict: 'update', mapping, ...fields }))).body.data
      .id
  const mapping = { Name: 'first_name' }
  await start({ is_dry_run: true })
  await work()
  const id = await start({})
  await work()
  const imported = (await call('GET', `/contacts/imports/${id}/rows?outcome=created`)).body.data
  await call('GET', `/contacts/imports/${id}/rows/download?outcome=refused`)
  await call('PATCH', `/contacts/${imported[0].contact_id}`, { first_name: 'Changed' })
  await call('DELETE', `/contacts/${imported[1].contact_id}`)
  await call('POST', `/contacts/imports/${id}/undo`)
  await work()
  const form = new FormData()
  form.append('file', new Blob([`Phone\n${phoneNumber()}\n`]), 'contacts.csv')
  await call('POST', '/contacts/imports', form)
  await call('POST', '/contacts/imports', new FormData())
}

export async function receiveMessages(server: Server): Promise<void> {
  const { call, send } = await server.workspace()
  const signing_secret = `whsec_${Buffer.alloc(32).toString('base64')}`
  const field_map = { phone_number: '/phone', first_name: '/name', crm_ids: { hubspot: '/id' } }
  const { url } = (await call('POST', '/integrations', newIntegration({ signing_secret, field_map }))).body.data
  const phone = phoneNumber()
  for (const payload of [{ phone, id: '1' }, { phone, id: '1', name: 'Ada' }, { phone: 'none' }]) {
    const body = JSON.stringify(payload)
    const message = { id: newId(), timestamp: String(Math.floor(clock.wall() / 1000)), body: Buffer.from(body) }
    const headers = {
      'content-type': 'application/json',
      'webhook-id': message.id,
      'webhook-timestamp': message.timestamp,
      'webhook-signature': sign(signing_secret, message),
    }
    for (const _ of ['first', 'repeated']) await send(url, body, headers)
  }
}

export async function recordConsents(server: Server): Promise<void> {
  const { id, call } = await server.workspace()
  const { id: contact_id, phone_number } = (await call('POST', '/contacts', newContact())).body.data
  for (const status of ['granted', 'revoked'])
    await call('POST', `/contacts/${contact_id}/consents`, { kind: 'sms', status })
  const refused = await findRefusals(server.at(id), { kind: 'sms', phone_numbers: [phone_number], own_numbers: [] })
  assert.equal(refused.get(phone_number), 'opted_out')
  for (const path of ['consents?kind=sms&status=granted', `suppressions?kind=sms&phone_number=%2B14155550100`])
    assert.equal((await call('GET', `/${path}`)).status, 200)
  await call('POST', '/consents/verify')
  // Entries without a contact are looked for among the others.
  await call('DELETE', `/contacts/${contact_id}`)
  await call('GET', '/consents/export')
  for (const _ of ['first', 'repeated']) await call('POST', '/suppressions', newSuppression({ phone_number }))
}
