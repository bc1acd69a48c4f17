import assert from 'node:assert/strict'
import { test } from 'node:test'
import { inTransaction } from '../../server/kit/at.ts'
import * as clock from '../../server/kit/clock.ts'
import { sql } from '../../server/kit/postgres/sql.ts'
import { record } from '../../server/messages/reports.ts'
import { advance, newCaller } from '../support/calls.ts'
import {
  campaign_start,
  enrollmentsOf,
  getCampaign,
  newCampaign,
  newContacts,
  request,
  start,
} from '../support/dialing.ts'
import { serve, type Tenant } from '../support/harness.ts'
import { byForm } from '../support/property-runs.ts'

const { workspace, pool, at } = await serve()
const hour = 3_600
const day = 24 * hour

/** Asks a question, and answers everything. */
const script = {
  start: 'ask',
  nodes: { ask: { say: 'Hello, is Tuesday all right?', on: [], else: { say: 'Thank you.' } } },
}
/** Says one thing, and ends the conversation. */
const notice = { start: 'tell', nodes: { tell: { say: 'Your parcel arrives tomorrow.', go: '@end' } } }

// biome-ignore lint/suspicious/noExplicitAny: tests read any field
type Data = any

async function newSmsWorkspace(): Promise<Tenant> {
  const tenant = await workspace()
  await tenant.addTestClock(campaign_start)
  return tenant
}

async function newSmsCampaign(tenant: Tenant, contacts: Data[], fields: object = {}): Promise<Data> {
  const agent_id = await newCaller(tenant, { script })
  return newCampaign(tenant, contacts, { kind: 'sms', agent_id, ...fields })
}

/** How each contact fared, in the order of the contacts. */
async function faresOf(tenant: Tenant, campaign: Data, contacts: Data[]): Promise<Data[]> {
  const by_contact = new Map((await enrollmentsOf(tenant, campaign)).map((one) => [one.contact_id, one]))
  return contacts.map(({ id }) => {
    const { status, reason, attempts, last_outcome } = by_contact.get(id) ?? {}
    return [status, reason, attempts, last_outcome]
  })
}

const progressOf = (tenant: Tenant, { id }: Data): Promise<Data> => request(tenant, 'GET', `/campaigns/${id}/progress`)

const conversationsWith = (tenant: Tenant, contact_id: string): Promise<Data[]> =>
  request(tenant, 'GET', `/conversations?contact_id=${contact_id}&limit=100`)

test('an agent writes first to each contact, and the campaign completes by itself', async () => {
  const tenant = await newSmsWorkspace()
  const contacts = await newContacts(tenant, ['00', '02', '01', '16', '11', '17'])
  const campaign = await newSmsCampaign(tenant, contacts, { caps: { per_day: 10, per_week: 10, gap_hours_min: 0 } })
  const forecast = await request(tenant, 'POST', `/campaigns/${campaign.id}/forecast`, {})
  await start(tenant, campaign)
  await advance(tenant, 120)
  assert.deepEqual(await faresOf(tenant, campaign, contacts), [
    ['completed', null, 1, 'replied'],
    ['in_progress', null, 1, null],
    ['waiting', null, 1, 'undelivered'],
    ['waiting', null, 1, 'undelivered'],
    ['completed', 'opted_out', 1, 'replied'],
    ['in_progress', null, 1, null],
  ])
  assert.equal((await getCampaign(tenant, campaign)).status, 'running')
  await advance(tenant, 3 * day)
  assert.deepEqual(await faresOf(tenant, campaign, contacts), [
    ['completed', null, 1, 'replied'],
    ['completed', null, 1, 'delivered'],
    ['failed', 'undelivered', 3, 'undelivered'],
    ['completed', null, 2, 'replied'],
    ['completed', 'opted_out', 1, 'replied'],
    ['completed', null, 1, 'delivered'],
  ])
  const ended = await getCampaign(tenant, campaign)
  assert.deepEqual([ended.status, ended.counts], ['completed', { enrolled: 6, by_status: { completed: 5, failed: 1 } }])
  const { by_outcome, in_flight } = await progressOf(tenant, campaign)
  assert.deepEqual([by_outcome, in_flight], [{ delivered: 2, replied: 3, undelivered: 4 }, 0])
  assert.deepEqual(forecast.by_outcome, by_outcome)
  const consents = await request(tenant, 'GET', `/contacts/${contacts[4].id}/consents`)
  assert.partialDeepStrictEqual(consents, [{ kind: 'all', status: 'revoked', source: 'sms_keyword' }])
})

test('a later message that is not delivered does not end the attempt', async () => {
  const tenant = await newSmsWorkspace()
  const [contact] = await newContacts(tenant, ['02'])
  const campaign = await newSmsCampaign(tenant, [contact])
  await start(tenant, campaign)
  await advance(tenant, 120)
  const [{ id }] = await conversationsWith(tenant, contact.id)
  await request(tenant, 'POST', `/conversations/${id}/hand_over`)
  await request(tenant, 'POST', `/conversations/${id}/answers`, { text: 'Wednesday would do as well.' })
  const later = await pool.one<{ id: string }>(
    sql`select id from messages where workspace_id = ${tenant.id} and direction = 'outbound' order by seq desc limit 1`,
  )
  for (const status of ['failed', 'unknown'] as const)
    await inTransaction(at(tenant.id), (at) => record(at, [{ id: later.id, status, error: 'Not delivered.' }]))
  assert.deepEqual(await faresOf(tenant, campaign, [contact]), [['in_progress', null, 1, null]])
  await advance(tenant, day)
  assert.deepEqual(await faresOf(tenant, campaign, [contact]), [['completed', null, 1, 'delivered']])
})

test('messages that are not delivered are sent again after ten minutes and an hour', async () => {
  const tenant = await newSmsWorkspace()
  const [contact] = await newContacts(tenant, ['01'])
  const caps = { per_day: 10, per_week: 10, gap_hours_min: 0 }
  await start(tenant, await newSmsCampaign(tenant, [contact], { caps }))
  await advance(tenant, 2 * hour)
  const times = (await conversationsWith(tenant, contact.id)).map(({ created_at }) => created_at).reverse()
  const seconds = times.map((time) => (clock.parse(time) - campaign_start) / 1_000)
  // It is known two seconds later that a message was not delivered.
  assert.deepEqual(seconds, [0, 602, 602 + 3_602])
})

test('an agent that ends the conversation with its first words has written once', async () => {
  const tenant = await newSmsWorkspace()
  const contacts = await newContacts(tenant, ['02', '01'])
  const agent_id = await newCaller(tenant, { script: notice })
  const campaign = await newSmsCampaign(tenant, contacts, {
    agent_id,
    retry: [{ outcome: 'undelivered', attempts_max: 1, waits_seconds: [] }],
  })
  await start(tenant, campaign)
  await advance(tenant, 2 * day)
  assert.deepEqual(await faresOf(tenant, campaign, contacts), [
    ['completed', null, 1, 'delivered'],
    ['failed', 'undelivered', 1, 'undelivered'],
  ])
  assert.equal((await getCampaign(tenant, campaign)).status, 'completed')
})

test('a reply to an agent that has ended the conversation counts', async () => {
  const tenant = await newSmsWorkspace()
  const contacts = await newContacts(tenant, ['11', '02'])
  const agent_id = await newCaller(tenant, { script: notice })
  const campaign = await newSmsCampaign(tenant, contacts, { agent_id })
  await start(tenant, campaign)
  await advance(tenant, 120)
  assert.deepEqual(await faresOf(tenant, campaign, contacts), [
    ['completed', 'opted_out', 1, 'replied'],
    ['in_progress', null, 1, null],
  ])
})

test('messages that the carrier has make room for the next ones', async () => {
  const tenant = await newSmsWorkspace()
  const contacts = await newContacts(tenant, Array<string>(12).fill('02'))
  const campaign = await newSmsCampaign(tenant, contacts, { pacing: { starts_per_second: 10, in_flight_max: 2 } })
  await start(tenant, campaign)
  await advance(tenant, 60)
  assert.deepEqual((await getCampaign(tenant, campaign)).counts.by_status, { in_progress: 12 })
})

test('someone with an open conversation is written to after it has ended', async () => {
  const tenant = await newSmsWorkspace()
  const [contact] = await newContacts(tenant, ['02'])
  const agent_id = await newCaller(tenant, { script })
  const [channel] = await request(tenant, 'GET', '/channels?kind=sms')
  const open = await request(tenant, 'POST', '/conversations', {
    agent_id,
    contact_id: contact.id,
    channel_id: channel.id,
  })
  await tenant.work()
  const campaign = await newSmsCampaign(tenant, [contact])
  await start(tenant, campaign)
  await advance(tenant, 90)
  const [waiting] = await enrollmentsOf(tenant, campaign)
  assert.deepEqual(
    [waiting.status, waiting.attempts, waiting.next_attempt_at],
    ['pending', 0, clock.iso(campaign_start + 120_000)],
  )
  await request(tenant, 'POST', `/conversations/${open.id}/close`)
  await advance(tenant, 35)
  const [begun] = await enrollmentsOf(tenant, campaign)
  assert.deepEqual([begun.status, begun.attempts], ['in_progress', 1])
  assert.notEqual(begun.last_conversation_id, open.id)
})

test('people who have opted out are skipped', async () => {
  const tenant = await newSmsWorkspace()
  const contacts = await newContacts(tenant, ['00', '00', '00'])
  const [no_sms, no_calls] = contacts
  await request(tenant, 'POST', `/contacts/${no_sms.id}/consents`, { kind: 'sms', status: 'revoked' })
  await request(tenant, 'POST', `/contacts/${no_calls.id}/consents`, { kind: 'voice', status: 'revoked' })
  const campaign = await newSmsCampaign(tenant, contacts)
  await start(tenant, campaign)
  await advance(tenant, 600)
  assert.deepEqual(await faresOf(tenant, campaign, contacts), [
    ['skipped', 'opted_out', 0, null],
    ['completed', null, 1, 'replied'],
    ['completed', null, 1, 'replied'],
  ])
  assert.deepEqual(await conversationsWith(tenant, no_sms.id), [])
})

for (const kind of ['voice', 'sms'] as const) {
  const other = kind === 'sms' ? 'voice' : 'sms'
  test(`a ${kind} campaign that requires consent reaches only people who have agreed to it`, async () => {
    const tenant = await newSmsWorkspace()
    const contacts = await newContacts(tenant, ['00', '00', '00', '00', '00'])
    const [, granted, all, of_other, revoked] = contacts
    const consent = (contact: Data, fields: object) =>
      request(tenant, 'POST', `/contacts/${contact.id}/consents`, { status: 'granted', ...fields })
    await consent(granted, { kind })
    await consent(all, { kind: 'all' })
    await consent(of_other, { kind: other })
    await consent(revoked, { kind })
    await consent(revoked, { kind, status: 'revoked' })
    const campaign = await newSmsCampaign(tenant, contacts, { kind, consent: 'required' })
    await start(tenant, campaign)
    await advance(tenant, hour)
    const reached = ['completed', null, 1, kind === 'sms' ? 'replied' : 'answered']
    assert.deepEqual(await faresOf(tenant, campaign, contacts), [
      ['skipped', 'no_consent', 0, null],
      reached,
      reached,
      ['skipped', 'no_consent', 0, null],
      ['skipped', 'opted_out', 0, null],
    ])
    assert.equal((await getCampaign(tenant, campaign)).status, 'completed')
  })
}

test('consent that is withdrawn while someone waits for the next attempt ends the attempts', async () => {
  const tenant = await newSmsWorkspace()
  const contacts = await newContacts(tenant, ['01', '01'])
  const [contact] = contacts
  for (const { id } of contacts)
    await request(tenant, 'POST', `/contacts/${id}/consents`, { kind: 'all', status: 'granted' })
  const campaign = await newSmsCampaign(tenant, contacts, { consent: 'required' })
  await start(tenant, campaign)
  await advance(tenant, 60)
  await request(tenant, 'POST', `/contacts/${contact.id}/consents`, { kind: 'sms', status: 'revoked' })
  await advance(tenant, 7 * day)
  const [first, second] = await faresOf(tenant, campaign, contacts)
  assert.deepEqual(first, ['skipped', 'opted_out', 1, 'undelivered'])
  assert.deepEqual(second, ['failed', 'undelivered', 3, 'undelivered'])
})

test('a contact that is deleted at any time leaves the campaign, which completes', async () => {
  for (const seconds of byForm({ short: [1, 120], long: [0, 1, 30, 120] })) {
    const tenant = await newSmsWorkspace()
    const contacts = await newContacts(tenant, ['00', '01', '02'])
    const campaign = await newSmsCampaign(tenant, contacts)
    await start(tenant, campaign)
    if (seconds > 0) await advance(tenant, seconds)
    for (const { id } of contacts) await request(tenant, 'DELETE', `/contacts/${id}`)
    assert.deepEqual((await getCampaign(tenant, campaign)).counts, { enrolled: 0, by_status: {} })
    await advance(tenant, 2 * day)
    assert.equal((await getCampaign(tenant, campaign)).status, 'completed')
    assert.equal((await progressOf(tenant, campaign)).in_flight, 0)
  }
})

test('a canceled campaign still learns what became of its messages', async () => {
  const tenant = await newSmsWorkspace()
  const contacts = await newContacts(tenant, ['00', '02', '01'])
  const campaign = await newSmsCampaign(tenant, contacts)
  await start(tenant, campaign)
  await advance(tenant, 15)
  await request(tenant, 'POST', `/campaigns/${campaign.id}/cancel`)
  await advance(tenant, 2 * day)
  assert.deepEqual(await faresOf(tenant, campaign, contacts), [
    ['completed', null, 1, 'replied'],
    ['completed', null, 1, 'delivered'],
    ['canceled', 'canceled', 1, 'undelivered'],
  ])
  assert.equal((await getCampaign(tenant, campaign)).status, 'canceled')
})
