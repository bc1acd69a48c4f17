import assert from 'node:assert/strict'
import { Readable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import { complete } from '../../server/agents/configuration.ts'
import * as versions from '../../server/agents/versions.ts'
import { operations } from '../../server/api.ts'
import * as api_keys from '../../server/api-keys/store.ts'
import * as call_claims from '../../server/calls/claim.ts'
import { withoutQuiet } from '../../server/calls/quiet-hours.ts'
import { store } from '../../server/calls/recording-files.ts'
import * as channel_owners from '../../server/channels/owners.ts'
import { sealed_columns as channel_columns } from '../../server/channels/sealed.ts'
import * as channels from '../../server/channels/store.ts'
import * as channel_usage from '../../server/channels/usage.ts'
import { advancing } from '../../server/clocks/advance.ts'
import { findRefusals } from '../../server/consent/refusals.ts'
import { sealed_column as consent_column } from '../../server/consent/sealed.ts'
import * as short_search from '../../server/contacts/short-search-totals.ts'
import * as contacts from '../../server/contacts/store.ts'
import { pausedUntil } from '../../server/conversations/answer-time.ts'
import { claim as claimConversations, renew as renewConversations } from '../../server/conversations/claim.ts'
import { unlinkCalls } from '../../server/conversations/reactions.ts'
import * as tokens from '../../server/conversations/tokens.ts'
import { findEndedRuns } from '../../server/conversations/tool-runs.ts'
import * as conversation_turns from '../../server/conversations/turns.ts'
import { runBuiltIn } from '../../server/drivers/built-in-tools.ts'
import * as feed from '../../server/events/feed.ts'
import { assignPositions, lastPositions } from '../../server/events/positions.ts'
import { work as imports } from '../../server/imports/run.ts'
import { sealed_columns as integration_columns } from '../../server/integrations/sealed.ts'
import { inTransaction, type Service } from '../../server/kit/at.ts'
import * as clock from '../../server/kit/clock.ts'
import { hashOf } from '../../server/kit/crypto/secret.ts'
import { sign } from '../../server/kit/crypto/signing.ts'
import { sealed_column as idempotency_column } from '../../server/kit/http/idempotency.ts'
import { newId } from '../../server/kit/id.ts'
import { openLog } from '../../server/kit/log.ts'
import { isCurrent, isMigrated, listNames, listUnknown } from '../../server/kit/postgres/migrate.ts'
import { sql } from '../../server/kit/postgres/sql.ts'
import { openDueNotes } from '../../server/kit/work/due.ts'
import { Engine } from '../../server/kit/work/engine.ts'
import { rowWork } from '../../server/kit/work/rows.ts'
import { newState } from '../../server/kit/work/state.ts'
import * as message_claims from '../../server/messages/claims.ts'
import { sealed_columns as provider_columns } from '../../server/models/sealed.ts'
import * as setup from '../../server/people/setup.ts'
import * as people from '../../server/people/store.ts'
import * as retention from '../../server/retention.ts'
import { sealed_columns as tool_columns } from '../../server/tools/sealed.ts'
import { addToCounts } from '../../server/webhooks/delivery-counts.ts'
import { openSenderLeases } from '../../server/webhooks/leases.ts'
import { sealed_columns as webhook_columns } from '../../server/webhooks/sealed.ts'
import { background_kinds, openWorker } from '../../server/worker.ts'
import * as workspaces from '../../server/workspaces/store.ts'
import { openCarrier } from '../peers/carrier.ts'
import { advance } from './calls.ts'
import { dialCampaigns } from './campaign-statements.ts'
import { addContacts, createCampaign, createContacts, enroll, fill } from './campaigns.ts'
import { migrations, type Server, type Tenant } from './harness.ts'
import { until } from './model-servers.ts'
import { makeSample, pathFor, prepare, sampleBody, sendRequest, successStatus } from './operations.ts'
import { addRecordedCall, one_word } from './recorded-calls.ts'
import {
  newContact,
  newImport,
  newIntegration,
  newProvider,
  newSuppression,
  newTool,
  newWebhook,
  phoneNumber,
} from './samples.ts'
import { browser, inWorkspace, newPerson, newSessionToken, password } from './sessions.ts'
import { inboundForm, newSmsChannel, own_number, postSigned, text } from './sms.ts'

const day_ms = 24 * 60 * 60 * 1000
const never = () => false
const log = openLog('silent')

/** Makes the server send each of its statements at least once. */
export async function sendEverything(server: Server): Promise<void> {
  await setUpFirstPerson(server)
  await callOperations(server)
  await listContacts(server)
  await changeContacts(server)
  await importContacts(server)
  await receiveMessages(server)
  await sendWebhooks(server)
  await recordConsents(server)
  await talk(server)
  await textBySms(server)
  await deleteWhileStored(server)
  await textSimulatedPeople(server)
  await placeCalls(server)
  await driveCalls(server)
  await workOnChannels(server)
  await runCampaigns(server)
  await dialCampaigns(server)
  await chatOnPage(server)
  await advanceTestClock(server)
  await visitDashboard(server)
  await runCommands(server)
  await workInBackground(server)
}

async function recordConsents(server: Server): Promise<void> {
  const { id, call } = await server.workspace()
  const { id: contact_id, phone_number } = (await call('POST', '/contacts', newContact())).body.data
  for (const status of ['granted', 'revoked'])
    await call('POST', `/contacts/${contact_id}/consents`, { kind: 'sms', status })
  const refused = await findRefusals(server.at(id), { kind: 'sms', phone_numbers: [phone_number], own_numbers: [] })
  assert.equal(refused.get(phone_number), 'opted_out')
  for (const path of ['consents?kind=sms&status=granted', `suppressions?kind=sms&phone_number=%2B14155550100`])
    assert.equal((await call('GET', `/${path}`)).status, 200)
  await call('POST', '/consents/verify')
  await call('GET', '/consents/export')
  for (const _ of ['first', 'repeated']) await call('POST', '/suppressions', newSuppression({ phone_number }))
  await call('DELETE', `/contacts/${contact_id}`)
}

/** A conversation with a tool, from its beginning to its deletion. */
async function talk(server: Server): Promise<void> {
  const tenant = await server.workspace()
  const { call } = tenant
  const at = server.at(tenant.id)
  await call('PATCH', '/workspace', { settings: { conversations_keep_days: 1 } })
  const make = async (path: string, body: object) => (await call('POST', path, body)).body.data.id
  const contact_id = await make('/contacts', newContact())
  await make('/tools', newTool({ name: 'book' }))
  const nodes = {
    ask: { say: 'When?', on: [{ hear: ['now'], go: 'book' }] },
    book: { tool: 'book', ok: 'ask', failed: 'ask' },
  }
  const agent_id = await make('/agents', { name: 'Reception', script: { start: 'ask', nodes }, tools: ['book'] })
  const id = await make('/conversations', { agent_id, contact_id, metadata: { ticket: '1' } })
  await call('POST', `/conversations/${id}/messages`, { text: 'now' })
  await tenant.work()
  for (const query of [
    'status=open',
    `contact_id=${contact_id}&sort=last_turn_at`,
    `agent_id=${agent_id}`,
    'kind=api',
    'channel_id=x',
  ])
    assert.equal((await call('GET', `/conversations?${query}`)).status, 200)
  const time = clock.iso(clock.wall())
  assert.equal((await call('GET', `/conversations?created_after=${time}&created_before=${time}`)).status, 200)
  const turn = conversation_turns.newTurn({ seq: 1, role: 'agent', text: 'When?', created_at: time })
  await conversation_turns.keepText(at, { id, seq: 1, text: 'When?' })
  await conversation_turns.closeTurns(at, [{ id, turn }])
  await conversation_turns.listTogether(at, { conversation_id: id, after: 0, limit: 1 })
  await unlinkCalls(at, [newId()])
  const other = await server.workspace()
  await Promise.all([at, server.at(other.id)].map((one) => at.tools.watch.readSnapshot(one, id)))
  const context = { conversation_id: id, agent_id, contact_id, kind: 'voice' as const, configuration: complete({}) }
  const callback = { at: clock.iso(clock.wall() + clock.day_ms) }
  await runBuiltIn(at, context, { run: newId(), name: 'schedule_callback', arguments: callback })
  await tokens.addTokens(at, [{ channel_id: null, tokens: 1 }])
  await tokens.isOverLimit(at, { channel_id: null })
  await renewConversations(at, await claimConversations(at, { slots: 1 }))
  await call('DELETE', `/contacts/${contact_id}`)
  await call('DELETE', `/agents/${agent_id}`)
  await call('POST', `/conversations/${id}/close`)
  await call('POST', `/conversations/${id}/messages`, { text: 'Hello?' })
}

/** A thread by SMS, with a message whose fate is not known. */
async function textBySms(server: Server): Promise<void> {
  const carrier = await openCarrier({ troubleFor: () => 'accepted_without_answer' })
  const tenant = await server.workspace()
  const at = server.at(tenant.id)
  const agent_id = (await tenant.call('POST', '/agents', { name: 'Reception', greeting: 'Hello' })).body.data.id
  const channel = await newSmsChannel(server, tenant, { carrier, agent_id })
  const later = () => clock.wall() + 3_000
  await text(tenant, channel, 'Hello')
  for (const word of ['START', 'Hello again']) await text(tenant, channel, word)
  const by_whatsapp = { From: 'whatsapp:+14155550123', To: `whatsapp:${own_number}` }
  await postSigned(tenant, channel.inbound_url, { ...inboundForm('HELP'), ...by_whatsapp })
  const [contact] = (await tenant.call('GET', '/contacts')).body.data
  await tenant.call('POST', '/conversations', { agent_id, contact_id: contact.id, channel_id: channel.id })
  await call_claims.renew(at, [])
  await message_claims.renew(at, await message_claims.claim(server.at(tenant.id, later()), { slots: 1 }))
  await pausedUntil(at, { id: contact.id, kind: 'sms', turn_count: 20 })
  const other = (await tenant.call('POST', '/contacts', newContact())).body.data
  await tenant.call('POST', '/conversations', { agent_id, contact_id: other.id, channel_id: channel.id })
  await tenant.work(later())
  await tenant.work(later() + 20_000)
  await carrier.close()
}

/** One replies, and one can't any more because nobody answers. */
async function textSimulatedPeople(server: Server): Promise<void> {
  const tenant = await server.workspace()
  const { id: channel_id } = await tenant.addChannel()
  for (const phone_number of ['+14155550100', '+14155550111', '+14155550155']) {
    const contact_id = (await tenant.call('POST', '/contacts', { phone_number })).body.data.id
    const agent_id = (await tenant.call('POST', '/agents', { name: newId(), greeting: 'Hello' })).body.data.id
    await tenant.call('POST', '/conversations', { agent_id, contact_id, channel_id })
  }
  await tenant.work()
  for (const later of [3_000, 70_000]) await tenant.work(clock.wall() + later)
}

/** Calls that are found, canceled, redacted and deleted. */
async function placeCalls(server: Server): Promise<void> {
  const tenant = await server.workspace()
  const { call, addCall } = tenant
  await call('PATCH', '/workspace', { settings: { calls_keep_days: 1 } })
  const agent_id = (await call('POST', '/agents', { name: 'Reception' })).body.data.id
  await tenant.addChannel({ kind: 'voice', agent_id: null })
  const to = phoneNumber()
  assert.equal((await call('POST', '/calls', { agent_id, to })).status, 400)
  assert.equal((await call('POST', '/calls', { agent_id, to, simulate: '00' })).status, 201)
  const { id, conversation_id } = await addCall({ agent_id, is_over: true })
  const time = clock.iso(clock.wall())
  const filters = [
    'status=queued',
    'outcome=answered',
    'direction=outbound',
    'search=good',
    'search=a,%20b',
    'contact_id=x',
    `agent_id=${agent_id}`,
    `created_after=${time}&created_before=${time}`,
  ]
  for (const filter of filters) assert.equal((await call('GET', `/calls?${filter}`)).status, 200)
  const other = await server.workspace()
  await Promise.all([tenant, other].map((one) => one.call('GET', `/calls/${id}`)))
  const watched = [server.at(tenant.id), server.at(other.id)]
  await Promise.all(watched.map((at) => at.tools.call_watch.readSnapshot(at, id)))
  await call('POST', `/conversations/${conversation_id}/redact`)
  const in_two_days = () => clock.wall() + 2 * day_ms
  const service: Service = { ...server.at(tenant.id), pool: server.pool }
  const options = { service, events_keep_days: 30, isStopping: never, log, now: in_two_days }
  await retention.removeExpiredIn(options, tenant.id)
  assert.equal((await call('GET', `/calls/${id}`)).status, 404)
}

/** Calls that are scheduled, driven by an advance, and continued by people. */
async function driveCalls(server: Server): Promise<void> {
  const tenant = await server.workspace()
  const at = server.at(tenant.id)
  await tenant.addTestClock()
  const script = { start: 'hi', nodes: { hi: { say: 'Hello?', on: [{ intent: 'yes', go: '@end' }] } } }
  const agent_id = (await tenant.call('POST', '/agents', { name: 'Reception', script })).body.data.id
  const scheduled_at = clock.iso(at.now + 1_000)
  const contact_id = (await tenant.call('POST', '/contacts', { phone_number: '+14155550109' })).body.data.id
  const { id } = (await tenant.call('POST', '/calls', { agent_id, contact_id, scheduled_at })).body.data
  await advance(tenant, 15)
  const { conversation_id } = (await tenant.call('GET', `/calls/${id}`)).body.data
  await tenant.call('POST', `/conversations/${conversation_id}/hand_over`)
  await tenant.call('POST', `/conversations/${conversation_id}/answers`, { text: 'Hello.' })
  await advance(tenant, 2_000)
  assert.equal((await tenant.call('GET', `/calls/${id}`)).body.data.status, 'completed')
  assert.equal((await findEndedRuns(at, { conversation_id, ids: [newId()] })).size, 0)
  const at_night = { ...at, now: clock.parse('2027-03-02T10:00:00Z') }
  const waiting = {
    id: newId(),
    contact_id,
    conversation_id: null,
    to: '+14155550109',
    started_at: null,
    request: null,
  }
  const callback = { ...waiting, status: 'scheduled' as const, keeps_quiet_hours: true }
  assert.deepEqual(await withoutQuiet(at_night, [callback], newId()), [])
}

/** A visitor chats, leaves a number, and goes on after the end. */
async function chatOnPage(server: Server): Promise<void> {
  const tenant = await server.workspace()
  const agent_id = (await tenant.call('POST', '/agents', { name: 'Reception', greeting: 'Hello.' })).body.data.id
  const channel = await tenant.addChannel({ name: 'Site', kind: 'web_chat', provider: 'web', agent_id })
  const path = `/chat/${channel.id}`
  const { token, conversation } = (await server.fetch('POST', `${path}/sessions`, {})).body.data
  const as_visitor = { authorization: `Bearer ${token}` }
  const send = async (to: string, body: object) => {
    const { status, text } = await server.fetch('POST', `${path}/${to}`, body, as_visitor)
    assert.ok(status < 300, text)
  }
  await send('messages', { text: 'Hello?', after: `${conversation.id}:0` })
  await send('phone_number', { phone_number: phoneNumber() })
  await tenant.call('POST', `/conversations/${conversation.id}/close`)
  await send('messages', { text: 'Hello?' })
  assert.equal((await server.fetch('GET', `${path}/session`, undefined, as_visitor)).status, 200)
}

async function workOnChannels(server: Server): Promise<void> {
  const { id: workspace, call, addChannel } = await server.workspace()
  const at = server.at(workspace)
  const { id } = await addChannel()
  const channel = await channels.find(at, id)
  assert.ok(channel)
  await call('GET', '/channels?kind=sms&status=active')
  await channels.ownNumbers(at)
  await channel_owners.findOwners(at, [id])
  await inTransaction(at, async (at) => {
    await channel_usage.reserve(at, { channels: [channel], wanted: new Map([[id, 1]]) })
    await channel_usage.addTokens(at, /*T*/ [{ channel_id: id, tokens: 1 }])
    await channels.setFailing(at, { id, error: 'The account is suspended.' })
    await channels.remove(at, { id, isCurrent: () => true })
  })
  await channel_usage.isOverTokens(at, { ...channel, tokens_per_day_max: 1 })
}

/** A campaign from its beginning to its deletion. */
async function runCampaigns(server: Server): Promise<void> {
  const tenant = await server.workspace()
  const { id: workspace, call, work } = tenant
  const starts_at = clock.iso(clock.wall() + day_ms)
  const campaign = await createCampaign(tenant, { starts_at })
  const [contact_id = '', other_id = ''] = await createContacts(tenant, 2)
  await enroll(tenant, campaign.id, { contact_ids: [contact_id, other_id] })
  const path = `/campaigns/${campaign.id}`
  for (const query of ['', 'status=pending', `contact_id=${contact_id}`])
    await call('GET', `${path}/enrollments?${query}`)
  await call('GET', '/campaigns?status=draft')
  const { id } = (await call('GET', `${path}/enrollments`)).body.data[0]
  for (const verb of ['start', 'pause', 'resume']) assert.equal((await call('POST', `${path}/${verb}`)).status, 200)
  await call('PATCH', path, { starts_at: null })
  for (const verb of ['pause', 'resume']) await call('POST', `${path}/${verb}`)
  await call('POST', `/enrollments/${id}/skip`)
  await server.pool.run(
    sql`update enrollments set last_call_id = ${newId()}, last_conversation_id = ${newId()} where workspace_id = ${workspace}`,
  )
  await call('GET', `${path}/report`)
  await addContacts(server, workspace, 3_100)
  await fill(server, tenant, campaign.id, 1_000_000 - 2_000)
  assert.equal((await enroll(tenant, campaign.id, { filter: {} })).status, 202)
  await work()
  await call('DELETE', `/contacts/${contact_id}`)
  await call('POST', `${path}/cancel`)
  const draft = await createCampaign(tenant)
  await call('POST', `/campaigns/${draft.id}/start`)
  await enroll(tenant, draft.id, { contact_ids: [other_id] })
  await call('DELETE', `/agents/${draft.agent_id}`)
  await call('DELETE', `/campaigns/${draft.id}`)
  await work()
}

async function callOperations(server: Server): Promise<void> {
  for (const operation of operations) {
    const tenant = await server.workspace()
    const resource = await makeSample(operation, tenant)
    await prepare(operation, tenant, resource)
    const { status, text } = await sendRequest(operation, tenant, pathFor(operation, resource), sampleBody(operation))
    assert.equal(status, successStatus(operation), `${operation.id}: ${text}`)
  }
  const { id: workspace, call } = await server.workspace()
  for (const is_default of [true, true]) await call('POST', '/providers', newProvider({ is_default }))
  await call('GET', '/events')
  const { id } = (await call('GET', '/events?limit=1')).body.data[0]
  await feed.listNext(server.pool, workspace, undefined, 0)
  await lastPositions(server.pool, [workspace, (await server.workspace()).id])
  for (const query of [`after=${id}`, `resource_id=${newId()}`, `type=contact.*`]) await call('GET', `/events?${query}`)
}

const filters = {
  search: ['ada', 'a', '.e'],
  tag: ['vip', 'vip&tag=trial'],
  source: ['api'],
  created_after: ['2026-01-01T00:00:00Z'],
  crm_id: ['1&crm_system=hubspot'],
}

/** Every combination of filters, with each kind of page. */
async function listContacts(server: Server): Promise<void> {
  const large = await server.workspace()
  const small = await server.workspace()
  for (const { call } of [large, small])
    for (let count = 0; count < 3; count += 1)
      await call('POST', '/contacts', newContact({ first_name: 'Ada', tags: ['vip', 'trial'] }))
  await short_search.startTotals(server.at(large.id))
  await short_search.applyAllChanges({ db: server.pool })
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
  const ids = await Promise.all(
    [large, small].map(async ({ call }) => (await call('GET', '/contacts')).body.data[0].id),
  )
  await Promise.all([large, small].map(({ id }, index) => contacts.get(server.at(id), ids[index])))
}

async function changeContacts(server: Server): Promise<void> {
  const tenant = await server.workspace()
  const { call } = tenant
  const create = async (fields: object = {}) => (await call('POST', '/contacts', newContact(fields))).body.data
  const [first, second] = [await create({ tags: ['vip'] }), await create()]
  await call('POST', '/contacts', { phone_number: first.phone_number })
  for (const [path, body] of [
    ['/contacts', newContact()],
    ['/webhooks', newWebhook()],
    [`/contacts/imports/${newId()}/undo`, undefined],
    [`/tools/${newId()}/test`, {}],
  ] as const) {
    const headers = { 'idempotency-key': newId() }
    for (const _ of ['first', 'repeated']) await call('POST', path, body, headers)
  }
  await call('PATCH', `/contacts/${first.id}`, { phone_number: second.phone_number })
  await call('PATCH', `/contacts/${first.id}`, { first_name: 'Ada', tags: ['trial'] })
  await call('PUT', `/contacts/${first.id}/crm_ids/hubspot`, { id: '1' })
  await call('GET', '/contacts?created_before=2036-01-01T00:00:00Z')
  await call('DELETE', `/contacts/${first.id}`)
}

/** The recording is deleted, and its file removed, while it is stored. */
async function deleteWhileStored(server: Server): Promise<void> {
  const tenant = await server.workspace()
  const id = await addRecordedCall(server.pool, tenant, one_word)
  const at = server.at(tenant.id)
  const put = async () => {
    await tenant.call('DELETE', `/calls/${id}/recording`)
    await tenant.work()
  }
  const tools = { ...at.tools, blobs: { ...at.tools.blobs, put } }
  const call = { id, created_at: '2026-11-15T09:30:00.000Z' }
  await store({ ...at, tools }, call, { size: 0, stream: Readable.from([]) })
}

async function importContacts(server: Server): Promise<void> {
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

async function receiveMessages(server: Server): Promise<void> {
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

async function sendWebhooks(server: Server): Promise<void> {
  const { call, work, newKey } = await server.workspace()
  const create = async (fields: object) =>
    (await call('POST', '/webhooks', newWebhook({ url: 'inbox', ...fields }))).body.data
  const hooks = [await create({}), await create({ inbox_answer: '500' }), await create({ inbox_answer: '410' })]
  const contact = (await call('POST', '/contacts', newContact())).body.data
  await work()
  await work(clock.wall() + day_ms)
  await call('DELETE', `/contacts/${contact.id}`)
  for (const { id } of hooks) {
    for (const status of ['pending', 'succeeded', 'failed'])
      await call('GET', `/webhooks/${id}/deliveries?status=${status}`)
    await call('POST', `/webhooks/${id}/recover`, { since: '2026-01-01T00:00:00Z' })
  }
  const [first] = hooks
  await call('GET', `/webhooks/${first.id}/inbox`, undefined, { authorization: `Bearer ${await newKey()}` })
  const { id: moved } = (await call('POST', '/webhooks', newWebhook())).body.data
  await call('PATCH', `/webhooks/${moved}`, { url: 'https://93.184.215.14/moved' })
  await call('POST', '/contacts', newContact())
  await call('PATCH', `/webhooks/${first.id}`, { status: 'disabled' })
  await work()
  await call('DELETE', `/webhooks/${first.id}`)
}

async function advanceTestClock(server: Server): Promise<void> {
  const tenant = await server.workspace()
  const { call, work, addTestClock } = tenant
  await addTestClock()
  await call('POST', '/webhooks', newWebhook({ url: 'inbox', inbox_answer: '500' }))
  await call('POST', '/contacts', newContact())
  await work()
  await call('POST', '/test_clock/advance', { by_seconds: 60 })
  do await work()
  while ((await call('GET', '/test_clock')).body.data.status === 'advancing')
  await call('POST', '/test_clock/advance', { by_seconds: 60 })
  const token = newId()
  const { id: clock_id } = await server.pool.one<{ id: string }>(
    sql`update test_clocks set lease_token = ${token} where workspace_id = ${tenant.id} returning id`,
  )
  const nothing = async () => {}
  const advances = advancing({ kinds: [], drain: nothing, removeExpired: nothing, log })
  const lease = { workspace: tenant.id, id: clock_id, token, due_at: '' }
  await inTransaction(server.at(tenant.id), async (at) => advances.giveUp?.(at, lease))
}

async function setUpFirstPerson(server: Server): Promise<void> {
  await server.workspace()
  const token = (await setup.createToken({ db: server.pool, now: clock.wall() })) ?? ''
  const { go } = browser(server)
  await go('GET', `/setup/${token}`)
  const { status, text } = await go('POST', `/setup/${token}`, { email: 'first@example.com', name: 'First', password })
  assert.equal(status, 200, text)
}

async function visitDashboard(server: Server): Promise<void> {
  const workspace = await server.workspace()
  const headers = inWorkspace(workspace)
  const owner = await newPerson(server, { [workspace.id]: 'owner' })
  const member = await newPerson(server, { [workspace.id]: 'member' })
  const { go } = owner
  const invite = async (fields: object = {}) => {
    const { body } = await go('POST', '/invitations', { role: 'member', ...fields }, headers)
    return { id: body.data.id, token: body.data.link.split('/').at(-1) }
  }
  const earlier = browser(server, await newSessionToken(server, owner.id, clock.wall() - day_ms))
  const visitor = { email: 'visitor@example.com', name: 'Visitor', password }
  for (const [who, method, path, body] of [
    [owner, 'GET', '/session'],
    [earlier, 'GET', '/session'],
    [browser(server), 'POST', '/session', { email: 'first@example.com', password }],
    [owner, 'GET', '/sessions'],
    [owner, 'DELETE', `/sessions/${newId()}`],
    [owner, 'PATCH', '/person', { name: 'Owner' }],
    [owner, 'POST', '/workspaces', { name: newId(), kind: 'test' }],
    [owner, 'GET', '/members'],
    [owner, 'PATCH', `/members/${member.id}`, { role: 'viewer' }],
    [owner, 'PATCH', `/api/v1/channels/${(await workspace.addChannel()).id}`, { name: 'Another' }],
    [owner, 'GET', '/invitations'],
    [owner, 'GET', `/invitations/${(await invite()).token}`],
    [owner, 'DELETE', `/invitations/${(await invite()).id}`],
    [browser(server), 'POST', `/invitations/${(await invite()).token}`, visitor],
    [await newPerson(server), 'POST', `/invitations/${(await invite()).token}`, {}],
    [owner, 'DELETE', `/members/${member.id}`],
    [owner, 'PUT', '/password', { current_password: password, new_password: `${password}!` }],
    [owner, 'DELETE', '/session'],
    [member, 'DELETE', '/sessions'],
  ] as const) {
    const { status, text } = await who.go(method, path, body, headers)
    assert.ok(status < 300 || path.startsWith('/sessions/'), `${method} ${path}: ${text}`)
  }
}

/** What the command line and the start of the service send. */
async function runCommands(server: Server): Promise<void> {
  const { pool } = server
  const { id, key } = await server.workspace()
  const at = server.at(id)
  await isMigrated(pool)
  await isCurrent(pool, listNames(migrations))
  await listUnknown(pool, migrations)
  await server.fetch('GET', '/ready')
  const [{ name = '' } = {}] = await workspaces.list({ db: pool })
  await workspaces.find({ db: pool }, name)
  await workspaces.readSettings(at)
  await people.list({ db: pool })
  await versions.findByName(at, { agent_id: newId(), name: 'v1' })
  await inTransaction(at, (at) => api_keys.ensure(at, { token: key, key: { name, scopes: null, expires_at: null } }))
  const [found] = await api_keys.findByHashes({ db: pool }, [hashOf(key)])
  await api_keys.listAll({ db: pool })
  await api_keys.recordUses({ db: pool }, [{ workspace_id: id, id: found?.id ?? '', used_at: clock.wall() }])
  await api_keys.findOwner({ db: pool }, found?.id ?? '')
  await inTransaction(at, (at) => api_keys.revokeAny(at, found?.id ?? ''))
  for (const { list, replace } of [
    ...webhook_columns,
    ...integration_columns,
    ...provider_columns,
    ...tool_columns,
    ...channel_columns,
    consent_column,
    idempotency_column,
  ]) {
    await list(at, undefined, 1)
    await replace(at, [])
  }
}

async function workInBackground(server: Server): Promise<void> {
  const { tools, hooks } = server.at('')
  const service = { pool: server.pool, tools, hooks }
  const tenant = await server.workspace()
  const { call } = tenant
  await runWorker(service, server, tenant)
  await call('POST', '/contacts', newContact())
  await assignPositions({ db: server.pool }, never)
  await short_search.startInLargeWorkspaces({ db: server.pool })
  await short_search.applyAllChanges({ db: server.pool })
  const failing = { ...imports, begin: () => Promise.reject(new Error('a batch that fails')) }
  await call('POST', '/contacts/imports', newImport())
  const engine = new Engine(rowWork(failing), { service, log })
  engine.add(tenant.id)
  await engine.idle(tenant.id)
  await engine.stop()
  const lease = { workspace: tenant.id, id: newId(), due_at: clock.iso(0), token: newId() }
  const { openLeases, limits } = rowWork(imports)
  const state = newState<typeof lease>(tenant.id, limits)
  state.claimed.add(lease)
  await openLeases().renew(server.pool, [state])
  await openSenderLeases().renew(server.pool, [newState(tenant.id, limits)])
  await inTransaction(server.at(tenant.id), async (at) => imports.giveUp?.(at, lease))
  for (let count = 0; count <= 100; count += 1) {
    await addToCounts(server.at(tenant.id), { webhook_ids: [lease.id], each: 1 })
  }
  for (const days of [0, 31, 100]) {
    const options = { service, events_keep_days: 30, isStopping: never, log, now: () => clock.wall() + days * day_ms }
    await retention.removeExpired(options)
    await retention.tidyDeliveries(options)
  }
}

/** Runs the worker until an import and a delivery are done and no work is due. */
async function runWorker(service: Service, server: Server, { id, call }: Tenant): Promise<void> {
  const notes = openDueNotes(server.pool, background_kinds, log)
  const worker = openWorker({ service, ownAddress: () => server.url, events_keep_days: 30, log })
  await call('POST', '/webhooks', newWebhook({ url: 'inbox' }))
  await call('POST', '/contacts', newContact())
  const imported = (await call('POST', '/contacts/imports', newImport())).body.data
  const countDue = async () =>
    (
      await server.pool.one<{ count: number }>(
        sql`select count(*) from due_workspaces where workspace_id = ${id} and due_at < 'infinity'`,
      )
    ).count
  await until(async () => (await call('GET', `/contacts/imports/${imported.id}`)).body.data.status === 'finished')
  await until(async () => (await countDue()) === 0)
  // Until it has polled.
  await sleep(1_000)
  await worker.stop()
  await notes.stop()
}
