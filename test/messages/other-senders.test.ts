import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import * as clock from '../../server/kit/clock.ts'
import { openCarrier } from '../peers/carrier.ts'
import { newAgent, turnsOf } from '../support/conversations.ts'
import { serve, type Tenant } from '../support/harness.ts'
import { phoneNumber } from '../support/samples.ts'
import { inboundForm, newSmsChannel, own_number, postSigned, text } from '../support/sms.ts'

const server = await serve()
const carrier = await openCarrier()
after(() => carrier.close())

const script = {
  start: 'ask',
  nodes: { ask: { say: 'How can I help?', else: { say: 'We open at nine.', go: 'ask' } } },
}

async function newThread(configuration: object = {}) {
  const tenant = await server.workspace()
  const agent_id = await newAgent(tenant, { script, ...configuration })
  return { tenant, channel: await newSmsChannel(server, tenant, { carrier, agent_id }) }
}

const later = (tenant: Tenant) => tenant.work(clock.wall() + 2_000)
const list = async (tenant: Tenant, path: string) => (await tenant.call('GET', path)).body.data
const sentTo = (number: string) => carrier.messages.filter(({ to }) => to.includes(number)).map(({ body }) => body)

type Channel = Awaited<ReturnType<typeof newSmsChannel>>

/** Posts a message with other parameters than a plain one has. */
async function post(tenant: Tenant, channel: Channel, words: string, change: Record<string, string>) {
  const answer = await postSigned(tenant, channel.inbound_url, { ...inboundForm(words), ...change })
  assert.equal(answer.status, 200, answer.text)
  return answer.text
}

const byWhatsApp = (number: string) => ({ From: `whatsapp:${number}`, To: `whatsapp:${own_number}` })

test('a turn says how many attachments were not received, and is answered', async () => {
  const { tenant, channel } = await newThread()
  for (const [words, media, expected] of [
    ['', '1', '[1 attachment was not received]'],
    ['See these', '2', 'See these\n[2 attachments were not received]'],
    ['a'.repeat(4_000), '1', `${'a'.repeat(3_967)}…\n[1 attachment was not received]`],
    ['Hello', '0', 'Hello'],
    ['Hello', 'many', 'Hello'],
    ['Hello', '99999999', 'Hello\n[999 attachments were not received]'],
  ] as const) {
    const number = phoneNumber()
    await post(tenant, channel, words, { From: number, NumMedia: media })
    await later(tenant)
    const [{ id }] = await list(tenant, '/conversations')
    assert.deepEqual(await turnsOf(tenant, id), [
      ['contact', expected],
      ['agent', 'How can I help?'],
    ])
    assert.deepEqual(sentTo(number), ['How can I help?'])
  }
})

test('STOP with an attachment opts out', async () => {
  const { tenant, channel } = await newThread()
  const number = phoneNumber()
  await post(tenant, channel, 'STOP', { From: number, NumMedia: '1' })
  const [{ status, close_reason }] = await list(tenant, '/conversations')
  assert.deepEqual([status, close_reason], ['closed', 'opted_out'])
})

test('a message by WhatsApp is kept, and answered once with where to write', async () => {
  const { tenant, channel } = await newThread({ language: 'de' })
  const number = phoneNumber()
  const sentence = 'Hier können wir nicht antworten. Bitte senden Sie stattdessen eine SMS an diese Nummer.'
  const first = await post(tenant, channel, 'Hello', { ...byWhatsApp(number), NumMedia: '1' })
  assert.equal(first, `<Response><Message>${sentence}</Message></Response>`)
  const second = await post(tenant, channel, 'Are you there?', byWhatsApp(number))
  assert.equal(second, '<Response/>', 'a machine at the other end is not answered for ever')
  await later(tenant)
  const [conversation, ...others] = await list(tenant, '/conversations')
  const [contact] = await list(tenant, '/contacts')
  assert.deepEqual([contact.phone_number, others], [number, []])
  const { kind, counterpart, contact_id, is_answering } = conversation
  assert.deepEqual(
    { kind, counterpart, contact_id, is_answering },
    { kind: 'sms', counterpart: `whatsapp:${number}`, contact_id: contact.id, is_answering: false },
  )
  assert.deepEqual(await turnsOf(tenant, conversation.id), [
    ['contact', 'Hello\n[1 attachment was not received]'],
    ['system', sentence],
    ['contact', 'Are you there?'],
  ])
  assert.deepEqual(sentTo(number), [], 'nothing is sent by SMS')
})

test('a message by WhatsApp that comes again is answered once', async () => {
  const { tenant, channel } = await newThread()
  const form = { ...inboundForm('Hello'), ...byWhatsApp(phoneNumber()) }
  const answers = []
  for (const _ of ['first', 'repeated']) answers.push((await postSigned(tenant, channel.inbound_url, form)).text)
  assert.match(answers[0] ?? '', /<Message>We can't answer here\. Please send a text message \(SMS\)/)
  assert.equal(answers[1], '<Response/>')
})

test('a person who answers a sender without a phone number is told that it is not possible', async () => {
  const { tenant, channel } = await newThread()
  for (const change of [byWhatsApp(phoneNumber()), { From: 'PARCELS' }]) {
    await post(tenant, channel, 'Hello', change)
    const [{ id }] = await list(tenant, '/conversations')
    await tenant.call('POST', `/conversations/${id}/hand_over`)
    const { status, body } = await tenant.call('POST', `/conversations/${id}/answers`, { text: 'Hello' })
    assert.deepEqual([status, body.error.message], [409, "This sender can't be answered by SMS."])
  }
})

test('STOP by WhatsApp opts the number out, and is confirmed there', async () => {
  const { tenant, channel } = await newThread()
  const number = phoneNumber()
  const stopped = await post(tenant, channel, 'STOP', byWhatsApp(number))
  assert.match(stopped, /<Message>You will get no more messages from us\./)
  const [contact] = await list(tenant, '/contacts')
  const [consent] = await list(tenant, `/contacts/${contact.id}/consents`)
  assert.deepEqual([consent.status, consent.kind, consent.source], ['revoked', 'all', 'sms_keyword'])
  assert.equal(await post(tenant, channel, 'STOP', byWhatsApp(number)), '<Response/>', 'it is confirmed once')
  assert.equal(await post(tenant, channel, 'Hello', byWhatsApp(number)), '<Response/>', 'who has opted out gets none')
  await text(tenant, channel, 'Hello', { from: number })
  await later(tenant)
  assert.deepEqual(sentTo(number), [])
})

test('ten words by WhatsApp are confirmed a day, in whatever conversations, and all of them count', async () => {
  const { tenant, channel } = await newThread()
  const number = phoneNumber()
  const words = Array.from({ length: 4 }, () => ['HELP', 'STOP', 'START']).flat()
  const answers = []
  for (const word of words) answers.push(await post(tenant, channel, word, byWhatsApp(number)))
  assert.deepEqual(
    answers.map((answer) => answer.includes('<Message>')),
    words.map((_, index) => index < 10),
  )
  const [contact] = await list(tenant, '/contacts')
  const consents = await list(tenant, `/contacts/${contact.id}/consents`)
  assert.equal(consents.length, 8)
  assert.match(await post(tenant, channel, 'HELP', byWhatsApp(phoneNumber())), /<Message>/, 'others are confirmed')
})

test('a message by WhatsApp to another number is refused', async () => {
  const { tenant, channel } = await newThread()
  for (const change of [
    { From: `whatsapp:${phoneNumber()}`, To: 'whatsapp:+14155550999' },
    { From: phoneNumber(), To: `whatsapp:${own_number}` },
  ]) {
    const answer = await postSigned(tenant, channel.inbound_url, { ...inboundForm('Hello'), ...change })
    assert.equal(answer.status, 400)
  }
})
