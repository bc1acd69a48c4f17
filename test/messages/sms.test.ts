import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import twilio from 'twilio'
import * as clock from '../../server/kit/clock.ts'
import { sql } from '../../server/kit/postgres/sql.ts'
import { account_sid, auth_token, openCarrier } from '../peers/carrier.ts'
import { get, newAgent, turnsOf } from '../support/conversations.ts'
import { serve, type Tenant } from '../support/harness.ts'
import { inboundForm, newSid, newSmsChannel, own_number, postSigned, signatureOf, text } from '../support/sms.ts'

const server = await serve()
const carrier = await openCarrier()
after(() => carrier.close())

// biome-ignore lint/suspicious/noExplicitAny: the client of the package passes many fields
type Any = any

const script = {
  start: 'ask',
  nodes: { ask: { say: 'How can I help?', else: { say: 'We open at nine.', go: 'ask' } } },
}

async function newThread() {
  const tenant = await server.workspace()
  const agent_id = await newAgent(tenant, { script })
  const channel = await newSmsChannel(server, tenant, { carrier, agent_id })
  return { tenant, agent_id, channel }
}

/** Two seconds later agents answer, and messages are sent. */
const later = (tenant: Tenant, ms = 2_000) => tenant.work(clock.wall() + ms)

const list = async (tenant: Tenant, path: string) => (await tenant.call('GET', path)).body.data
const sentTo = (number: string) => carrier.messages.filter(({ to }) => to === number).map(({ body }) => body)
let last_number = 200
const newNumber = (): string => {
  last_number += 1
  return `+1415555${String(last_number).padStart(4, '0')}`
}

test('a message from an unknown number makes a contact and a conversation, and is answered', async () => {
  const { tenant, agent_id, channel } = await newThread()
  const number = newNumber()
  const answer = await text(tenant, channel, 'When are you open?', { from: number })
  assert.deepEqual([answer.text, answer.headers.get('content-type')], ['<Response/>', 'text/xml'])
  const [contact] = await list(tenant, '/contacts')
  assert.deepEqual([contact.phone_number, contact.source], [number, 'inbound'])
  assert.ok(contact.first_contact_at && contact.first_contact_at === contact.last_contact_at)
  const [conversation] = await list(tenant, '/conversations')
  const { kind, status, channel_id, contact_id, counterpart, is_answering } = conversation
  assert.deepEqual(
    { kind, status, channel_id, contact_id, counterpart, is_answering, agent_id: conversation.agent_id },
    {
      kind: 'sms',
      status: 'open',
      channel_id: channel.id,
      contact_id: contact.id,
      counterpart: number,
      is_answering: true,
      agent_id,
    },
  )
  await tenant.work()
  assert.deepEqual(sentTo(number), [], 'it waits for more')
  await later(tenant)
  assert.deepEqual(sentTo(number), ['How can I help?'])
  const turns = await list(tenant, `/conversations/${conversation.id}/turns`)
  assert.deepEqual(
    turns.map(({ role, message }: { role: string; message: object }) => [role, message]),
    [
      ['contact', { status: 'delivered', segments: 1, cost_micros: null, error: null }],
      ['agent', { status: 'sent', segments: 1, cost_micros: 0, error: null }],
    ],
  )
  const events: { type: string }[] = await list(tenant, '/events?limit=100')
  assert.deepEqual(
    events.map(({ type }) => type).filter((type) => /^(contact|conversation|message)/.test(type)),
    [
      'message.sent',
      'conversation.turn',
      'message.received',
      'conversation.turn',
      'conversation.started',
      'contact.created',
    ],
  )
})

test('a message with one byte changed, or without a signature, is refused', async () => {
  const { tenant, channel } = await newThread()
  const form = inboundForm('Hello')
  const signature = signatureOf(channel.inbound_url, form)
  assert.equal((await postSigned(tenant, channel.inbound_url, { ...form, Body: 'Hellp' }, signature)).status, 403)
  assert.equal((await postSigned(tenant, channel.inbound_url, form, '')).status, 403)
  assert.equal(
    (await postSigned(tenant, channel.inbound_url, form, signatureOf(channel.inbound_url, form, 'other'))).status,
    403,
  )
  assert.deepEqual(await list(tenant, '/conversations'), [])
  assert.equal((await postSigned(tenant, channel.inbound_url, form, signature)).status, 200)
  assert.equal((await list(tenant, '/conversations')).length, 1)
})

test('fifty messages of a new number at once are one contact and one conversation, answered once', async () => {
  const { tenant, channel } = await newThread()
  const number = newNumber()
  const words = Array.from({ length: 50 }, (_, index) => `Message ${index}`)
  await Promise.all(words.map((word) => text(tenant, channel, word, { from: number })))
  assert.equal((await list(tenant, '/contacts')).length, 1)
  const [conversation, ...others] = await list(tenant, '/conversations')
  assert.deepEqual([conversation.turn_count, others.length], [50, 0])
  await later(tenant)
  const turns = await turnsOf(tenant, conversation.id)
  assert.deepEqual(
    turns
      .slice(0, 50)
      .map(([, said]) => said)
      .toSorted(),
    words.toSorted(),
  )
  assert.deepEqual(turns.slice(50), [['agent', 'How can I help?']])
  assert.deepEqual(sentTo(number), ['How can I help?'])
  assert.equal((await list(tenant, '/events?type=contact.created')).length, 1)
})

test('a message that comes five times is one turn and one answer', async () => {
  const { tenant, channel } = await newThread()
  const number = newNumber()
  const sid = newSid()
  await Promise.all(Array.from({ length: 4 }, () => text(tenant, channel, 'Hello', { from: number, sid })))
  await later(tenant)
  await text(tenant, channel, 'Hello', { from: number, sid })
  await later(tenant, 4_000)
  const [conversation] = await list(tenant, '/conversations')
  assert.equal(conversation.turn_count, 2)
  assert.deepEqual(sentTo(number), ['How can I help?'])
})

test('STOP is obeyed at once and confirmed once, and what follows is recorded and not answered until START', async () => {
  const { tenant, channel } = await newThread()
  const number = newNumber()
  await text(tenant, channel, 'Hello', { from: number })
  await text(tenant, channel, ' stop. ', { from: number })
  await later(tenant)
  const confirmation = 'You will get no more messages from us. Reply START to get messages again.'
  assert.deepEqual(sentTo(number), [confirmation])
  const [first] = await list(tenant, '/conversations')
  assert.deepEqual([first.status, first.close_reason], ['closed', 'opted_out'])
  await text(tenant, channel, 'Are you there?', { from: number })
  await text(tenant, channel, 'STOP', { from: number })
  await later(tenant, 4_000)
  assert.deepEqual(sentTo(number), [confirmation])
  await text(tenant, channel, 'START', { from: number })
  await text(tenant, channel, 'Hello again', { from: number })
  await later(tenant, 6_000)
  assert.deepEqual(sentTo(number).slice(1), [
    'You will get messages from us again. Reply STOP to end them.',
    'How can I help?',
  ])
  const contact = (await list(tenant, '/contacts'))[0]
  const consents = await list(tenant, `/contacts/${contact.id}/consents`)
  assert.deepEqual(
    consents.map(({ status, source, kind }: Record<string, string>) => [status, source, kind]),
    [
      ['granted', 'sms_keyword', 'all'],
      ['revoked', 'sms_keyword', 'all'],
    ],
  )
})

test('a repeated word with a signature is obeyed, and a word among others is answered', async () => {
  const { tenant, channel } = await newThread()
  const [angry, friendly] = [newNumber(), newNumber()]
  await text(tenant, channel, 'Stop, stop!\nSent from my iPhone', { from: angry })
  await text(tenant, channel, 'Stop by at 5? I want to cancel.', { from: friendly })
  await later(tenant)
  assert.deepEqual(sentTo(angry), ['You will get no more messages from us. Reply START to get messages again.'])
  assert.deepEqual(sentTo(friendly), ['How can I help?'])
  assert.equal((await list(tenant, '/consents')).length, 1)
})

test('a message that is sent costs its segments at the price of the workspace', async () => {
  const { tenant, channel } = await newThread()
  const number = newNumber()
  await tenant.call('PATCH', '/workspace', { settings: { prices: { message_segment: 7_900 } } })
  await text(tenant, channel, 'Hello', { from: number })
  await later(tenant)
  const [{ id }] = await list(tenant, '/conversations')
  const costs = async () =>
    (await list(tenant, `/conversations/${id}/turns`)).map(
      ({ role, message }: { role: string; message: { cost_micros: number | null } }) => [role, message.cost_micros],
    )
  assert.deepEqual(await costs(), [
    ['contact', null],
    ['agent', 7_900],
  ])
  await tenant.call('POST', `/conversations/${id}/hand_over`, {})
  const answered = await tenant.call('POST', `/conversations/${id}/answers`, { text: 'a'.repeat(161) })
  assert.equal(answered.body.data.message.cost_micros, 15_800)
  // A new price is for new messages.
  await tenant.call('PATCH', '/workspace', { settings: { prices: { message_segment: 10_000 } } })
  assert.deepEqual((await costs()).slice(1), [
    ['agent', 7_900],
    ['human', 15_800],
  ])
})

test('after STOP nothing goes out, also after the contact was deleted, created and imported again', async () => {
  const { tenant, agent_id, channel } = await newThread()
  const number = newNumber()
  await text(tenant, channel, 'STOP', { from: number })
  await later(tenant)
  const sent = sentTo(number).length
  const write = async () => {
    const [contact] = await list(tenant, '/contacts')
    return tenant.call('POST', '/conversations', { agent_id, contact_id: contact.id, channel_id: channel.id })
  }
  const refused = await write()
  assert.deepEqual([refused.status, refused.body.error.details.rule], [409, 'opted_out'])
  const [contact] = await list(tenant, '/contacts')
  await tenant.call('DELETE', `/contacts/${contact.id}`)
  await tenant.call('POST', '/contacts', { phone_number: number })
  assert.equal((await write()).status, 409)
  const [again] = await list(tenant, '/contacts')
  await tenant.call('DELETE', `/contacts/${again.id}`)
  await tenant.call('POST', '/contacts/imports', { rows: [{ Phone: number }] })
  await later(tenant)
  assert.equal((await list(tenant, '/contacts'))[0].source, 'import')
  assert.equal((await write()).status, 409)
  await later(tenant, 10_000)
  assert.equal(sentTo(number).length, sent)
})

test('an agent writes first', async () => {
  const { tenant, agent_id, channel } = await newThread()
  const phone_number = newNumber()
  const contact = (await tenant.call('POST', '/contacts', { phone_number })).body.data
  const body = { agent_id, contact_id: contact.id, channel_id: channel.id }
  const begun = await tenant.call('POST', '/conversations', body)
  assert.equal(begun.status, 201, begun.text)
  const again = await tenant.call('POST', '/conversations', body)
  assert.deepEqual([again.status, again.body.error.details.conversation_id], [409, begun.body.data.id])
  await later(tenant)
  assert.deepEqual(sentTo(phone_number), ['How can I help?'])
  await text(tenant, channel, 'When?', { from: phone_number })
  await later(tenant, 4_000)
  assert.deepEqual(sentTo(phone_number), ['How can I help?', 'We open at nine. How can I help?'])
  assert.equal((await get(tenant, begun.body.data.id)).turn_count, 3)
  for (const [change, path] of [
    [{ contact_id: null }, 'contact_id'],
    [{ message: 'Hello' }, 'message'],
    [{ channel_id: agent_id }, 'channel_id'],
  ] as const) {
    const { status, body: answer } = await tenant.call('POST', '/conversations', { ...body, ...change })
    assert.deepEqual([status, answer.error.details.fields[0].path], [400, path])
  }
})

test('reports in any order and doubled give the same row', async () => {
  const orders = [
    ['queued', 'sending', 'sent', 'delivered'],
    ['delivered', 'sent', 'sending', 'queued'],
    ['sent', 'delivered', 'delivered', 'queued', 'sent'],
  ]
  const { tenant, agent_id, channel } = await newThread()
  for (const order of orders) {
    const phone_number = newNumber()
    const contact = (await tenant.call('POST', '/contacts', { phone_number })).body.data
    const begun = await tenant.call('POST', '/conversations', {
      agent_id,
      contact_id: contact.id,
      channel_id: channel.id,
    })
    await later(tenant)
    const sent = carrier.messages.findLast(({ to }) => to === phone_number)
    assert.ok(sent)
    for (const status of order) {
      const form: Record<string, string> = {
        MessageSid: sent.sid,
        MessageStatus: status,
        To: phone_number,
        From: own_number,
        AccountSid: account_sid,
      }
      assert.equal((await postSigned(tenant, sent.status_callback, form)).status, 200)
    }
    const [turn] = await list(tenant, `/conversations/${begun.body.data.id}/turns`)
    assert.deepEqual(turn.message, { status: 'delivered', segments: 1, cost_micros: 0, error: null })
  }
})

test('a person answers by SMS after a hand-over, unless the contact has opted out', async () => {
  const { tenant, channel } = await newThread()
  const number = newNumber()
  await text(tenant, channel, 'Hello', { from: number })
  const [{ id }] = await list(tenant, '/conversations')
  await tenant.call('POST', `/conversations/${id}/hand_over`)
  const answered = await tenant.call('POST', `/conversations/${id}/answers`, { text: 'This is a person.' })
  assert.equal(answered.body.data.message.status, 'queued')
  await later(tenant)
  assert.deepEqual(sentTo(number), ['This is a person.'])
  const [contact] = await list(tenant, '/contacts')
  await tenant.call('POST', `/contacts/${contact.id}/consents`, { kind: 'sms', status: 'revoked' })
  const refused = await tenant.call('POST', `/conversations/${id}/answers`, { text: 'Still there?' })
  assert.deepEqual([refused.status, refused.body.error.details.rule], [409, 'opted_out'])
})

test("the official client reads the tests' carrier", async () => {
  const { host, port } = new URL(carrier.url)
  const client = twilio(account_sid, auth_token, {
    httpClient: {
      request: async ({
        method,
        uri,
        data,
        headers = {},
        username = '',
        password = '',
        params,
      }: Record<string, Any>) => {
        const url = new URL(uri)
        const query = params ? `?${new URLSearchParams(params)}` : ''
        const response = await fetch(`http://${host}${url.pathname}${url.search || query}`, {
          method,
          headers: { ...headers, authorization: `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}` },
          ...(data && { body: new URLSearchParams(data) }),
        })
        return { statusCode: response.status, body: await response.json(), headers: {} }
      },
    } as never,
  })
  assert.ok(port)
  const number = newNumber()
  const sent = await client.messages.create({ to: number, from: own_number, body: 'Hello' })
  assert.match(sent.sid, /^SM/)
  const found = await client.messages.list({ to: number, limit: 5 })
  assert.deepEqual(
    found.map(({ sid, body }) => [sid, body]),
    [[sent.sid, 'Hello']],
  )
})

test('who waits in a conversation that nobody could continue gets a message', async () => {
  const { tenant, channel } = await newThread()
  const number = newNumber()
  await text(tenant, channel, 'When are you open?', { from: number })
  // As processes leave it that were killed again and again.
  await server.pool.run(sql`update conversations set attempt = 20 where workspace_id = ${tenant.id}`)
  await later(tenant)
  const [{ status, close_reason }] = await list(tenant, '/conversations')
  assert.deepEqual([status, close_reason], ['closed', 'error'])
  assert.deepEqual(sentTo(number), [
    "I'm sorry, I can't answer right now. Please try again in a moment, or ask for a person.",
  ])
})
