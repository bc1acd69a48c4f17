import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import * as channels from '../../server/channels/store.ts'
import { inTransaction } from '../../server/kit/at.ts'
import * as clock from '../../server/kit/clock.ts'
import { raw, sql } from '../../server/kit/postgres/sql.ts'
import { openCarrier, type Trouble } from '../peers/carrier.ts'
import { create, get, newAgent, turnsOf } from '../support/conversations.ts'
import { serve, type Tenant } from '../support/harness.ts'
import { inboundForm, newSmsChannel, own_number, postSigned, text } from '../support/sms.ts'

const server = await serve()

/** What happens to the next requests that send to a number, in order. Undefined: it is accepted. */
const troubles = new Map<string, (Trouble | undefined)[]>()
const asked: string[] = []
const carrier = await openCarrier({
  troubleFor(form) {
    const to = form.get('To') ?? ''
    asked.push(to)
    return troubles.get(to)?.shift()
  },
})
after(() => carrier.close())

const script = {
  start: 'ask',
  nodes: { ask: { say: 'How can I help?', else: { say: 'We open at nine.', go: 'ask' } } },
}
const minute_ms = 60_000

/** A conversation by SMS that a person has taken over, so that tests choose what is sent. */
async function newThread(fields: Record<string, unknown> = {}) {
  const tenant = await server.workspace()
  const agent_id = await newAgent(tenant, { script })
  const channel = await newSmsChannel(server, tenant, { carrier, agent_id, ...fields })
  const number = newNumber()
  const id = await handedOver(tenant, channel, number)
  const begun_at = clock.wall()
  return {
    tenant,
    agent_id,
    channel,
    number,
    id,
    /** Runs what is due this many seconds after the beginning. */
    workAt: (seconds: number) => tenant.work(begun_at + seconds * 1_000),
    write: (words: string) => create(tenant, `/conversations/${id}/answers`, { text: words }),
    messages: () => messagesOf(tenant, id),
  }
}

let last_number = 1_000
function newNumber(): string {
  last_number += 1
  return `+1415556${last_number}`
}

async function handedOver(tenant: Tenant, channel: { id: string; inbound_url: string }, from: string): Promise<string> {
  await text(tenant, channel, 'Hello', { from })
  const conversations: { id: string; counterpart: string }[] = await list(tenant, '/conversations')
  const id = conversations.find(({ counterpart }) => counterpart === from)?.id ?? ''
  await tenant.call('POST', `/conversations/${id}/hand_over`)
  return id
}

const list = async (tenant: Tenant, path: string) => (await tenant.call('GET', path)).body.data
const sentTo = (number: string) => carrier.messages.filter(({ to }) => to === number).map(({ body }) => body)
const timesAsked = (number: string) => asked.filter((to) => to === number).length
const channelOf = (tenant: Tenant, id: string) => list(tenant, `/channels/${id}`)

/** The status and the error of each message that was or is to be sent. */
async function messagesOf(tenant: Tenant, id: string): Promise<[string, string | null][]> {
  const turns: { role: string; message: { status: string; error: string | null } }[] = await list(
    tenant,
    `/conversations/${id}/turns?limit=100`,
  )
  return turns.flatMap(({ role, message }) => (role === 'contact' ? [] : [[message.status, message.error]]))
}

const sent = ['sent', null]

test('a message that the carrier refuses has failed, and its error does not show the number', async () => {
  const { tenant, number, workAt, write, messages } = await newThread()
  const message = `The 'To' number ${number} is not a valid phone number.`
  troubles.set(number, [{ status: 400, code: 21211, message }])
  await write('One')
  await write('Two')
  await workAt(1)
  await workAt(600)
  const error = "The carrier refused the message (400 21211): The 'To' number … is not a valid phone number."
  assert.deepEqual(await messages(), [['failed', error], sent])
  assert.deepEqual([sentTo(number), timesAsked(number)], [['Two'], 2])
  const failed = await list(tenant, '/events?type=message.failed')
  assert.deepEqual(
    failed.map(({ data }: { data: object }) => 'error' in data && data.error),
    [error],
  )
})

test('an opt-out that only the carrier knows is recorded, and nothing else goes out', async () => {
  const { tenant, agent_id, channel, number, workAt, write, messages } = await newThread()
  troubles.set(number, [{ status: 400, code: 21610, message: 'Attempt to send to unsubscribed recipient' }])
  await write('One')
  await write('Two')
  await workAt(1)
  await workAt(10)
  const [contact] = await list(tenant, '/contacts')
  const consents = await list(tenant, `/contacts/${contact.id}/consents`)
  assert.deepEqual(
    consents.map(({ kind, status, source }: Record<string, string>) => [kind, status, source]),
    [['all', 'revoked', 'sms_keyword']],
  )
  assert.deepEqual(
    (await messages()).map(([status]) => status),
    ['failed', 'failed'],
  )
  assert.deepEqual((await messages())[1], ['failed', 'opted_out: This person has opted out.'])
  assert.deepEqual([sentTo(number), timesAsked(number)], [[], 1])
  const body = { agent_id, contact_id: contact.id, channel_id: channel.id }
  assert.equal((await tenant.call('POST', '/conversations', body)).body.error.details.rule, 'opted_out')
})

test('a message that the carrier is too busy for is sent later, once', async () => {
  const { number, workAt, write, messages } = await newThread()
  troubles.set(number, [{ status: 429 }, { status: 429 }])
  await write('One')
  await write('Two')
  await workAt(1)
  assert.deepEqual(await messages(), [
    ['queued', null],
    ['queued', null],
  ])
  await workAt(2)
  assert.equal(timesAsked(number), 1, 'it waits')
  await workAt(4)
  await workAt(20)
  assert.deepEqual([await messages(), sentTo(number), timesAsked(number)], [[sent, sent], ['One', 'Two'], 4])
})

test('a message that the carrier is too busy for again and again has failed', async () => {
  const { number, workAt, write, messages } = await newThread()
  troubles.set(
    number,
    Array.from({ length: 20 }, () => ({ status: 429, message: 'Too many requests' })),
  )
  await write('One')
  for (let step = 1; step <= 20; step += 1) await workAt(step * 600)
  assert.deepEqual(await messages(), [['failed', 'The carrier refused the message (429): Too many requests']])
  assert.equal(timesAsked(number), 10)
})

test('a channel whose token the carrier refuses fails, until a message is sent', async () => {
  const { tenant, channel, number, workAt, write, messages } = await newThread()
  troubles.set(number, [{ status: 401, code: 20003, message: 'Authenticate' }])
  await write('One')
  await workAt(1)
  const failing = await channelOf(tenant, channel.id)
  assert.equal(failing.status, 'failing')
  const { error } = await channels.get(server.at(tenant.id), channel.id)
  assert.equal(error, "The carrier doesn't accept the account SID or the auth token (401 20003): Authenticate")
  assert.deepEqual(await messages(), [['queued', null]])
  await workAt(4)
  assert.equal((await channelOf(tenant, channel.id)).status, 'active')
  assert.deepEqual([await messages(), sentTo(number)], [[sent], ['One']])
})

for (const [name, trouble] of [
  ['answered with 500', { status: 500 }],
  ['without an answer', 'reset'],
] as const)
  test(`a message ${name} that the carrier does not know is unknown after two minutes, and not sent again`, async () => {
    const { tenant, channel, id, number, workAt, write, messages } = await newThread()
    troubles.set(number, [trouble])
    await write('One')
    await write('Two')
    for (const seconds of [1, 12, 60, 119]) await workAt(seconds)
    assert.deepEqual(await messages(), [['queued', null], sent], 'those after it do not wait')
    await workAt(130)
    const unknown = ['unknown', 'The carrier does not know the message. It may not have been sent.']
    assert.deepEqual(await messages(), [unknown, sent])
    await workAt(3_600)
    assert.deepEqual([sentTo(number), timesAsked(number)], [['Two'], 2])
    const [event] = await list(tenant, '/events?type=message.failed')
    assert.equal(event.data.status, 'unknown')
    const form = { MessageSid: `SM${'1'.repeat(32)}`, MessageStatus: 'delivered', To: number, From: own_number }
    const url = `${channel.inbound_url}/status/${event.data.id}`
    assert.equal((await postSigned(tenant, url, form)).status, 200)
    assert.deepEqual(await messagesOf(tenant, id), [['delivered', null], sent])
  })

test('a message whose answer was lost is found at the carrier, and not sent again', async () => {
  const { number, workAt, write, messages } = await newThread()
  troubles.set(number, ['accepted_without_answer', 'accepted_without_answer'])
  await write('Same words')
  await write('Same words')
  await workAt(1)
  assert.deepEqual(await messages(), [
    ['queued', null],
    ['queued', null],
  ])
  await workAt(12)
  await workAt(24)
  assert.deepEqual(
    [await messages(), sentTo(number)],
    [
      [sent, sent],
      ['Same words', 'Same words'],
    ],
  )
  await workAt(600)
  assert.equal(timesAsked(number), 2)
})

test('a carrier id that a lookup gave to another message does not keep results from being recorded', async () => {
  const { tenant, channel, number, workAt, write, messages } = await newThread()
  troubles.set(number, ['reset', 'accepted_without_answer'])
  await write('Same words')
  await write('Same words')
  await workAt(1)
  await workAt(12)
  const [accepted] = carrier.messages.filter(({ to }) => to === number)
  assert.ok(accepted)
  const form = { MessageSid: accepted.sid, MessageStatus: 'delivered', To: number, From: own_number }
  assert.equal((await postSigned(tenant, accepted.status_callback, form)).status, 200)
  await workAt(200)
  const statuses = (await messages()).map(([status]) => status)
  assert.equal(statuses[1], 'delivered')
  assert.notEqual(statuses[0], 'queued')
  assert.deepEqual([sentTo(number).length, timesAsked(number)], [1, 2])
  assert.equal((await channelOf(tenant, channel.id)).status, 'active')
})

test('messages beyond the limit of a minute wait, in their order', async () => {
  const { tenant, channel, number, write } = await newThread({ messages_per_minute_max: 2 })
  const other = newNumber()
  const other_id = await handedOver(tenant, channel, other)
  const begun_at = (Math.floor(clock.wall() / minute_ms) + 1) * minute_ms
  for (const words of ['1', '2', '3', '4']) await write(words)
  await create(tenant, `/conversations/${other_id}/answers`, { text: 'a' })
  const all = () => [...sentTo(number), ...sentTo(other)]
  for (const minute of [0, 1, 2]) {
    await tenant.work(begun_at + minute * minute_ms)
    await tenant.work(begun_at + minute * minute_ms + 1_000)
    await tenant.work(begun_at + minute * minute_ms + 59_000)
    assert.equal(all().length, Math.min(5, 2 * (minute + 1)))
  }
  assert.deepEqual([sentTo(number), sentTo(other)], [['1', '2', '3', '4'], ['a']])
})

test('messages beyond the limit of a day wait for the next day', async () => {
  const { tenant, number, write, messages } = await newThread({ messages_per_day_max: 1 })
  const begun_at = (Math.floor(clock.wall() / clock.day_ms) + 1) * clock.day_ms
  await write('1')
  await write('2')
  await tenant.work(begun_at)
  await tenant.work(begun_at + clock.day_ms - 1)
  assert.deepEqual([sentTo(number), await messages()], [['1'], [sent, ['queued', null]]])
  await tenant.work(begun_at + clock.day_ms)
  assert.deepEqual(
    [sentTo(number), await messages()],
    [
      ['1', '2'],
      [sent, sent],
    ],
  )
})

test('a message that has waited for the limit is still tried again when the carrier is busy', async () => {
  const { tenant, channel, number, write, messages } = await newThread({ messages_per_minute_max: 0 })
  const begun_at = (Math.floor(clock.wall() / minute_ms) + 1) * minute_ms
  await write('One')
  for (let minute = 0; minute < 12; minute += 1) await tenant.work(begun_at + minute * minute_ms)
  await inTransaction(server.at(tenant.id), (at) =>
    channels.update(at, { id: channel.id, change: { messages_per_minute_max: 10 }, isCurrent: () => true }),
  )
  troubles.set(number, [{ status: 429 }])
  await tenant.work(begun_at + 12 * minute_ms)
  assert.deepEqual(await messages(), [['queued', null]])
  await tenant.work(begun_at + 20 * minute_ms)
  assert.deepEqual([await messages(), sentTo(number)], [[sent], ['One']])
})

test('nothing goes to a country that was forbidden after the message was written', async () => {
  const { tenant, number, workAt, write, messages } = await newThread()
  await write('One')
  await tenant.call('PATCH', '/workspace', { settings: { allowed_countries: ['DE'] } })
  await workAt(1)
  const [[status, error] = []] = await messages()
  assert.deepEqual([status, sentTo(number)], ['failed', []])
  assert.match(error ?? '', /country_not_allowed/)
})

test('a message from a forbidden country is received and not answered', async () => {
  const { tenant, channel } = await newThread()
  const from = '+4915112345678'
  await text(tenant, channel, 'Hallo', { from })
  await tenant.work(clock.wall() + 5_000)
  const [conversation] = await list(tenant, '/conversations')
  assert.deepEqual([conversation.counterpart, conversation.is_answering, sentTo(from)], [from, false, []])
})

test('nothing goes out on a channel that was disabled', async () => {
  const { tenant, channel, number, workAt, write, messages } = await newThread()
  await write('One')
  await inTransaction(server.at(tenant.id), (at) =>
    channels.update(at, { id: channel.id, change: { status: 'disabled' }, isCurrent: () => true }),
  )
  await workAt(1)
  assert.deepEqual([await messages(), sentTo(number)], [[['failed', 'The channel is disabled or was deleted.']], []])
})

const tables = ['contacts', 'conversations', 'conversation_turns', 'messages', 'events', 'idempotency_keys', 'consents']

/** The rows that show the number. */
async function rowsWith(tenant: Tenant, number: string): Promise<string[]> {
  const found = tables.map(async (table) => {
    const rows = await server.pool.many<{ row: string }>(
      sql`select row_to_json(one)::text as row from ${raw(table)} as one where workspace_id = ${tenant.id}`,
    )
    return rows.flatMap(({ row }) => (row.includes(number.slice(1)) ? [`${table}: ${row}`] : []))
  })
  return (await Promise.all(found)).flat()
}

test('a message to a contact that was deleted has failed, and nothing shows the number', async () => {
  const { tenant, number, workAt, write, messages } = await newThread()
  await write('One')
  assert.ok((await rowsWith(tenant, number)).length > 0)
  const [contact] = await list(tenant, '/contacts')
  assert.equal((await tenant.call('DELETE', `/contacts/${contact.id}`)).status, 200)
  await workAt(1)
  assert.deepEqual(await messages(), [['failed', 'There is no number to send it to.']])
  assert.deepEqual([sentTo(number), await rowsWith(tenant, number)], [[], []])
})

test('a contact is deleted while the carrier is asked', async () => {
  const { tenant, number, workAt, write, messages } = await newThread()
  await write('One')
  const [contact] = await list(tenant, '/contacts')
  const deleting = Promise.withResolvers<unknown>()
  carrier.options.answerAfter = () => {
    delete carrier.options.answerAfter
    deleting.resolve(tenant.call('DELETE', `/contacts/${contact.id}`))
    return 300
  }
  await workAt(1)
  assert.equal(Object(await deleting.promise).status, 200)
  assert.deepEqual([await messages(), sentTo(number)], [[sent], ['One']])
  assert.deepEqual(await rowsWith(tenant, number), [])
})

test('a message of a conversation that was redacted has failed', async () => {
  const { tenant, id, number, workAt, write, messages } = await newThread()
  await write('One')
  assert.equal((await tenant.call('POST', `/conversations/${id}/redact`)).status, 200)
  await workAt(1)
  assert.deepEqual(await messages(), [['failed', 'There is no number to send it to.']])
  assert.deepEqual(sentTo(number), [])
})

test('a report after the conversation was redacted does not bring back the id of the carrier', async () => {
  const { tenant, channel, id, number, workAt, write, messages } = await newThread()
  await write('One')
  await workAt(1)
  const [event] = await list(tenant, '/events?type=message.sent')
  assert.equal((await tenant.call('POST', `/conversations/${id}/redact`)).status, 200)
  const form = { MessageSid: `SM${'2'.repeat(32)}`, MessageStatus: 'delivered', To: number, From: own_number }
  assert.equal((await postSigned(tenant, `${channel.inbound_url}/status/${event.data.id}`, form)).status, 200)
  assert.deepEqual(await messages(), [['delivered', null]])
  assert.equal((await list(tenant, '/events?type=message.sent')).length, 1)
  const stored = await server.pool.one<{ carrier_id: string | null }>(
    sql`select carrier_id from messages where workspace_id = ${tenant.id} and id = ${event.data.id}`,
  )
  assert.equal(stored.carrier_id, null)
})

test('a message after the contact was deleted makes another contact and another conversation', async () => {
  const { tenant, channel, id, number } = await newThread()
  const [contact] = await list(tenant, '/contacts')
  await tenant.call('DELETE', `/contacts/${contact.id}`)
  await text(tenant, channel, 'Hello again', { from: number })
  const [other] = await list(tenant, '/contacts')
  assert.notEqual(other.id, contact.id)
  const conversations = await list(tenant, '/conversations')
  assert.deepEqual(
    conversations.map(({ contact_id, counterpart }: Record<string, string>) => [contact_id, counterpart]),
    [
      [other.id, number],
      [null, null],
    ],
  )
  assert.equal(conversations[1].id, id)
  await tenant.work(clock.wall() + 5_000)
  assert.deepEqual(await turnsOf(tenant, conversations[0].id), [
    ['contact', 'Hello again'],
    ['agent', 'How can I help?'],
  ])
})

test('after 20 answers in a minute there is one notice, and then one answer to all that was said', async () => {
  const { tenant, channel, id, number } = await newThread()
  await tenant.call('POST', `/conversations/${id}/take_back`)
  const begun_at = clock.wall() + 2_000
  for (let nth = 0; nth < 20; nth += 1) {
    if (nth > 0) await text(tenant, channel, `Message ${nth}`, { from: number })
    await tenant.work(begun_at + nth * 2_000)
  }
  assert.equal(sentTo(number).length, 20)
  for (const nth of [20, 21, 22]) {
    await text(tenant, channel, `Message ${nth}`, { from: number })
    await tenant.work(begun_at + nth * 2_000)
  }
  const notice = 'You write faster than I can answer. I will answer in a minute.'
  assert.deepEqual(sentTo(number).slice(20), [notice])
  assert.equal((await get(tenant, id)).is_answering, true)
  await tenant.work(begun_at + 59_000)
  assert.equal(sentTo(number).length, 21)
  await tenant.work(begun_at + 61_000)
  assert.deepEqual(sentTo(number).slice(20), [notice, 'We open at nine. How can I help?'])
  assert.equal((await get(tenant, id)).is_answering, false)
})

test('a sender without a number gets no contact and no answer', async () => {
  const { tenant, channel } = await newThread()
  for (const from of ['PARCELS', '12345']) {
    await text(tenant, channel, 'Your parcel arrives today.', { from })
    await text(tenant, channel, 'STOP', { from })
    await tenant.work(clock.wall() + 5_000)
    const conversations: Record<string, unknown>[] = await list(tenant, '/conversations')
    const conversation = conversations.find(({ counterpart }) => counterpart === from)
    assert.ok(conversation)
    assert.deepEqual([conversation.contact_id, conversation.is_answering, conversation.turn_count], [null, false, 2])
    assert.deepEqual(sentTo(from), [])
  }
  assert.equal((await list(tenant, '/contacts')).length, 1)
})

test('texts of any length and with any character are received', async () => {
  const { tenant, channel, id, number } = await newThread()
  const texts = [
    ['a'.repeat(4_000), 'a'.repeat(4_000)],
    ['b'.repeat(4_001), `${'b'.repeat(3_999)}…`],
    ['nul \u0000 inside', 'nul \ufffd inside'],
    ['half \ud83d of a pair', 'half \ufffd of a pair'],
    ['', ''],
  ] as const
  for (const [words] of texts) await text(tenant, channel, words, { from: number })
  const turns = await turnsOf(tenant, id)
  assert.deepEqual(
    turns.slice(1).map(([, said]) => said),
    texts.map(([, kept]) => kept),
  )
  const form = inboundForm('', { from: number })
  assert.equal((await postSigned(tenant, channel.inbound_url, { ...form, NumMedia: '1' })).status, 200)
  assert.deepEqual((await turnsOf(tenant, id)).at(-1), ['contact', '[1 attachment was not received]'])
})
