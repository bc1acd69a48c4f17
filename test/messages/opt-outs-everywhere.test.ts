import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { languages } from '../../server/languages/languages.ts'
import { sentencesIn } from '../../server/talk/sentences.ts'
import { openCarrier } from '../peers/carrier.ts'
import { createCampaign, enroll } from '../support/campaigns.ts'
import { begin, create, get, newAgent, say } from '../support/conversations.ts'
import { always, campaign_start, enrollmentsOf, request, start } from '../support/dialing.ts'
import { serve } from '../support/harness.ts'
import { phoneNumber } from '../support/samples.ts'
import { newSmsChannel, text } from '../support/sms.ts'

const server = await serve()
const carrier = await openCarrier()
after(() => carrier.close())

/** What people write in each language. The rules are not asked for them. */
const wishes: Record<string, string> = {
  en: 'Please take me off your list and stop texting me',
  de: 'Bitte rufen Sie mich nie wieder an',
  es: 'No me llamen más, por favor',
  fr: "Arrêtez de m'appeler et de m'envoyer des messages",
  it: 'Non chiamatemi più',
  pt: 'Não quero mais receber mensagens de vocês',
  nl: 'Bel mij niet meer',
  pl: 'Proszę do mnie więcej nie dzwonić',
  sv: 'Sluta ringa mig',
  tr: 'Beni bir daha aramayın',
  ja: '二度と電話しないでください',
  zh: '请不要再给我发短信了',
  ko: '다시는 전화하지 마세요',
  hi: 'मुझे फिर कभी फ़ोन मत करना',
  ar: 'لا تتصل بي مرة أخرى',
}

const script = {
  start: 'ask',
  nodes: { ask: { say: 'Hello, is Tuesday all right?', else: { say: 'Thank you.', go: 'ask' } } },
}
const day_s = 86_400
const first_words = 'Hello, is Tuesday all right?'

test('in each language, nothing goes out after an opt-out: by no channel, and by no campaign', async () => {
  const tenant = await server.workspace()
  await request(tenant, 'PATCH', '/workspace', { settings: { quiet_hours: { start: '00:00', end: '24:00' } } })
  const agent_id = await newAgent(tenant, { script })
  const { id: channel_id, ...channel } = await newSmsChannel(server, tenant, { carrier, agent_id })
  const people = await Promise.all(
    languages.map(async ({ tag }) => {
      const contact = await create(tenant, '/contacts', { phone_number: phoneNumber() })
      return { tag, contact_id: contact.id, number: contact.phone_number, wish: wishes[tag] ?? '' }
    }),
  )
  const contact_ids = people.map(({ contact_id }) => contact_id)
  const fields = {
    agent_id,
    windows: always,
    pacing: { in_flight_max: 50, starts_per_second: 5 },
    retry: [{ outcome: 'delivered', attempts_max: 3, waits_seconds: [60] }],
  }
  const by_sms = await createCampaign(tenant, { ...fields, kind: 'sms', channel_ids: [channel_id] })
  await enroll(tenant, by_sms.id, { contact_ids })
  await start(tenant, by_sms)
  // A channel sends one message a second.
  for (let second = 0; second < 2 * people.length; second += 1) await tenant.work(campaign_start + second * 1_000)
  const sentTo = (number: string) => carrier.messages.filter(({ to }) => to === number).map(({ body }) => body)
  for (const { tag, number } of people) assert.deepEqual(sentTo(number), [first_words], tag)

  for (const { number, wish } of people) await text(tenant, channel, wish, { from: number })
  const by_voice = await createCampaign(tenant, { ...fields })
  await enroll(tenant, by_voice.id, { contact_ids })
  await start(tenant, by_voice)
  for (const after_s of [...Array(2 * people.length).keys(), 60, 120, day_s, 2 * day_s])
    await tenant.work(campaign_start + (60 + after_s) * 1_000)
  for (const { tag, number, contact_id } of people) {
    assert.deepEqual(sentTo(number), [first_words, sentencesIn(tag).opt_out], tag)
    const by_api = await tenant.call('POST', '/conversations', { agent_id, channel_id, contact_id })
    assert.equal(by_api.body.error?.details?.rule, 'opted_out', by_api.text)
    const call = await tenant.call('POST', '/calls', { agent_id, contact_id, channel_id: by_voice.channel_ids[0] })
    assert.equal(call.body.error?.details?.rule, 'opted_out', call.text)
  }
  for (const campaign of [by_sms, by_voice])
    for (const { reason } of await enrollmentsOf(tenant, campaign)) assert.equal(reason, 'opted_out')
})

test('in each language an opt-out over the API holds for messages and calls', async () => {
  const tenant = await server.workspace()
  const agent_id = await newAgent(tenant, { script })
  const { id: channel_id } = await newSmsChannel(server, tenant, { carrier, agent_id })
  for (const { tag } of languages) {
    const { id: contact_id, phone_number } = await create(tenant, '/contacts', { phone_number: phoneNumber() })
    const { id } = await begin(tenant, agent_id, { contact_id })
    await say(tenant, id, wishes[tag] ?? '')
    assert.equal((await get(tenant, id)).close_reason, 'opted_out', tag)
    const { body } = await tenant.call('POST', '/conversations', { agent_id, channel_id, contact_id })
    assert.equal(body.error?.details?.rule, 'opted_out', tag)
    assert.deepEqual(
      carrier.messages.filter(({ to }) => to === phone_number),
      [],
    )
  }
})
