import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import * as clock from '../../server/kit/clock.ts'
import { newId } from '../../server/kit/id.ts'
import { sql } from '../../server/kit/postgres/sql.ts'
import { openCarrier } from '../peers/carrier.ts'
import { desk_script, newDesk, runTests } from './agent-tests.ts'
import { begin, create, say } from './conversations.ts'
import type { Server, Tenant } from './harness.ts'
import { createIntegration } from './integrations.ts'
import { type Receiver, receiver } from './receivers.ts'
import { untilRendered } from './recorded-calls.ts'
import { newCampaign, newSuppression } from './samples.ts'
import { inboundForm, newSmsChannel, postSigned } from './sms.ts'

/** A telephone that has two spellings. */
export const number = '+442071838750'
export const other_spelling = '+4402071838750'
export const earlier_number = '+442071838799'
const email = 'zephyrine@quillfeather.example'
const words = 'a marzipan locomotive'

/** What must not be found anywhere when the person is erased, in lower case. */
export const needles = ['zephyrine', 'quillfeather', '2071838750', '2071838799']
/** What the person has said, or others about it. */
export const spoken_needles = ['marzipan']

/** Begins the erasure, and does its work until it is done. */
export async function eraseContact(tenant: Tenant, contact_id: string) {
  const begun = await tenant.call('POST', `/contacts/${contact_id}/erase`)
  assert.equal(begun.status, 202, begun.text)
  return untilErased(tenant, begun.body.data.id)
}

export async function untilErased(tenant: Tenant, id: string) {
  for (;;) {
    await tenant.work()
    const { body, text } = await tenant.call('GET', `/erasures/${id}`)
    assert.ok(body.data, text)
    if (body.data.status === 'done') return body.data
    await sleep(100)
  }
}

/** Leaves something about one person in every room that stores personal data. Returns the contact and what has become of it. */
export async function leaveTraces(server: Server, tenant: Tenant) {
  const { call, send } = tenant
  await create(tenant, '/webhooks', { url: 'inbox', events: ['*'] })
  const echo: Receiver = await receiver((response) => response.end(echo.received.at(-1)?.body))
  await create(tenant, '/webhooks', { url: echo.url, events: ['contact.*'] })
  await leaveByDeletedContact(tenant)
  const fields = {
    phone_number: earlier_number,
    first_name: 'Zephyrine',
    last_name: 'Quillfeather',
    email,
    company: 'Quillfeather Ltd',
    notes: `Likes ${words}.`,
    tags: ['quillfeather'],
    custom_fields: { nickname: 'Zephyrine' },
  }
  const headers = { 'idempotency-key': newId() }
  const contact = (await call('POST', '/contacts', fields, headers)).body.data
  assert.ok(contact, 'the contact was not created')
  await call('PATCH', `/contacts/${contact.id}`, { phone_number: number })
  await call('PUT', `/contacts/${contact.id}/crm_ids/hubspot`, { id: 'quillfeather-1' })
  await create(tenant, `/contacts/${contact.id}/consents`, { kind: 'all', status: 'revoked' })
  await call('POST', '/suppressions', newSuppression({ phone_number: other_spelling, reason: 'Zephyrine asked' }), {
    'idempotency-key': newId(),
  })
  await upload(server, tenant)
  await receivePayloads(tenant)
  const conversation = await talk(server, tenant, contact.id)
  await chat(tenant, send)
  await textAndCall(server, tenant, contact.id)
  await enroll(tenant, contact.id)
  // This work sends webhooks and lets agents answer.
  await tenant.work()
  await tenant.work()
  return { contact, conversation }
}

/** An earlier contact with the number was deleted: what it has said is left, without the number. */
async function leaveByDeletedContact(tenant: Tenant): Promise<void> {
  const { id } = await create(tenant, '/contacts', { phone_number: number })
  const agent_id = (await create(tenant, '/agents', { name: 'Reception' })).id
  const conversation = await begin(tenant, agent_id, { contact_id: id, message: `I have ${words}.` })
  await tenant.call('POST', `/conversations/${conversation.id}/close`)
  await tenant.addCall({ agent_id, contact_id: id, to: number, is_over: true, said: [`My name is Zephyrine.`] })
  assert.equal((await tenant.call('DELETE', `/contacts/${id}`)).status, 200)
}

/** Rows that are imported, refused and only tried. */
async function upload({ pool }: Server, tenant: Tenant): Promise<void> {
  const rows = [
    { Phone: number, 'First name': 'Zephyrine', Notes: `${words} again` },
    { Phone: '020 7183 8750', 'First name': 'Zephyrine', Email: 'none' },
    { Phone: 'unknown', 'First name': 'Someone', Email: email },
  ]
  for (const more of [{ on_conflict: 'update' }, { is_dry_run: true }]) {
    await create(tenant, '/contacts/imports', { rows, ...more })
    await tenant.work()
  }
  // A dry run that was interrupted remembers numbers.
  const imported = (await tenant.call('GET', '/contacts/imports?limit=1')).body.data[0]
  await pool.run(
    sql`insert into import_numbers (workspace_id, import_id, phone_number, row_number)
      values (${tenant.id}, ${imported.id}, ${number}, 1)`,
  )
}

async function receivePayloads(tenant: Tenant): Promise<void> {
  const integration = await createIntegration(tenant)
  await tenant.send(integration.url, { phone: number, name: 'Zephyrine' })
  await tenant.send(integration.url, { phone: '020 7183 8750', name: 'Zephyrine Quillfeather' })
}

/** A conversation with words, variables, a run of a tool, an unanswered question, a test that was made of it, and a replay. */
async function talk({ pool }: Server, tenant: Tenant, contact_id: string) {
  const agent_id = await newDesk(tenant)
  const more = { contact_id, variables: { who: 'Zephyrine' }, metadata: { ref: 'quillfeather' } }
  const conversation = await begin(tenant, agent_id, more)
  await tenant.work()
  const { id } = conversation
  await say(tenant, id, `Are you open for ${words}? My number is 020 7183 8750.`)
  await tenant.work()
  await pool.run(
    sql`insert into tool_runs (workspace_id, conversation_id, id, seq, name, arguments, result, status, created_at)
      values (${tenant.id}, ${id}, ${newId()}, 1, 'book_slot', ${{ who: 'Zephyrine' }}, ${{ said: words }}, 'succeeded', ${clock.iso(clock.wall())})`,
  )
  await tenant.call('POST', `/conversations/${id}/hand_over`, { reason: `Zephyrine asks for ${words}` })
  await tenant.call('POST', `/conversations/${id}/answer`, { text: `Dear Zephyrine, we have ${words}.` })
  await tenant.call('POST', `/conversations/${id}/close`)
  await tenant.call('POST', `/conversations/${id}/make_test`)
  await tenant.work()
  const changed = JSON.parse(JSON.stringify(desk_script).replace('Hello{{', 'Good day{{'))
  await tenant.call('PATCH', `/agents/${agent_id}`, { script: changed })
  await runTests(tenant, agent_id, { replay: { last: 10 }, use_draft: true })
  // This conversation goes on.
  await begin(tenant, agent_id, { contact_id, message: `Please ${words}.` })
  const nodes = { ask: { say: 'Yes?', answer_from_knowledge: true, else: { say: 'I do not know.' } } }
  const knowing = await create(tenant, '/agents', {
    name: 'Shop',
    knowledge: { tags: ['shop'] },
    script: { start: 'ask', nodes },
  })
  await begin(tenant, knowing.id, { contact_id, message: `Do you sell ${words}?` })
  await tenant.work()
  return conversation
}

/** A visitor of a web chat leaves the number. */
async function chat(tenant: Tenant, send: Tenant['send']): Promise<void> {
  const agent_id = (await create(tenant, '/agents', { name: 'Chat' })).id
  const { public_url } = await tenant.addChannel({ kind: 'web_chat', provider: 'web', agent_id })
  const { body } = await send(`${public_url}/sessions`, {})
  const { token } = body.data
  const headers = { authorization: `Bearer ${token}` }
  const said = await send(`${public_url}/messages`, { text: `I want ${words}` }, headers)
  assert.equal(said.status, 201, said.text)
  const left = await send(`${public_url}/phone_number`, { phone_number: number }, headers)
  assert.equal(left.status, 200, left.text)
}

/** Messages from the telephone, one of which is answered by a message that was not sent yet, and recorded calls. */
async function textAndCall(server: Server, tenant: Tenant, contact_id: string): Promise<void> {
  const carrier = await openCarrier()
  const agent_id = (await create(tenant, '/agents', { name: 'Texts', greeting: 'Hello' })).id
  const channel = await newSmsChannel(server, tenant, { carrier, agent_id })
  for (const from of [number, other_spelling])
    await postSigned(tenant, channel.inbound_url, inboundForm(`It is Zephyrine: ${words}`, { from }))
  await tenant.work()
  await carrier.close()
  const calls = [
    { contact_id, to: number, is_over: true, said: [`I am Zephyrine, I want ${words}.`, 'Good.'] },
    { contact_id: null, to: other_spelling, is_over: true, said: [`${words}!`] },
    { contact_id, to: number, said: ['Zephyrine here.'] },
  ]
  for (const fields of calls) {
    const { id } = await tenant.addCall({ agent_id, ...fields })
    if (fields.is_over) await untilRendered(() => tenant.call('GET', `/calls/${id}/recording`))
    await tenant.call('PATCH', `/calls/${id}`, { metadata: { who: 'Quillfeather' } })
  }
}

async function enroll(tenant: Tenant, contact_id: string): Promise<void> {
  const agent_id = (await create(tenant, '/agents', { name: 'Campaign' })).id
  const { id: channel_id } = await tenant.addChannel({ kind: 'voice' })
  const campaign = await create(tenant, '/campaigns', newCampaign({ agent_id, channel_ids: [channel_id] }))
  const members = [{ contact_id, variables: { who: 'Zephyrine' } }]
  const enrolled = await tenant.call('POST', `/campaigns/${campaign.id}/enrollments`, { contacts: members })
  assert.ok(enrolled.status < 300, enrolled.text)
}
