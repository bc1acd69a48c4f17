import assert from 'node:assert/strict'
import { complete } from '../../../server/agents/configuration.ts'
import * as channel_owners from '../../../server/channels/owners.ts'
import * as channels from '../../../server/channels/store.ts'
import * as channel_usage from '../../../server/channels/usage.ts'
import { claim as claimConversations } from '../../../server/conversations/claim.ts'
import { unlinkCalls } from '../../../server/conversations/reactions.ts'
import { renewLeases as renewConversations } from '../../../server/conversations/rows.ts'
import * as tokens from '../../../server/conversations/store.ts'
import * as conversation_turns from '../../../server/conversations/turns.ts'
import { pausedUntil } from '../../../server/conversations/waiting.ts'
import { runBuiltIn } from '../../../server/drivers/built-in-tools.ts'
import { inTransaction } from '../../../server/kit/at.ts'
import * as clock from '../../../server/kit/clock.ts'
import { newId } from '../../../server/kit/id.ts'
import { claim as claimMessages } from '../../../server/messages/claims.ts'
import { renewLeases as renewMessages, wasSent } from '../../../server/messages/rows.ts'
import { openCarrier } from '../../peers/carrier.ts'
import type { Server } from '../harness.ts'
import { newContact, newMcpTool, newTool, phoneNumber } from '../samples.ts'
import { inboundForm, newSmsChannel, own_number, postSigned, text } from '../sms.ts'

/** A conversation with a tool, from its beginning to its deletion. */
export async function talk(server: Server): Promise<void> {
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
  // Tools of servers are found by the first part of their names.
  await make('/tools', newTool({ name: 'crm__find' }))
  const finder_id = await make('/agents', { name: 'Finder', tools: ['crm__find'] })
  await call('PATCH', `/agents/${finder_id}`, { tools: ['crm__find'] })
  await call('DELETE', `/tools/${await make('/tools', newMcpTool())}`)
  const id = await make('/conversations', { agent_id, contact_id, metadata: { ticket: '1' } })
  await call('POST', `/conversations/${id}/messages`, { text: 'Can I speak to Maria? Now!' })
  await tenant.work()
  await call('POST', `/conversations/${id}/messages`, { text: 'How do I unsubscribe?' })
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
export async function textBySms(server: Server): Promise<void> {
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
  await renewMessages(at, await claimMessages(server.at(tenant.id, later()), { slots: 1 }))
  await pausedUntil(at, { id: contact.id, kind: 'sms', turn_count: 20 })
  const other = (await tenant.call('POST', '/contacts', newContact())).body.data
  await tenant.call('POST', '/conversations', { agent_id, contact_id: other.id, channel_id: channel.id })
  await tenant.work(later())
  await tenant.work(later() + 20_000)
  await carrier.close()
}

/** Writes to simulated people: one replies, and one can't any more because nobody answers. */
export async function textSimulatedPeople(server: Server): Promise<void> {
  const tenant = await server.workspace()
  const { id: channel_id } = await tenant.addChannel()
  for (const phone_number of ['+14155550100', '+14155550111', '+14155550155']) {
    const contact_id = (await tenant.call('POST', '/contacts', { phone_number })).body.data.id
    const agent_id = (await tenant.call('POST', '/agents', { name: newId(), greeting: 'Hello' })).body.data.id
    await tenant.call('POST', '/conversations', { agent_id, contact_id, channel_id })
  }
  await tenant.work()
  for (const later of [3_000, 70_000]) await tenant.work(clock.wall() + later)
  await wasSent(server.at(tenant.id), { id: newId(), seq: 1 })
}

/** A visitor chats, leaves a number, and goes on after the end. */
export async function chatOnPage(server: Server): Promise<void> {
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

export async function workOnChannels(server: Server): Promise<void> {
  const { id: workspace, call, addChannel } = await server.workspace()
  const at = server.at(workspace)
  const { id } = await addChannel()
  const channel = await channels.find(at, id)
  assert.ok(channel)
  await call('GET', '/channels?kind=sms&status=active')
  await channels.ownNumbers(at)
  await channel_owners.openOwnerLookup(at.db)(id, at.now)
  await inTransaction(at, async (at) => {
    await channel_usage.reserve(at, { channels: [channel], wanted: new Map([[id, 1]]) })
    await channel_usage.addTokens(at, [{ channel_id: id, tokens: 1 }])
    await channels.setFailing(at, { id, error: 'The account is suspended.' })
    await channels.remove(at, { id, isCurrent: () => true })
  })
  await channel_usage.isOverTokens(at, { ...channel, tokens_per_day_max: 1 })
}
