import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import * as clock from '../../server/kit/clock.ts'
import { openCarrier } from '../peers/carrier.ts'
import { answersAfter, begin, create, get, newAgent, newModelAgent, startAnswering } from '../support/conversations.ts'
import { serve, type Tenant } from '../support/harness.ts'
import { type ModelServer, openaiServer } from '../support/model-servers.ts'
import { receiver, respondWith } from '../support/receivers.ts'
import { newTool } from '../support/samples.ts'
import { newSmsChannel, text } from '../support/sms.ts'

const server = await serve({ outbound_allow_hosts: ['127.0.0.1'] })
const engine = startAnswering(server)
const carrier = await openCarrier()
after(() => carrier.close())

/** A model server that sends these bytes as an event stream. */
async function streaming(events: string): Promise<ModelServer> {
  const there = await receiver(respondWith(200, { 'content-type': 'text/event-stream' }, events))
  return { ...there, base_url: there.url.replace('/hook', '/v1'), aborted: 0 }
}

const chunk = (delta: object, more: object = {}): string =>
  `data: ${JSON.stringify({ choices: [{ index: 0, delta, finish_reason: null, ...more }] })}\n\n`

/** What an agent with this model answers in a chat. */
async function answerOf(tenant: Tenant, model: ModelServer, configuration: object = {}) {
  const { id } = await begin(tenant, await newModelAgent(tenant, model, configuration), { message: 'Hello' })
  return { id, turn: (await answersAfter(tenant, id, 1))[0] }
}

/** What is sent by SMS. */
async function smsOf(model: ModelServer, from: string): Promise<string[]> {
  const tenant = await server.workspace()
  const channel = await newSmsChannel(server, tenant, { carrier, agent_id: await newModelAgent(tenant, model) })
  await text(tenant, channel, 'Hello', { from })
  const [{ id }] = (await tenant.call('GET', '/conversations')).body.data
  for (let turns = []; turns.length === 0; ) {
    // The agent answers a while after the last message, which isn't announced.
    engine.add(tenant.id)
    turns = (await tenant.call('GET', `/conversations/${id}/turns?after=1&wait_ms=500`)).body.data
  }
  await tenant.work(clock.wall() + 2_000)
  return carrier.messages.filter(({ to }) => to === from).map(({ body }) => body)
}

test('a report of more tokens than a number can count is counted as the bytes of the answer', async () => {
  const usage = '"usage":{"prompt_tokens":1e308,"completion_tokens":1e308}'
  const model = await streaming(
    `${chunk({ content: 'Hello é' }, { finish_reason: 'stop' })}data: {"choices":[],${usage}}\n\n`,
  )
  const tenant = await server.workspace()
  const { id, turn } = await answerOf(tenant, model)
  const sent_bytes = Buffer.byteLength(model.received[0]?.body ?? '')
  assert.deepEqual(turn.usage, { input_tokens: sent_bytes, output_tokens: 8 })
  assert.deepEqual((await get(tenant, id)).usage, turn.usage)
})

test('a contact gets no thinking of a block that has no beginning', async () => {
  const whole = await openaiServer({ words: ['secret</think>\n\nVisible.'] })
  assert.equal((await answerOf(await server.workspace(), whole)).turn.text, 'Visible.')
  // No message may be as long.
  const pieces = await openaiServer({
    words: [...Array<string>(400).fill('secret '), '</th', 'ink>', '\n', '\nVisible', '.'],
  })
  assert.deepEqual(await smsOf(pieces, '+14155552001'), ['Visible.'])
})

test('a contact gets no thinking in tags of any kind', async () => {
  const blocks = [
    '<reflection>x</reflection>',
    '[THINK]x[/THINK]',
    '<|think|>x<|/think|>',
    '<Analysis a="1">x</analysis>',
  ]
  const model = await openaiServer({ words: [...`${blocks.join('')}Visible.<scratchpad>x`] })
  assert.equal((await answerOf(await server.workspace(), model)).turn.text, 'Visible.')
  assert.deepEqual(await smsOf(model, '+14155552002'), ['Visible.'])
})

test('an event with the name `error` gives the error of the turn', async () => {
  const data = { message: `Wrong key sk-test.\u0007 ${'No. '.repeat(200)}`, code: 'insufficient_quota' }
  const model = await streaming(`event: error\ndata: ${JSON.stringify(data)}\n\n`)
  const { turn } = await answerOf(await server.workspace(), model)
  assert.equal(turn.finish_reason, 'failed')
  assert.match(turn.error, /^The provider is limiting requests[^:]*: Wrong key \[redacted\]. No. No. /)
  assert.ok(turn.error.length <= 500)
})

const controls = 'a\u0000b\u0007c\u001b[31md\u0085e\r\n\tf'
const without_controls = 'abc[31mde\n\tf'

test('control characters of a model are in no turn: not in its text, nor in what it calls', async () => {
  const tenant = await server.workspace()
  const tool = await receiver(
    respondWith(200, { 'content-type': 'application/json' }, JSON.stringify({ day: controls })),
  )
  const parameters = { type: 'object', properties: { day: { type: 'string' } } }
  const { name } = await create(tenant, '/tools', newTool({ url: tool.url, parameters }))
  const model = await openaiServer({
    words: [controls, '\ud83d', '\ude00', '\ud83d'],
    tool_call: { name, arguments: { day: controls } },
    calls_once: true,
  })
  const { turn } = await answerOf(tenant, model, { tools: [name] })
  const said = `${without_controls}😀`
  assert.equal(turn.text, `${said} ${said}`)
  const [run] = turn.tools
  assert.deepEqual([run.arguments, run.result], [{ day: without_controls }, { day: without_controls }])
  assert.equal(JSON.parse(tool.received[0]?.body ?? '').arguments.day, without_controls)
})

test('a script says the result of a tool without control characters', async () => {
  const tenant = await server.workspace()
  const results = { 'text/plain': controls, 'application/json': JSON.stringify(controls) }
  for (const [type, body] of Object.entries(results)) {
    const tool = await receiver(respondWith(200, { 'content-type': type }, body))
    const { name } = await create(tenant, '/tools', newTool({ url: tool.url, parameters: { type: 'object' } }))
    const nodes = { look: { tool: name, ok: 'tell', failed: 'tell' }, tell: { say: `It is {{${name}}}.`, go: '@end' } }
    const agent_id = await newAgent(tenant, { script: { start: 'look', nodes }, tools: [name] })
    const { id } = await begin(tenant, agent_id)
    const [turn] = await answersAfter(tenant, id, 0)
    assert.equal(turn.text, `It is ${without_controls}.`)
    assert.equal(turn.tools[0].result, without_controls)
  }
})
