import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import * as clock from '../../server/kit/clock.ts'
import { sentencesIn } from '../../server/talk/sentences.ts'
import { openCarrier } from '../peers/carrier.ts'
import { createCampaign, enroll } from '../support/campaigns.ts'
import { begin, create, get, newAgent, say, turnsOf } from '../support/conversations.ts'
import { serve, type Tenant } from '../support/harness.ts'
import { phoneNumber } from '../support/samples.ts'
import { newSmsChannel, text } from '../support/sms.ts'

const server = await serve()
const carrier = await openCarrier()
after(() => carrier.close())

const script = {
  start: 'ask',
  nodes: { ask: { say: 'How can I help?', else: { say: 'We open at nine.', go: 'ask' } } },
}

const newContact = async (tenant: Tenant): Promise<string> =>
  (await create(tenant, '/contacts', { phone_number: phoneNumber() })).id

interface Entry {
  kind: string
  status: string
  source: string
  evidence: { conversation_id: string; seq: number; rule: string; language: string; words: string }
}

const consentsOf = async (tenant: Tenant, contact_id: string): Promise<Entry[]> =>
  (await tenant.call('GET', `/contacts/${contact_id}/consents`)).body.data

const said = [
  ['Please stop texting me', 'en', 'sentence'],
  ['Rufen Sie mich bitte nicht mehr an!', 'de', 'sentence'],
  ['por favor no me escriban más', 'es', 'sentence'],
  ['BAJA', 'es', 'word'],
  ["N'ÉCRIVEZ PLUS SVP, arrêtez de m'envoyer des messages", 'fr', 'sentence'],
  ['non chiamatemi più', 'it', 'sentence'],
  ['não quero mais receber mensagens', 'pt', 'sentence'],
  ['もう電話しないでください', 'ja', 'sentence'],
  ['不要再给我打电话了', 'zh', 'sentence'],
  ['لا تتصلوا بي مرة أخرى', 'ar', 'sentence'],
] as const

test('someone who asks for no more messages by SMS, in any language, gets a confirmation in it and nothing else', async () => {
  const tenant = await server.workspace()
  const agent_id = await newAgent(tenant, { script })
  const channel = await newSmsChannel(server, tenant, { carrier, agent_id })
  for (const [words, language, rule] of said) {
    const number = phoneNumber()
    await text(tenant, channel, words, { from: number })
    await tenant.work(clock.wall() + 2_000)
    const sent = carrier.messages.filter(({ to }) => to === number).map(({ body }) => body)
    assert.deepEqual(sent, [sentencesIn(language).opt_out], words)
    const [contact] = (await tenant.call('GET', `/contacts?phone_number=${encodeURIComponent(number)}`)).body.data
    const [entry, ...others] = await consentsOf(tenant, contact.id)
    assert.ok(entry)
    const { kind, status, source, evidence } = entry
    assert.deepEqual([kind, status, source, others.length], ['all', 'revoked', 'sms_keyword', 0])
    assert.deepEqual([evidence.rule, evidence.language, evidence.seq], [rule, language, 1], words)
    assert.ok(evidence.words.length > 2 && evidence.words.length <= 100, evidence.words)
  }
})

test('an agent that speaks a language of the word confirms in its own', async () => {
  const tenant = await server.workspace()
  const agent_id = await newAgent(tenant, { script, language: 'fr-CA' })
  const channel = await newSmsChannel(server, tenant, { carrier, agent_id })
  const number = phoneNumber()
  await text(tenant, channel, 'STOP', { from: number })
  await tenant.work(clock.wall() + 2_000)
  assert.deepEqual(
    carrier.messages.filter(({ to }) => to === number).map(({ body }) => body),
    [sentencesIn('fr').opt_out],
  )
})

test('a contact opts out over the API, with its first words or later, and may be neither called nor written to', async () => {
  const tenant = await server.workspace()
  const agent_id = await newAgent(tenant, { script })
  const { id: channel_id } = await newSmsChannel(server, tenant, { carrier, agent_id })
  for (const first of [undefined, 'Hello', 'Please do not call me any more.', 'Stop']) {
    const contact_id = await newContact(tenant)
    const { id } = await begin(tenant, agent_id, { contact_id, ...(first && { message: first }) })
    await tenant.work()
    if (first === undefined || first === 'Hello') await say(tenant, id, 'Ruft mich nicht mehr an')
    await tenant.work()
    const { status, close_reason, turn_count } = await get(tenant, id)
    const turns = await turnsOf(tenant, id)
    assert.deepEqual([status, close_reason, turn_count], ['closed', 'opted_out', turns.length])
    const language = first?.startsWith('Please') || first === 'Stop' ? 'en' : 'de'
    assert.deepEqual(turns.at(-1), ['system', sentencesIn(language).no_more_messages])
    const [entry] = await consentsOf(tenant, contact_id)
    assert.deepEqual(
      [entry?.kind, entry?.status, entry?.source, entry?.evidence.conversation_id, entry?.evidence.seq],
      ['all', 'revoked', 'api', id, turns.length - 1],
    )
    const { body } = await tenant.call('POST', '/conversations', { agent_id, channel_id, contact_id })
    assert.equal(body.error?.details?.rule, 'opted_out', JSON.stringify(body))
  }
})

test('explain says when a contact has opted out, with which words and in which conversation', async () => {
  const tenant = await server.workspace()
  const agent_id = await newAgent(tenant, { script })
  const contact_id = await newContact(tenant)
  const campaign = await createCampaign(tenant, { agent_id })
  await enroll(tenant, campaign.id, { contact_ids: [contact_id] })
  const { id } = await begin(tenant, agent_id, { contact_id, message: 'Ruft mich bitte nicht mehr an!' })
  const [enrollment] = (await tenant.call('GET', `/campaigns/${campaign.id}/enrollments`)).body.data
  const explained = (await tenant.call('GET', `/enrollments/${enrollment.id}/explain`)).body.data
  const { verdict, because } = explained.rules.find(({ rule }: { rule: string }) => rule === 'consent')
  assert.equal(verdict, 'skip')
  const time = String.raw`\d{4}-\d\d-\d\dT[\d:.]+Z`
  assert.match(
    because,
    new RegExp(
      `^The contact has opted out at ${time} with the words "ruft … nicht mehr an" in the conversation ${id}.$`,
    ),
  )
})

test('a new conversation that is an opt-out is returned as closed', async () => {
  const tenant = await server.workspace()
  const agent_id = await newAgent(tenant, { script })
  const contact_id = await newContact(tenant)
  const { status, is_answering, turn_count } = await begin(tenant, agent_id, { contact_id, message: 'STOP' })
  assert.deepEqual({ status, is_answering, turn_count }, { status: 'closed', is_answering: false, turn_count: 2 })
})

test('an opt-out while a person answers is obeyed, too', async () => {
  const tenant = await server.workspace()
  const agent_id = await newAgent(tenant, { script })
  const contact_id = await newContact(tenant)
  const { id } = await begin(tenant, agent_id, { contact_id, message: 'Hello' })
  await tenant.work()
  await tenant.call('POST', `/conversations/${id}/hand_over`, {})
  await say(tenant, id, 'Take me off your list.')
  assert.equal((await get(tenant, id)).close_reason, 'opted_out')
  assert.equal((await consentsOf(tenant, contact_id)).length, 1)
})

test('who writes in a web chat and is known opts out, and who is not known is answered', async () => {
  const tenant = await server.workspace()
  const agent_id = await newAgent(tenant, { script })
  const contact_id = await newContact(tenant)
  for (const is_known of [true, false]) {
    const { id } = await tenant.addChannel({ name: `Site ${is_known}`, kind: 'web_chat', provider: 'web', agent_id })
    const { token, conversation } = (await server.fetch('POST', `/chat/${id}/sessions`, {})).body.data
    if (is_known) await tenant.call('POST', `/conversations/${conversation.id}/link`, { contact_id })
    await tenant.work()
    await server.fetch(
      'POST',
      `/chat/${id}/messages`,
      { text: 'Unsubscribe me, please.' },
      { authorization: `Bearer ${token}` },
    )
    await tenant.work()
    assert.equal((await get(tenant, conversation.id)).close_reason, is_known ? 'opted_out' : null)
    assert.equal((await turnsOf(tenant, conversation.id)).at(-1)?.[0], is_known ? 'system' : 'agent')
    assert.equal((await consentsOf(tenant, contact_id)).length, 1)
  }
})

test('in a trial an opt-out ends the conversation, and is not recorded', async () => {
  const tenant = await server.workspace()
  const agent_id = await newAgent(tenant, { script })
  const contact_id = await newContact(tenant)
  const { id } = await begin(tenant, agent_id, { contact_id, message: 'Stop texting me', is_test: true })
  assert.equal((await get(tenant, id)).close_reason, 'opted_out')
  assert.deepEqual(await consentsOf(tenant, contact_id), [])
})

test('words about something else are for the agent', async () => {
  const tenant = await server.workspace()
  const agent_id = await newAgent(tenant, { script })
  for (const message of [
    ...['cancel', 'End', 'quit', 'CANCELAR', 'basta', 'fin', "Don't call me before nine", 'Please do not stop'],
    ...['Si no estoy en casa, no me llamen', 'Rufen Sie mich heute nicht an', 'help', 'start'],
  ]) {
    const contact_id = await newContact(tenant)
    const { id } = await begin(tenant, agent_id, { contact_id, message })
    await tenant.work()
    assert.equal((await get(tenant, id)).status, 'open', message)
    assert.deepEqual(await consentsOf(tenant, contact_id), [], message)
  }
})
