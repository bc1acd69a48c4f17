import assert from 'node:assert/strict'
import { test } from 'node:test'
import { document } from '../../server/api.ts'
import { receive_operations } from '../../server/integrations/routes.ts'
import { newSigningSecret } from '../../server/kit/crypto/signing.ts'
import type { Operation } from '../../server/kit/http/operation.ts'
import { create, eventsOf, get } from '../support/contacts.ts'
import { answerFaults } from '../support/contract.ts'
import { type Answer, serve } from '../support/harness.ts'
import { createIntegration, outcomeOf, receiptsOf, signed } from '../support/integrations.ts'
import { newIntegration, phoneNumber } from '../support/samples.ts'

const { workspace, pool } = await serve()

test('a posted payload becomes a contact with events, and search finds it', async () => {
  const tenant = await workspace()
  const made = await createIntegration(tenant, {
    field_map: {
      phone_number: '/form/phone',
      first_name: '/form/names/0',
      last_name: '/form/names/1',
      display_name: '/form/display~1name',
      email: '/e~0mail',
      company: '/company/name',
      time_zone: '/zone',
      notes: '#/free%20text%20',
      tags: '/tags',
      crm_ids: { hubspot: '/id' },
    },
    default_country: 'GB',
  })
  const answer = await tenant.send(made.url, {
    id: 301,
    form: { phone: '020 7946 0018', names: ['Ada', 'Lovelace'], 'display/name': 'Countess' },
    'e~mail': 'ada@example.com',
    company: { name: '' },
    zone: 'Europe/London',
    'free text ': 'two\nlines',
    tags: ['vip', 7],
  })
  assert.deepEqual(outcomeOf(answer), [200, 'created'])
  const contact = await get(tenant, answer.body.data.contact_id)
  assert.deepEqual(
    { ...contact, id: '', created_at: '', updated_at: '' },
    {
      id: '',
      phone_number: '+442079460018',
      first_name: 'Ada',
      last_name: 'Lovelace',
      display_name: 'Countess',
      email: 'ada@example.com',
      company: null,
      time_zone: 'Europe/London',
      notes: 'two\nlines',
      tags: ['vip', '7'],
      source: 'webhook',
      custom_fields: {},
      first_contact_at: null,
      last_contact_at: null,
      created_at: '',
      updated_at: '',
      crm_ids: { hubspot: '301' },
    },
  )
  const found = await tenant.call('GET', '/contacts?source=webhook&search=lovelace')
  assert.equal(found.body.pagination.total, 1)
  assert.deepEqual((await eventsOf(pool, tenant)).map(({ type }) => type).sort(), [
    'contact.created',
    'contact.updated',
  ])
  const [receipt] = await receiptsOf(tenant, made)
  assert.deepEqual(
    [receipt.id, receipt.outcome, receipt.contact_id, receipt.payload.id],
    [answer.body.data.receipt_id, 'created', contact.id, 301],
  )
  assert.equal((await tenant.call('GET', `/integrations/${made.id}`)).body.data.last_received_at, receipt.received_at)
})

test('a payload with a known number updates the contact, and changes nothing when all values are the same', async () => {
  const tenant = await workspace()
  const contact = await create(tenant, { first_name: 'Ada', company: 'Engines' })
  const made = await createIntegration(tenant, {
    field_map: { phone_number: '/phone', first_name: '/name', company: '/company' },
  })
  const payload = { phone: contact.phone_number, name: 'Augusta', company: null }
  const updated = await tenant.send(made.url, payload)
  assert.deepEqual([...outcomeOf(updated), updated.body.data.contact_id], [200, 'updated', contact.id])
  const after = await get(tenant, contact.id)
  assert.deepEqual([after.first_name, after.company, after.source], ['Augusta', 'Engines', 'api'])
  assert.deepEqual(outcomeOf(await tenant.send(made.url, payload)), [200, 'unchanged'])
  assert.equal((await get(tenant, contact.id)).updated_at, after.updated_at)
})

/** The pointer to phone_number, the payload, and the expected outcome. */
const payloads: [string, unknown, string][] = [
  ['/phone', { phone: '+14155550100' }, 'created'],
  ['/phone', { phone: '(415) 555-0100' }, 'created'],
  ['/phone', { phone: 4155550100 }, 'created'],
  ['/phone', { phone: ' +14155550100 ' }, 'created'],
  ['/0', ['+14155550100'], 'created'],
  ['/a/1/b', { a: [0, { b: '+14155550100' }] }, 'created'],
  ['/', { '': '+14155550100' }, 'created'],
  ['#', '+14155550100', 'created'],
  ['/m~1n', { 'm/n': '+14155550100' }, 'created'],
  ['/~01', { '~1': '+14155550100' }, 'created'],
  ['/__proto__', JSON.parse('{"__proto__": "+14155550100"}'), 'created'],
  ['/phone', {}, 'refused'],
  ['/phone', { phone: null }, 'refused'],
  ['/phone', { phone: '' }, 'refused'],
  ['/phone', { phone: 'none' }, 'refused'],
  ['/phone', { phone: { number: '+14155550100' } }, 'refused'],
  ['/phone', { phone: ['+14155550100'] }, 'refused'],
  ['/phone', null, 'refused'],
  ['/phone', 'phone', 'refused'],
  ['/01', ['+1', '+14155550100'], 'refused'],
  ['/-', ['+14155550100'], 'refused'],
  ['/length', ['+14155550100'], 'refused'],
  ['/__proto__', {}, 'refused'],
  ['/__proto__/phone', { phone: '+14155550100' }, 'refused'],
  ['/constructor/name', {}, 'refused'],
  ['/phone/0', { phone: '+14155550100' }, 'refused'],
]
for (const [phone_number, payload, outcome] of payloads) {
  test(`${phone_number} of ${JSON.stringify(payload)} is ${outcome}, also in a dry run`, async () => {
    const tenant = await workspace()
    const made = await createIntegration(tenant, { field_map: { phone_number }, default_country: 'US' })
    const tried = await tenant.call('POST', `/integrations/${made.id}/dry_run`, { sample: payload })
    assert.equal(tried.body.data.outcome, outcome)
    assert.deepEqual(await receiptsOf(tenant, made), [])
    const answer = await tenant.send(made.url, JSON.stringify(payload), { 'content-type': 'application/json' })
    const is_made = outcome === 'created'
    assert.deepEqual(outcomeOf(answer), is_made ? [200, 'created'] : [400, 'VALIDATION_ERROR'])
    const [receipt] = await receiptsOf(tenant, made)
    assert.deepEqual([receipt.outcome, receipt.reasons], [outcome, tried.body.data.reasons])
    assert.deepEqual(receipt.payload, payload)
    if (is_made) assert.equal((await get(tenant, receipt.contact_id)).phone_number, '+14155550100')
    else assert.equal(answer.body.error.details.receipt_id, receipt.id)
  })
}

test('an error lists all invalid fields by name, and nothing is written', async () => {
  const tenant = await workspace()
  const made = await createIntegration(tenant, {
    field_map: { phone_number: '/phone', email: '/mail', first_name: '/name' },
  })
  const answer = await tenant.send(made.url, { phone: phoneNumber(), mail: 'nobody', name: { first: 'Ada' } })
  assert.deepEqual(
    answer.body.error.details.fields.map(({ path }: { path: string }) => path),
    ['first_name', 'email'],
  )
  assert.equal((await tenant.call('GET', '/contacts')).body.pagination.total, 0)
})

test('tags that differ only in case are one tag, and sending them again changes nothing', async () => {
  const tenant = await workspace()
  const made = await createIntegration(tenant, { field_map: { phone_number: '/phone', tags: '/tags' } })
  const payload = { phone: phoneNumber(), tags: 'vip, VIP; new' }
  const { contact_id } = (await tenant.send(made.url, payload)).body.data
  assert.deepEqual((await get(tenant, contact_id)).tags, ['vip', 'new'])
  assert.deepEqual(outcomeOf(await tenant.send(made.url, payload)), [200, 'unchanged'])
})

test('a CRM id that another contact has is refused, and no contact is created', async () => {
  const tenant = await workspace()
  const made = await createIntegration(tenant, { field_map: { phone_number: '/phone', crm_ids: { hubspot: '/id' } } })
  const first = await tenant.send(made.url, { phone: phoneNumber(), id: 'A1' })
  const second = await tenant.send(made.url, { phone: phoneNumber(), id: 'A1' })
  assert.deepEqual(outcomeOf(second), [409, 'CONFLICT'])
  assert.equal(second.body.error.details.existing_id, first.body.data.contact_id)
  assert.equal((await tenant.call('GET', '/contacts')).body.pagination.total, 1)
  const [receipt] = await receiptsOf(tenant, made)
  assert.deepEqual([receipt.outcome, receipt.contact_id], ['refused', first.body.data.contact_id])
})

test('a CRM id is refused if the contact has ids in 50 systems', async () => {
  const tenant = await workspace()
  const crm_ids = Object.fromEntries(Array.from({ length: 49 }, (_, index) => [`system-${index}`, '1']))
  const { id, phone_number: phone } = await create(tenant, { crm_ids })
  const made = await createIntegration(tenant, { field_map: { phone_number: '/phone', crm_ids: { a: '/a', b: '/b' } } })
  const refused = await tenant.send(made.url, { phone, a: '1', b: '1' })
  assert.deepEqual(outcomeOf(refused), [400, 'VALIDATION_ERROR'])
  const [receipt] = await receiptsOf(tenant, made)
  assert.deepEqual([receipt.outcome, receipt.contact_id], ['refused', id])
  assert.deepEqual((await get(tenant, id)).crm_ids, crm_ids)
  assert.deepEqual(outcomeOf(await tenant.send(made.url, { phone, a: '1' })), [200, 'updated'])
})

test('two workspaces can have contacts with the same number', async () => {
  const [one, other] = await Promise.all([workspace(), workspace()])
  const phone = phoneNumber()
  const contact = await create(one, { phone_number: phone })
  const made = await createIntegration(other)
  const answer = await other.send(made.url, { phone, name: 'Eve' })
  assert.deepEqual(outcomeOf(answer), [200, 'created'])
  assert.notEqual(answer.body.data.contact_id, contact.id)
  assert.equal((await get(one, contact.id)).first_name, null)
})

test('a CRM system may have the name of a property of Object.prototype', async () => {
  const tenant = await workspace()
  const systems = '{"__proto__":"/a","constructor":"/b","tags":"/c"}'
  const field_map = `{"phone_number":"/phone","crm_ids":${systems}}`
  const headers = { 'content-type': 'application/json' }
  const { body } = await tenant.call('POST', '/integrations', `{"name":"Odd","field_map":${field_map}}`, headers)
  const answer = await tenant.send(body.data.url, { phone: phoneNumber(), a: '1', b: '2', c: '3' })
  const { crm_ids } = await get(tenant, answer.body.data.contact_id)
  assert.deepEqual(Object.entries(crm_ids).sort(), [
    ['__proto__', '1'],
    ['constructor', '2'],
    ['tags', '3'],
  ])
})

const settings: [object, string][] = [
  [{ field_map: { phone_number: 'phone' } }, 'field_map.phone_number'],
  [{ field_map: { phone_number: '/a~2' } }, 'field_map.phone_number'],
  [{ field_map: { phone_number: '/a~' } }, 'field_map.phone_number'],
  [{ field_map: { phone_number: '#/%ff' } }, 'field_map.phone_number'],
  [{ field_map: { phone_number: `/${'a'.repeat(500)}` } }, 'field_map.phone_number'],
  [{ field_map: { phone: '/phone' } }, 'field_map.phone'],
  [{ field_map: { crm_ids: { 'Hub Spot': '/id' } } }, 'field_map.crm_ids.Hub Spot'],
  [{ field_map: { crm_ids: { hubspot: 'id' } } }, 'field_map.crm_ids.hubspot'],
  [
    { field_map: { crm_ids: Object.fromEntries([...'abcdefghijk'].map((name) => [name, '/id'])) } },
    'field_map.crm_ids.k',
  ],
  [{ default_country: 'XX' }, 'default_country'],
  [{ signing_secret: 'whsec_' }, 'signing_secret'],
  [{ signing_secret: `whsec_${'A'.repeat(30)}=` }, 'signing_secret'],
  [{ signing_secret: Buffer.alloc(32).toString('base64') }, 'signing_secret'],
  [{ name: '' }, 'name'],
]
for (const [fields, path] of settings) {
  test(`${JSON.stringify(fields).slice(0, 60)} is rejected with its path`, async () => {
    const tenant = await workspace()
    const made = await createIntegration(tenant)
    for (const answer of [
      await tenant.call('POST', '/integrations', newIntegration(fields)),
      await tenant.call('PATCH', `/integrations/${made.id}`, fields),
    ]) {
      assert.deepEqual([answer.status, answer.body.error.details.fields[0].path], [400, path], answer.text)
    }
  })
}

test('the path of a long CRM name is cut between whole characters', async () => {
  const tenant = await workspace()
  for (const name of ['\u{1f600}'.repeat(150), `a${'\u{1f600}'.repeat(150)}`]) {
    const fields = newIntegration({ field_map: { crm_ids: { [name]: '/id' } } })
    const { status, body } = await tenant.call('POST', '/integrations', fields)
    const [{ path }] = body.error.details.fields
    assert.deepEqual([status, path.isWellFormed()], [400, true], path)
  }
})

test('the body of a get can be sent back', async () => {
  const tenant = await workspace()
  const made = await createIntegration(tenant)
  const { body, headers } = await tenant.call('GET', `/integrations/${made.id}`)
  const etag = headers.get('etag') ?? ''
  const answer = await tenant.call('PATCH', `/integrations/${made.id}`, body.data, { 'if-match': etag })
  assert.deepEqual({ ...answer.body.data, updated_at: '' }, { ...body.data, updated_at: '' })
  assert.equal((await tenant.call('PATCH', `/integrations/${made.id}`, {}, { 'if-match': etag })).status, 412)
})

test('long pointers are validated quickly', async () => {
  const tenant = await workspace()
  const slashes = '/'.repeat(400)
  for (const [pointer, status] of [
    [`#${slashes}~%30`, 400],
    [`${slashes}~`, 400],
    [`${slashes}~0`, 201],
  ] as const) {
    const fields = newIntegration({ field_map: { phone_number: pointer } })
    assert.equal((await tenant.call('POST', '/integrations', fields)).status, status, pointer)
  }
})

test('a dry run tries another field map, and returns the contact that it would change', async () => {
  const tenant = await workspace()
  const made = await createIntegration(tenant, { field_map: {} })
  const contact = await create(tenant, { first_name: 'Ada' })
  const tryOut = async (body: object) => (await tenant.call('POST', `/integrations/${made.id}/dry_run`, body)).body.data
  const sample = { phone: contact.phone_number, name: 'Ada', id: 7 }
  const field_map = { phone_number: '/phone', first_name: '/name' }
  assert.deepEqual(await tryOut({ sample }), {
    outcome: 'refused',
    reasons: ['The field map has no phone_number yet.'],
    contact_id: null,
    contact: null,
  })
  assert.deepEqual(await tryOut({ sample, field_map }), {
    outcome: 'unchanged',
    reasons: [],
    contact_id: contact.id,
    contact: { phone_number: contact.phone_number, first_name: 'Ada' },
  })
  const with_crm = await tryOut({ sample, field_map: { ...field_map, crm_ids: { hubspot: '/id' } } })
  assert.deepEqual([with_crm.outcome, with_crm.contact.crm_ids], ['updated', { hubspot: '7' }])
  assert.deepEqual((await get(tenant, contact.id)).crm_ids, {})
})

test('the documented example creates a contact, and every answer is as documented', async () => {
  const tenant = await workspace()
  const operation = receive_operations[0] as Operation
  const documented = Object(document.paths['/in/{token}']).post
  assert.deepEqual([documented.security, documented.servers], [[], [{ url: '/' }]])
  const { example } = documented.requestBody.content['application/json']
  const field_map = { phone_number: '/answers/phone', first_name: '/answers/name', crm_ids: { hubspot: '/id' } }
  const signing_secret = newSigningSecret()
  const [made, signed_made, disabled] = [
    await createIntegration(tenant, { field_map }),
    await createIntegration(tenant, { field_map, signing_secret }),
    await createIntegration(tenant, { field_map }),
  ]
  await tenant.call('PATCH', `/integrations/${disabled.id}`, { status: 'disabled' })
  const body = JSON.stringify(example)
  const headers = signed(signing_secret, body)
  for (const name of Object.keys(headers).filter((name) => name !== 'content-type')) {
    assert.ok(
      documented.parameters.some((parameter: { name: string }) => parameter.name === name),
      name,
    )
  }
  const answers: [Answer, number, string][] = [
    [await tenant.send(made.url, example), 200, 'created'],
    [await tenant.send(made.url, { ...example, answers: { ...example.answers, name: 'Eva' } }), 200, 'updated'],
    [await tenant.send(signed_made.url, body, headers), 200, 'updated'],
    [await tenant.send(made.url, example), 200, 'unchanged'],
    [await tenant.send(signed_made.url, body, headers), 200, 'repeated'],
    [await tenant.send(made.url, {}), 400, 'VALIDATION_ERROR'],
    [await tenant.send(signed_made.url, example), 401, 'UNAUTHORIZED'],
    [await tenant.send(`${made.url.slice(0, -1)}_`, example), 404, 'NOT_FOUND'],
    [await tenant.send(made.url, { answers: { phone: phoneNumber() }, id: example.id }), 409, 'CONFLICT'],
    [await tenant.send(disabled.url, example), 409, 'INVALID_STATE'],
    [await tenant.send(made.url, { name: 'a'.repeat(2 ** 20) }), 413, 'PAYLOAD_TOO_LARGE'],
    [await tenant.send(made.url, body, { 'content-type': 'text/plain' }), 415, 'UNSUPPORTED_MEDIA_TYPE'],
  ]
  for (const [answer, status, outcome] of answers) {
    assert.deepEqual(outcomeOf(answer), [status, outcome], answer.text)
    assert.deepEqual(answerFaults(operation, answer), [], answer.text)
  }
})
