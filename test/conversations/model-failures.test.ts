import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import * as clock from '../../server/kit/clock.ts'
import { openCarrier } from '../peers/carrier.ts'
import { atATime } from '../support/at-a-time.ts'
import { advance, getCall, newTestCalls, patient, placeCall, turnsOf as spokenTurnsOf } from '../support/calls.ts'
import { answersAfter, begin, create, newModelAgent, startAnswering } from '../support/conversations.ts'
import { failingModel, type Point, points, refusing_model, toolLoop } from '../support/failing-models.ts'
import { serve, type Tenant } from '../support/harness.ts'
import { type ModelServer, openaiServer } from '../support/model-servers.ts'
import { byForm } from '../support/property-runs.ts'
import { receiver } from '../support/receivers.ts'
import { newProvider, newTool } from '../support/samples.ts'
import { newSmsChannel, text } from '../support/sms.ts'

const server = await serve({ outbound_allow_hosts: ['127.0.0.1'] })
/** Long enough for many answers at once on a slow machine. */
const engine = startAnswering(server, { first_piece_ms: 3_000, answer_ms: 6_000 })
const carrier = await openCarrier()
after(() => carrier.close())
const tool_server = await receiver((response) => response.writeHead(200).end('nine'))

const sentence = "I'm sorry, I can't answer right now. Please try again in a moment, or ask for a person."
const by_fallback = 'We are open from nine to six.'

interface Failing {
  name: string
  model: ModelServer
  has_fallback: boolean
  /** What the contact must get. */
  expected: Answered
}

interface Answered {
  text: string
  finish_reason: string
  is_interrupted: boolean
  has_error: boolean
}

/**
 * Each point at which a model can fail, in turn with a fallback that works or without: what has one in a call has none by SMS and
 * in a chat. The long form has both in chats. By SMS nothing is said of an answer that hangs.
 */
async function allFailures(kind: 'chat' | 'sms' | 'call'): Promise<Failing[]> {
  const is_sms = kind === 'sms'
  const all = Object.entries<Point>({ 'refuses the connection': { acts: [], said: '' }, ...points })
  return Promise.all(
    all.flatMap(([name, point], index) =>
      fallbacksOf(kind, index).map(async (has_fallback): Promise<Failing> => {
        const { said_before = '' } = point
        const said = is_sms && name.startsWith('hangs') ? '' : point.said
        const is_saved = has_fallback && !/\p{L}/u.test(said)
        const words = [said_before, said.trim(), is_saved ? by_fallback : sentence].filter((part) => part !== '')
        const ended = { finish_reason: is_saved ? 'stop' : 'failed', is_interrupted: false, has_error: true }
        return {
          name: `${name}, ${has_fallback ? 'with' : 'without'} a fallback`,
          model: point.acts.length > 0 ? await failingModel(point) : refusing_model,
          has_fallback,
          expected: { text: words.join(' '), ...ended },
        }
      }),
    ),
  )
}

const fallbacksOf = (kind: 'chat' | 'sms' | 'call', index: number): boolean[] =>
  kind === 'chat' && byForm({ short: false, long: true }) ? [true, false] : [(kind === 'call') === (index % 2 === 1)]

async function newFailingAgent(tenant: Tenant, { model, has_fallback }: Omit<Failing, 'name' | 'expected'>) {
  await create(tenant, '/tools', newTool({ name: 'look_up', url: tool_server.url, parameters: { type: 'object' } }))
  if (!has_fallback) return newModelAgent(tenant, model, { tools: ['look_up'] })
  const works = await openaiServer({ words: by_fallback.split(/(?<= )/) })
  const { name: provider } = await create(tenant, '/providers', newProvider({ base_url: works.base_url }))
  return newModelAgent(tenant, model, { tools: ['look_up'], fallback_model: { provider, name: 'small' } })
}

// biome-ignore lint/suspicious/noExplicitAny: a turn of the API
const toAnswered = ({ text, finish_reason, is_interrupted, error }: any): Answered => ({
  text,
  finish_reason,
  is_interrupted,
  has_error: error !== null,
})

/** Compares what contacts got with what they must get. */
async function check(failures: Failing[], answer: (failing: Failing, index: number) => Promise<object>): Promise<void> {
  const got: Record<string, Answered> = {}
  await atATime(8, failures, async (failing, index) => {
    got[failing.name] = toAnswered(await answer(failing, index))
  })
  assert.deepEqual(got, Object.fromEntries(failures.map(({ name, expected }) => [name, expected])))
}

test('in a chat the contact gets a sentence, wherever the model fails', async () => {
  await check(await allFailures('chat'), async (failing) => {
    const tenant = patient(await server.workspace())
    const { id } = await begin(tenant, await newFailingAgent(tenant, failing), { message: 'When are you open?' })
    return (await answersAfter(tenant, id, 1))[0]
  })
})

/** The agent answers a while after the last message, and what has to be done then isn't announced. */
async function answerBySms(tenant: Tenant, id: string) {
  for (;;) {
    engine.add(tenant.id)
    const { body } = await tenant.call('GET', `/conversations/${id}/turns?after=1&wait_ms=500`)
    if (body.data.length > 0) return body.data[0]
  }
}

test('by SMS the contact gets a sentence, wherever the model fails', async () => {
  await check(await allFailures('sms'), async (failing, index) => {
    const tenant = patient(await server.workspace())
    const channel = await newSmsChannel(server, tenant, {
      carrier,
      agent_id: await newFailingAgent(tenant, failing),
    })
    const from = `+1415555${1_000 + index}`
    await text(tenant, channel, 'When are you open?', { from })
    const [{ id }] = (await tenant.call('GET', '/conversations')).body.data
    const turn = await answerBySms(tenant, id)
    await tenant.work(clock.wall() + 2_000)
    const sent = carrier.messages.filter(({ to }) => to === from).map(({ body }) => body)
    assert.deepEqual(sent, [failing.expected.text], failing.name)
    return turn
  })
})

test('in a call the contact hears a sentence, wherever the model fails', async () => {
  // On the telephone a model that has begun may take 20 seconds: see test/calls/attacks.test.ts.
  const failures = (await allFailures('call')).filter(({ name }) => !name.startsWith('hangs in the middle'))
  await check(failures, async (failing) => {
    const tenant = patient(await server.workspace())
    await newTestCalls(tenant)
    await tenant.call('PATCH', '/workspace', { settings: { allows_network: true } })
    const agent_id = await newFailingAgent(tenant, failing)
    const { id } = await placeCall(tenant, { agent_id, to: '+14155550109' })
    await advance(tenant, 600)
    const { conversation_id } = await getCall(tenant, id)
    const turns = await spokenTurnsOf(tenant, conversation_id)
    const turn = turns.find(({ role }: { role: string }) => role === 'agent')
    assert.equal(turn.heard, failing.expected.text, failing.name)
    return turn
  })
})

test('a model that calls tools without end is stopped, and the contact gets a sentence', async () => {
  const tenant = await server.workspace()
  const model = await toolLoop()
  const agent_id = await newFailingAgent(tenant, { model, has_fallback: false })
  const { id } = await begin(tenant, agent_id, { message: 'When are you open?' })
  const [turn] = await answersAfter(tenant, id, 1)
  assert.deepEqual([turn.text, turn.finish_reason, turn.tools.length], [sentence, 'tool_loop', 8])
  assert.match(turn.error, /called tools/)
  assert.equal(model.received.length, 8)
})

test('the error of an answer without words says how the model ended it', async () => {
  for (const [finish_reason, pattern] of [
    ['stop', /no words\.$/],
    ['length', /no words before it reached the length limit/],
    ['content_filter', /no words: the provider's filter/],
  ] as const) {
    const tenant = await server.workspace()
    const model = await openaiServer({ words: [], finish_reason })
    const { id } = await begin(tenant, await newModelAgent(tenant, model), { message: 'When are you open?' })
    const [turn] = await answersAfter(tenant, id, 1)
    assert.deepEqual([turn.text, turn.finish_reason], [sentence, 'failed'])
    assert.match(turn.error, pattern)
  }
})

test('by SMS the contact gets a sentence also when the agent writes first', async () => {
  const tenant = await server.workspace()
  const agent_id = await newFailingAgent(tenant, { model: refusing_model, has_fallback: false })
  const channel = await newSmsChannel(server, tenant, { carrier, agent_id })
  const contact = await create(tenant, '/contacts', { phone_number: '+14155559001' })
  const { id } = await begin(tenant, agent_id, { channel_id: channel.id, contact_id: contact.id })
  const [turn] = await answersAfter(tenant, id, 0)
  assert.deepEqual([turn.text, turn.finish_reason], [sentence, 'failed'])
})

test('an answer at the limit of the model says so', async () => {
  const tenant = await server.workspace()
  const model = await openaiServer({ words: ['We are open from'], finish_reason: 'length' })
  const { id } = await begin(tenant, await newModelAgent(tenant, model), { message: 'When are you open?' })
  const [said, turn] = await answersAfter(tenant, id, 0)
  assert.deepEqual([turn.text, turn.finish_reason, turn.error], ['We are open from', 'length', null])
  assert.equal(said.finish_reason, null)
})
