import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { create as createCall } from '../../server/calls/change/create.ts'
import { inTransaction } from '../../server/kit/at.ts'
import * as clock from '../../server/kit/clock.ts'
import { sentencesIn } from '../../server/talk/sentences.ts'
import { openCarrier } from '../peers/carrier.ts'
import { createCampaign, enroll } from '../support/campaigns.ts'
import { begin, create, get, newAgent, say, turnsOf } from '../support/conversations.ts'
import { serve, type Tenant } from '../support/harness.ts'
import { phoneNumber } from '../support/samples.ts'
import { inboundForm, newSmsChannel, own_number, postSigned } from '../support/sms.ts'

const server = await serve()
let is_in_trouble = false
const carrier = await openCarrier({ troubleFor: () => (is_in_trouble ? { status: 400, code: 30006 } : undefined) })
after(() => carrier.close())

/** It says something and asks nothing, and waits for "cancel the order" only. */
const script = {
  start: 'tell',
  nodes: {
    tell: {
      say: 'We open at nine.',
      on: [{ hear: ['anular pedido', 'anular'], say: 'The order is canceled.', go: 'tell' }],
      else: { say: 'Until five.', go: 'tell' },
    },
  },
}

const hour_ms = 3_600_000

const asks_in = (language: string) => sentencesIn(language).no_more_question

interface Thread {
  number: string
  writes: (words: string) => Promise<void>
  /** What was sent to the number since the last time. */
  sent: () => string[]
  contact: () => Promise<{ id: string }>
}

async function newThread(
  tenant: Tenant,
  configuration: object = { script },
  service: '' | 'whatsapp:' = '',
): Promise<Thread> {
  const agent_id = await newAgent(tenant, configuration)
  const channel = await newSmsChannel(server, tenant, { carrier, agent_id })
  const number = phoneNumber()
  const seen = new Set<unknown>()
  return {
    number,
    writes: async (words) => {
      const form = { ...inboundForm(words, { from: service + number }), To: service + own_number }
      assert.equal((await postSigned(tenant, channel.inbound_url, form)).status, 200)
      await tenant.work(clock.wall() + 2_000)
    },
    sent: () => {
      const fresh = carrier.messages.filter((one) => one.to === number && !seen.has(one))
      for (const one of fresh) seen.add(one)
      return fresh.map(({ body }) => body)
    },
    contact: async () =>
      (await tenant.call('GET', `/contacts?phone_number=${encodeURIComponent(number)}`)).body.data[0],
  }
}

const consentsOf = async (tenant: Tenant, contact_id: string) =>
  (await tenant.call('GET', `/contacts/${contact_id}/consents`)).body.data

const conversationOf = async (tenant: Tenant, contact_id: string) =>
  (await tenant.call('GET', `/conversations?contact_id=${contact_id}`)).body.data[0]

test('a word that may be an answer is asked back about once, in its language, and yes to that is an opt-out', async () => {
  const tenant = await server.workspace()
  const thread = await newThread(tenant)
  await thread.writes('Hello')
  assert.deepEqual(thread.sent(), ['We open at nine.'])
  await thread.writes('CANCELAR')
  assert.deepEqual(thread.sent(), [asks_in('es')])
  const { id } = await thread.contact()
  assert.deepEqual(await consentsOf(tenant, id), [])
  await thread.writes('Sí, por favor')
  assert.deepEqual(thread.sent(), [sentencesIn('es').opt_out])
  const [entry, ...others] = await consentsOf(tenant, id)
  const { rule, language, words } = entry.evidence
  assert.deepEqual([entry.status, others.length, rule, language, words], ['revoked', 0, 'answer', 'es', 'si por favor'])
  assert.equal((await conversationOf(tenant, id)).close_reason, 'opted_out')
})

test('the same words again mean yes, whatever else they may mean', async () => {
  const tenant = await server.workspace()
  const thread = await newThread(tenant)
  await thread.writes('Hello')
  thread.sent()
  await thread.writes('ya basta')
  await thread.writes('basta ya')
  assert.deepEqual(thread.sent(), [asks_in('es'), sentencesIn('es').opt_out])
})

test('anything else is for the agent, and nobody is asked again on that day', async () => {
  const tenant = await server.workspace()
  const thread = await newThread(tenant)
  await thread.writes('Hello')
  await thread.writes('How do I unsubscribe?')
  await thread.writes('No, when do you close?')
  await thread.writes('basta')
  assert.deepEqual(thread.sent(), [
    'We open at nine.',
    asks_in('en'),
    'Until five. We open at nine.',
    'Until five. We open at nine.',
  ])
  const { id } = await thread.contact()
  assert.deepEqual(await consentsOf(tenant, id), [])
})

test('a word that the open step hears, or that our last message names or may ask for, is an answer', async () => {
  const heard = await newThread(await server.workspace())
  await heard.writes('Hello')
  await heard.writes('anular')
  assert.deepEqual(heard.sent(), ['We open at nine.', 'The order is canceled. We open at nine.'])
  for (const say of ['Shall I keep your appointment?', 'Escriba CANCELAR para anular la cita.']) {
    const thread = await newThread(await server.workspace(), {
      script: { start: 'ask', nodes: { ask: { say, else: { say: 'Noted.', go: 'ask' } } } },
    })
    await thread.writes('Hello')
    await thread.writes('cancelar')
    const [first, ...rest] = thread.sent()
    assert.equal(first, say)
    assert.ok(!rest.includes(asks_in('es')) && rest.length > 0, rest.join())
  }
})

test('a word inside another one of our last message is not named there', async () => {
  const thread = await newThread(await server.workspace(), {
    script: { start: 'tell', nodes: { tell: { say: 'Schönes Wochenende!', else: { say: 'Bis bald.', go: 'tell' } } } },
  })
  await thread.writes('Hallo')
  await thread.writes('Ende')
  assert.deepEqual(thread.sent(), ['Schönes Wochenende!', asks_in('de')])
})

test('no answer by SMS for a day is an opt-out, and not before', async () => {
  const tenant = await server.workspace()
  const thread = await newThread(tenant, { script, limits: { idle_seconds: 3_600 } })
  await thread.writes('Hello')
  await thread.writes('cancelar')
  thread.sent()
  const { id } = await thread.contact()
  await tenant.work(clock.wall() + 23.9 * hour_ms)
  assert.deepEqual(await consentsOf(tenant, id), [])
  assert.equal((await conversationOf(tenant, id)).status, 'open')
  await tenant.work(clock.wall() + 24.1 * hour_ms)
  await tenant.work(clock.wall() + 24.2 * hour_ms)
  assert.deepEqual(thread.sent(), [sentencesIn('es').opt_out])
  const [entry] = await consentsOf(tenant, id)
  assert.deepEqual([entry.status, entry.evidence.rule, entry.evidence.language], ['revoked', 'silence', 'es'])
  assert.equal((await conversationOf(tenant, id)).close_reason, 'opted_out')
})

test('silence is an opt-out of who writes by another service too, and nothing is sent then', async () => {
  const tenant = await server.workspace()
  const thread = await newThread(tenant, { script }, 'whatsapp:')
  await thread.writes('cancelar')
  const { id } = await thread.contact()
  assert.deepEqual((await turnsOf(tenant, (await conversationOf(tenant, id)).id)).at(-1), ['system', asks_in('es')])
  const before = carrier.messages.length
  await tenant.work(clock.wall() + 24.1 * hour_ms)
  await tenant.work(clock.wall() + 24.2 * hour_ms)
  const [entry] = await consentsOf(tenant, id)
  assert.deepEqual([entry?.status, entry?.evidence.rule], ['revoked', 'silence'])
  const conversation = await conversationOf(tenant, id)
  assert.equal(conversation.close_reason, 'opted_out')
  assert.deepEqual((await turnsOf(tenant, conversation.id)).at(-1), ['system', asks_in('es')])
  assert.equal(carrier.messages.length, before)
})

test('a number that was suppressed while the question was open gets no confirmation', async () => {
  const tenant = await server.workspace()
  const thread = await newThread(tenant)
  await thread.writes('Hello')
  await thread.writes('cancelar')
  thread.sent()
  await create(tenant, '/suppressions', { phone_number: thread.number })
  await tenant.work(clock.wall() + 24.1 * hour_ms)
  await tenant.work(clock.wall() + 24.2 * hour_ms)
  assert.deepEqual(thread.sent(), [])
  const { id } = await thread.contact()
  assert.equal((await consentsOf(tenant, id))[0]?.evidence.rule, 'silence')
})

test('over the API the agent asks back, too, but no answer means nothing', async () => {
  const tenant = await server.workspace()
  const agent_id = await newAgent(tenant, { script })
  const contact_id = (await create(tenant, '/contacts', { phone_number: phoneNumber() })).id
  const { id } = await begin(tenant, agent_id, { contact_id })
  await tenant.work()
  await say(tenant, id, 'How do I unsubscribe?')
  await tenant.work()
  assert.deepEqual((await turnsOf(tenant, id)).at(-1), ['system', asks_in('en')])
  assert.equal((await get(tenant, id)).is_answering, false)
  await tenant.work(clock.wall() + 25 * hour_ms)
  assert.equal((await get(tenant, id)).close_reason, 'idle')
  assert.deepEqual(await consentsOf(tenant, contact_id), [])
  const other_id = (await create(tenant, '/contacts', { phone_number: phoneNumber() })).id
  const another = await begin(tenant, agent_id, { contact_id: other_id })
  await tenant.work()
  await say(tenant, another.id, 'Stop it!')
  await say(tenant, another.id, 'Yes please')
  assert.equal((await get(tenant, another.id)).close_reason, 'opted_out')
  assert.equal((await consentsOf(tenant, other_id))[0].evidence.rule, 'answer')
})

test('while a person answers, the agent asks nothing', async () => {
  const tenant = await server.workspace()
  const agent_id = await newAgent(tenant, { script })
  const contact_id = (await create(tenant, '/contacts', { phone_number: phoneNumber() })).id
  const { id } = await begin(tenant, agent_id, { contact_id })
  await tenant.work()
  await tenant.call('POST', `/conversations/${id}/hand_over`, {})
  await say(tenant, id, 'basta')
  await tenant.work()
  assert.deepEqual((await turnsOf(tenant, id)).at(-1), ['contact', 'basta'])
})

test('campaigns wait while the question is open', async () => {
  const tenant = await server.workspace()
  const agent_id = await newAgent(tenant, { script })
  const contact_id = (await create(tenant, '/contacts', { phone_number: phoneNumber() })).id
  const campaign = await createCampaign(tenant, { agent_id })
  await enroll(tenant, campaign.id, { contact_ids: [contact_id] })
  const [enrollment] = (await tenant.call('GET', `/campaigns/${campaign.id}/enrollments`)).body.data
  const verdictOf = async () => {
    const { rules } = (await tenant.call('GET', `/enrollments/${enrollment.id}/explain`)).body.data
    return rules.find(({ rule }: { rule: string }) => rule === 'conversation').verdict
  }
  const { id } = await begin(tenant, agent_id, { contact_id })
  await tenant.work()
  assert.equal(await verdictOf(), 'pass')
  await say(tenant, id, 'basta')
  assert.equal(await verdictOf(), 'defer')
  await say(tenant, id, 'No. Tell me when you open.')
  assert.equal(await verdictOf(), 'pass')
})

test('yes counts in the language of the words, too, and as a thumb', async () => {
  for (const [words, answer] of [
    ['CANCELAR', 'Sim'],
    ['BASTA', 'Sì'],
    ['Ya basta', '👍'],
    ['Ya basta', 'yes'],
  ] as const) {
    const tenant = await server.workspace()
    const thread = await newThread(tenant)
    for (const said of ['Hello', words, answer]) await thread.writes(said)
    const { id } = await thread.contact()
    assert.equal((await consentsOf(tenant, id))[0]?.evidence.rule, 'answer', `${words} ${answer}`)
  }
})

test('an answer that begins with no, or is another unclear sentence, is for the agent', async () => {
  for (const answer of ['No, I asked how do I unsubscribe from the newsletter', 'Não quero', 'no']) {
    const tenant = await server.workspace()
    const thread = await newThread(tenant)
    for (const said of ['Hello', 'Ya basta', answer]) await thread.writes(said)
    const { id } = await thread.contact()
    assert.deepEqual(await consentsOf(tenant, id), [], answer)
    assert.equal(thread.sent().at(-1), 'Until five. We open at nine.')
  }
})

test('a courtesy, or HELP, leaves the question open', async () => {
  const tenant = await server.workspace()
  const thread = await newThread(tenant)
  for (const said of ['Hello', 'CANCELAR', 'por favor', 'HELP', 'Sí']) await thread.writes(said)
  const { id } = await thread.contact()
  assert.equal((await consentsOf(tenant, id))[0]?.evidence.rule, 'answer')
  assert.equal(thread.sent().at(-1), sentencesIn('es').opt_out)
})

test('nobody is asked twice within a day, in whatever conversation', async () => {
  const tenant = await server.workspace()
  const agent_id = await newAgent(tenant, { script })
  const contact_id = (await create(tenant, '/contacts', { phone_number: phoneNumber() })).id
  for (const is_first of [true, false]) {
    const { id } = await begin(tenant, agent_id, { contact_id })
    await tenant.work()
    await say(tenant, id, 'How do I unsubscribe?')
    await tenant.work()
    assert.equal((await turnsOf(tenant, id)).at(-1)?.[0], is_first ? 'system' : 'agent')
  }
})

test('silence means nothing if the question was not sent, or if something newer is in the ledger', async () => {
  for (const how of ['not sent', 'revoked', 'granted']) {
    const tenant = await server.workspace()
    const thread = await newThread(tenant)
    await thread.writes('Hello')
    const { id } = await thread.contact()
    is_in_trouble = how === 'not sent'
    await thread.writes('CANCELAR')
    is_in_trouble = false
    if (how !== 'not sent') await tenant.call('POST', `/contacts/${id}/consents`, { kind: 'all', status: how })
    const before = (await consentsOf(tenant, id)).length
    thread.sent()
    await tenant.work(clock.wall() + 24.1 * hour_ms)
    await tenant.work(clock.wall() + 24.2 * hour_ms)
    assert.deepEqual(thread.sent(), [], how)
    assert.equal((await consentsOf(tenant, id)).length, before, how)
    assert.notEqual((await conversationOf(tenant, id)).close_reason, 'opted_out', how)
  }
})

test('a conversation whose contact was deleted is not closed as an opt-out', async () => {
  const tenant = await server.workspace()
  const thread = await newThread(tenant)
  for (const said of ['Hello', 'CANCELAR']) await thread.writes(said)
  const { id: contact_id } = await thread.contact()
  const { id } = await conversationOf(tenant, contact_id)
  await tenant.call('DELETE', `/contacts/${contact_id}`)
  await tenant.work(clock.wall() + 24.1 * hour_ms)
  await tenant.work(clock.wall() + 24.2 * hour_ms)
  assert.notEqual((await get(tenant, id)).close_reason, 'opted_out')
})

test('a callback waits while the question is open', async () => {
  const tenant = await server.workspace()
  await tenant.call('PATCH', '/workspace', { settings: { quiet_hours: { start: '00:00', end: '24:00' } } })
  const agent_id = await newAgent(tenant, { script })
  const contact_id = (await create(tenant, '/contacts', { phone_number: phoneNumber() })).id
  const { id } = await begin(tenant, agent_id, { contact_id })
  await tenant.work()
  await say(tenant, id, 'basta')
  const call = await inTransaction(server.at(tenant.id), (at) =>
    createCall(at, {
      agent_id,
      contact_id,
      scheduled_at: clock.iso(clock.wall() + 60_000),
      keeps_quiet_hours: true,
      channel_id: null,
      simulate: 'answers',
      variables: {},
      metadata: {},
    }),
  )
  const statusOf = async () => (await tenant.call('GET', `/calls/${call.id}`)).body.data.status
  await tenant.work(clock.wall() + 61_000)
  assert.equal(await statusOf(), 'scheduled')
  await say(tenant, id, 'No')
  await tenant.work(clock.wall() + 180_000)
  assert.notEqual(await statusOf(), 'scheduled')
})
