import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import * as channels from '../../server/channels/store.ts'
import { inTransaction } from '../../server/kit/at.ts'
import * as clock from '../../server/kit/clock.ts'
import { account_sid, openCarrier } from '../peers/carrier.ts'
import { newAgent, newModelAgent } from '../support/conversations.ts'
import { serve, type Tenant } from '../support/harness.ts'
import { openaiServer } from '../support/model-servers.ts'
import { phoneNumber } from '../support/samples.ts'
import { inboundForm, newSmsChannel, postSigned, signatureOf, text } from '../support/sms.ts'

const server = await serve({ outbound_allow_hosts: ['127.0.0.1'] })
const carrier = await openCarrier()
after(() => carrier.close())

const later = (tenant: Tenant, ms = 2_000) => tenant.work(clock.wall() + ms)
const list = async (tenant: Tenant, path: string) => (await tenant.call('GET', path)).body.data
const sentTo = (number: string) => carrier.messages.filter(({ to }) => to === number).map(({ body }) => body)

async function newThread(more: object = {}) {
  const tenant = await server.workspace()
  const agent_id = await newAgent(tenant, { greeting: 'Hello', ...more })
  return { tenant, agent_id, channel: await newSmsChannel(server, tenant, { carrier, agent_id }) }
}

const disable = (tenant: Tenant, id: string) =>
  inTransaction(server.at(tenant.id), (at) =>
    channels.update(at, { id, change: { status: 'disabled' }, isCurrent: () => true }),
  )

test('an opt-out that the agent notes is for the number that has written, and ends the conversation', async () => {
  const model = await openaiServer({
    words: ['Goodbye.'],
    tool_call: { name: 'opt_out', arguments: {} },
    calls_once: true,
  })
  const tenant = await server.workspace()
  const agent_id = await newModelAgent(tenant, model)
  const channel = await newSmsChannel(server, tenant, { carrier, agent_id })
  const [number, other] = [phoneNumber(), phoneNumber()]
  await text(tenant, channel, 'Hello', { from: number })
  const [contact] = await list(tenant, '/contacts')
  await tenant.call('PATCH', `/contacts/${contact.id}`, { phone_number: other })
  await text(tenant, channel, 'Please never write to me again.', { from: number })
  await later(tenant)
  const [conversation] = await list(tenant, '/conversations')
  assert.deepEqual([conversation.status, conversation.close_reason], ['closed', 'opted_out'])
  assert.equal(sentTo(number).length, 1, 'the last words go out')
  const write = (contact_id: string) =>
    tenant.call('POST', '/conversations', { agent_id, contact_id, channel_id: channel.id })
  assert.equal((await write(contact.id)).status, 201, 'the other number has not opted out')
  await tenant.call('PATCH', `/contacts/${contact.id}`, { phone_number: phoneNumber() })
  const again = (await tenant.call('GET', `/contacts?search=${encodeURIComponent(number)}`)).body.data[0]
  const refused = await write(
    (again ?? (await tenant.call('POST', '/contacts', { phone_number: number })).body.data).id,
  )
  assert.equal(refused.body.error.details.rule, 'opted_out')
})

test('a disabled channel receives only words such as STOP', async () => {
  const { tenant, agent_id, channel } = await newThread()
  const number = phoneNumber()
  await disable(tenant, channel.id)
  await text(tenant, channel, 'Hello', { from: number })
  assert.deepEqual([await list(tenant, '/contacts'), await list(tenant, '/conversations')], [[], []])
  await text(tenant, channel, 'STOP', { from: number })
  const [contact] = await list(tenant, '/contacts')
  const [consent] = await list(tenant, `/contacts/${contact.id}/consents`)
  assert.equal(consent.status, 'revoked')
  await later(tenant)
  assert.deepEqual(sentTo(number), [])
  const begun = await tenant.call('POST', '/conversations', {
    agent_id,
    contact_id: contact.id,
    channel_id: channel.id,
  })
  assert.equal(begun.status, 400)
})

test('a test workspace has no channel that sends', async () => {
  const tenant = await server.workspace()
  await tenant.addTestClock()
  const agent_id = await newAgent(tenant)
  await assert.rejects(newSmsChannel(server, tenant, { carrier, agent_id }), /simulator/)
})

test('forms that are too large or have too many parameters are refused, whether they are signed or not', async () => {
  const { tenant, channel } = await newThread()
  const withParameters = (count: number) => {
    const form = inboundForm('Hello')
    const more = count - Object.keys(form).length
    return { ...form, ...Object.fromEntries(Array.from({ length: more }, (_, index) => [`p${index}`, '1'])) }
  }
  const statusOf = async (form: Record<string, string>, signature?: string) =>
    (await postSigned(tenant, channel.inbound_url, form, signature)).status
  assert.equal(await statusOf(withParameters(200)), 200)
  const refused = [withParameters(201), inboundForm('x'.repeat(70_000))]
  for (const form of refused) {
    assert.equal(await statusOf(form), 413)
    assert.equal(await statusOf(form, 'A'.repeat(28)), 413)
  }
  assert.equal(await statusOf(withParameters(200), 'A'.repeat(28)), 403)
})

test('a channel is not reached by the token or the URL of another', async () => {
  const { tenant, channel } = await newThread()
  const { channel: other, tenant: neighbour } = await newThread()
  const form = inboundForm('Hello')
  const elsewhere = await postSigned(tenant, other.inbound_url, form, signatureOf(channel.inbound_url, form))
  assert.equal(elsewhere.status, 403)
  const unknown = channel.inbound_url.replace(channel.id, account_sid)
  assert.equal((await postSigned(tenant, unknown, form)).status, 404)
  assert.deepEqual(await list(neighbour, '/conversations'), [])
})

test('deleting a contact unlinks its threads, and not those of others', async () => {
  const { tenant, channel } = await newThread()
  const number = phoneNumber()
  await text(tenant, channel, 'Hello', { from: number })
  const [first] = await list(tenant, '/contacts')
  await tenant.call('PATCH', `/contacts/${first.id}`, { phone_number: phoneNumber() })
  const second = (await tenant.call('POST', '/contacts', { phone_number: number })).body.data
  await tenant.call('DELETE', `/contacts/${second.id}`)
  const [kept] = await list(tenant, '/conversations')
  assert.deepEqual([kept.contact_id, kept.counterpart], [first.id, number])
  await tenant.call('DELETE', `/contacts/${first.id}`)
  const [unlinked] = await list(tenant, '/conversations')
  assert.deepEqual([unlinked.contact_id, unlinked.counterpart], [null, null])
  const events = (await tenant.call('GET', '/events?limit=100')).text
  assert.ok(!events.includes(number.slice(1)), 'no event has the number')
})

test('a person can write at most 1,600 characters by SMS', async () => {
  const { tenant, channel } = await newThread()
  await text(tenant, channel, 'Hello', { from: phoneNumber() })
  const [{ id }] = await list(tenant, '/conversations')
  await tenant.call('POST', `/conversations/${id}/hand_over`)
  const answer = (length: number) => tenant.call('POST', `/conversations/${id}/answers`, { text: 'x'.repeat(length) })
  assert.deepEqual([(await answer(1_601)).status, (await answer(1_600)).status], [400, 201])
})

test('words are answered only where messages may go, and not without end', async () => {
  const { tenant, channel } = await newThread()
  const [abroad, suppressed, chatty] = ['+252612345678', phoneNumber(), phoneNumber()]
  await tenant.call('POST', '/suppressions', { phone_number: suppressed })
  for (const from of [abroad, suppressed])
    for (const word of ['HELP', 'START', 'STOP']) await text(tenant, channel, word, { from })
  for (let count = 0; count < 12; count += 1) await text(tenant, channel, 'HELP', { from: chatty })
  await later(tenant)
  assert.deepEqual([sentTo(abroad), sentTo(suppressed)], [[], []])
  assert.equal(sentTo(chatty).length, 10)
})

test('STOP is about calls too, also for someone who had opted out of messages only', async () => {
  const { tenant, channel } = await newThread()
  const phone_number = phoneNumber()
  const contact = (await tenant.call('POST', '/contacts', { phone_number })).body.data
  await tenant.call('POST', `/contacts/${contact.id}/consents`, { kind: 'sms', status: 'revoked' })
  for (const _ of ['first', 'repeated']) await text(tenant, channel, 'STOP', { from: phone_number })
  const consents: { kind: string }[] = await list(tenant, `/contacts/${contact.id}/consents`)
  assert.deepEqual(
    consents.map(({ kind }) => kind),
    ['all', 'sms'],
  )
})

test('a message from the own number is ignored, and odd parameters are refused', async () => {
  const { tenant, channel } = await newThread()
  await text(tenant, channel, 'Hello', { from: channel.address })
  assert.deepEqual(await list(tenant, '/conversations'), [])
  for (const change of [{ From: 'a\u0000' }, { MessageSid: 'SM\u0000' }, { MessageSid: '' }, { From: '' }]) {
    const answer = await postSigned(tenant, channel.inbound_url, { ...inboundForm('Hello'), ...change })
    assert.equal(answer.status, 400)
  }
})

test('odd answers of a carrier are stored safely, and lose no other result', async () => {
  const odd = await openCarrier({
    troubleFor: (form) =>
      form.get('To')?.endsWith('9') ? { status: 400, code: 21211, message: 'No \u0000 +14155550123' } : undefined,
  })
  const tenant = await server.workspace()
  const agent_id = await newAgent(tenant, { greeting: 'Hello' })
  const channel = await newSmsChannel(server, tenant, { carrier: odd, agent_id })
  const numbers = Array.from({ length: 10 }, (_, index) => `+1415555300${index}`)
  for (const from of numbers) await text(tenant, channel, 'Hi', { from })
  await later(tenant)
  const conversations: { id: string; counterpart: string }[] = await list(tenant, '/conversations')
  for (const { id, counterpart } of conversations) {
    const [, turn] = await list(tenant, `/conversations/${id}/turns`)
    assert.equal(turn.message.status, counterpart.endsWith('9') ? 'failed' : 'sent')
    assert.ok(!String(turn.message.error).includes('4155550123'))
  }
  const [sent] = odd.messages
  const form = { MessageSid: sent?.sid ?? '', MessageStatus: 'undelivered', ErrorCode: '30003\u0000 +14155557714' }
  assert.equal((await postSigned(tenant, sent?.status_callback ?? '', form)).status, 200)
  const opted_out = { ...form, To: sent?.to ?? '', ErrorCode: '21610' }
  assert.equal((await postSigned(tenant, sent?.status_callback ?? '', opted_out)).status, 200)
  const [contact] = await list(tenant, `/contacts?search=${encodeURIComponent(sent?.to ?? '')}`)
  const [consent] = await list(tenant, `/contacts/${contact.id}/consents`)
  assert.equal(consent.status, 'revoked')
  await odd.close()
})
