import assert from 'node:assert/strict'
import { test } from 'node:test'
import { waysToUse } from '../../server/drivers/tools.ts'
import { isSameCall } from '../../server/talk/tool-rules.ts'
import { answersAfter, askedOf, begin, create, newAgent, say } from '../support/conversations.ts'
import { serve } from '../support/harness.ts'
import { mcpServer } from '../support/mcp-servers.ts'
import { readMetrics } from '../support/metrics.ts'
import { receiver, respondWith } from '../support/receivers.ts'
import { newTool } from '../support/samples.ts'
import { booked, newToolWorld, startToolAnswers, type ToolWorld } from '../support/tool-worlds.ts'

const server = await serve({ outbound_allow_hosts: ['127.0.0.1'] })
startToolAnswers(server)
const { workspace } = server

const tuesday = { day: 'tue' }
const four = (values: object) => [values, values, values, values]
/** Each request of the model has other days. */
const fourDays = (asked: number) => four({}).map((_, index) => ({ day: `day ${asked} ${index}` }))

async function answerTo({ tenant, agent_id }: ToolWorld) {
  const { id } = await begin(tenant, agent_id, { message: 'Book Tuesday.' })
  const [turn] = await answersAfter(tenant, id, 1)
  return { id, turn }
}

const countsOf = (tools: { status: string }[]) =>
  Object.fromEntries(
    Object.entries(Object.groupBy(tools, ({ status }) => status)).map(([name, of]) => [name, of?.length]),
  )

const countRefused = async () =>
  (await readMetrics(server)).get('parley_tool_duration_seconds_count{result="refused"}') ?? 0

test('a run with side effects that has succeeded is not run again with the same arguments', async () => {
  const refused_before = await countRefused()
  const world = await newToolWorld(await workspace(), { calls: () => four(tuesday) })
  const { id, turn } = await answerTo(world)
  assert.equal(world.tool.received.length, 1)
  assert.deepEqual(countsOf(turn.tools), { succeeded: 1, refused: 27 })
  const again = turn.tools.findLast(({ status }: { status: string }) => status === 'refused')
  assert.partialDeepStrictEqual(again.result, { reason: 'repeated', result: booked })
  assert.match(again.result.message, /was not done again/)
  const told = JSON.stringify(askedOf(world.model)[2].messages)
  assert.match(told, /was not done again.*is_booked/)
  assert.equal(again.duration_ms, null)
  await say(world.tenant, id, 'And Tuesday again, please.')
  const [next] = await answersAfter(world.tenant, id, 3)
  assert.deepEqual(countsOf(next.tools), { succeeded: 1, refused: 27 })
  assert.equal(world.tool.received.length, 2, 'the contact has spoken')
  // Runs of other tests may be counted too: engines share the database.
  assert.ok((await countRefused()) - refused_before >= 54)
})

test('arguments are the same whatever the order of their members, and however their numbers are written', () => {
  const call = (text: string, name = 'book') => ({ name, arguments: JSON.parse(text) })
  const one = call('{"a": 1, "b": {"c": [1, 100], "d": "x"}}')
  assert.ok(isSameCall(one, call('{"b": {"d": "x", "c": [1.0, 1e2]}, "a": 1.0}')))
  const others = ['{"a":"1","b":{"c":[1,100],"d":"x"}}', '{"a":1,"b":{"c":[100,1],"d":"x"}}', '{"a":1}', '[]', '{}']
  for (const other of others) assert.ok(!isSameCall(one, call(other)), other)
  assert.ok(!isSameCall(one, { ...one, name: 'other' }))
})

test('a run that has failed may be tried again, and counts', async () => {
  const fails = respondWith(500, {}, 'down')
  const world = await newToolWorld(await workspace(), { calls: () => [tuesday], answer: fails })
  const { turn } = await answerTo(world)
  assert.deepEqual(countsOf(turn.tools), { failed: 5, refused: 2 })
  assert.equal(turn.tools.at(-1).result.reason, 'calls_max')
  assert.match(turn.tools.at(-1).result.message, /runs 5 times at most/)
})

test('arguments that the tool does not take are no run', async () => {
  const parameters = { type: 'object', properties: { day: { type: 'string' } } }
  const calls = (asked: number) => [asked === 1 ? { day: 2 } : asked === 2 ? tuesday : { day: 'wed' }]
  const world = await newToolWorld(await workspace(), { calls, fields: { parameters, calls_max: 1 } })
  const { turn } = await answerTo(world)
  assert.deepEqual(countsOf(turn.tools), { invalid_arguments: 1, succeeded: 1, refused: 5 })
})

const limits: [string, object, number][] = [
  ['by default', {}, 5],
  ['with calls_max 1', { calls_max: 1 }, 1],
  ['with calls_max 3', { calls_max: 3 }, 3],
  ['with calls_max 100', { calls_max: 100 }, 28],
  ['without side effects', { has_side_effects: false }, 28],
  ['without side effects, with calls_max 2', { has_side_effects: false, calls_max: 2 }, 2],
]
for (const [name, fields, runs] of limits)
  test(`${name} a tool runs ${runs} times in one answer`, async () => {
    const world = await newToolWorld(await workspace(), { calls: fourDays, fields })
    const { id, turn } = await answerTo(world)
    assert.equal(world.tool.received.length, runs)
    assert.deepEqual(countsOf(turn.tools), { succeeded: runs, ...(runs < 28 && { refused: 28 - runs }) })
    await say(world.tenant, id, 'More, please.')
    await answersAfter(world.tenant, id, 3)
    assert.equal(world.tool.received.length, 2 * runs, 'the next answer has its own runs')
  })

for (const fields of [{ may_repeat: true, calls_max: 100 }, { has_side_effects: false }])
  test(`the same run is repeated with ${JSON.stringify(fields)}`, async () => {
    const world = await newToolWorld(await workspace(), { calls: () => four(tuesday), fields })
    await answerTo(world)
    assert.equal(world.tool.received.length, 28)
  })

test('of more than four calls at once the others are refused', async () => {
  const calls = (asked: number) => (asked === 1 ? [...fourDays(1), { day: 'fri' }] : [])
  const { turn } = await answerTo(await newToolWorld(await workspace(), { calls }))
  assert.deepEqual(countsOf(turn.tools), { succeeded: 4, refused: 1 })
})

test('each tool of a server has the limits of the tool that stands for the server', async () => {
  const tenant = await workspace()
  const there = await mcpServer()
  await create(tenant, '/tools', { kind: 'mcp', name: 'crm', url: there.url, calls_max: 2 })
  const calls = (asked: number) => [{ name: `ada ${asked}` }]
  const { turn } = await answerTo(await newToolWorld(tenant, { calls, name: 'crm__find' }))
  assert.equal(there.called.length, 2)
  assert.deepEqual(countsOf(turn.tools), { succeeded: 2, refused: 5 })
})

test('a script runs a tool whenever it comes to it', async () => {
  const tenant = await workspace()
  const tool = await receiver(respondWith(200))
  const { name } = await create(
    tenant,
    '/tools',
    newTool({ url: tool.url, calls_max: 1, confirm: true, say_while: 'I book {{day}}.' }),
  )
  const book = { tool: name, with: tuesday, failed: '@hand_over' }
  const nodes = { one: { ...book, ok: 'two' }, two: { ...book, ok: 'bye' }, bye: { say: 'Booked twice.', go: '@end' } }
  const agent_id = await newAgent(tenant, { script: { start: 'one', nodes }, tools: [name] })
  const { id } = await begin(tenant, agent_id)
  const [turn] = await answersAfter(tenant, id, 0)
  assert.equal(turn.text, 'Booked twice.')
  assert.equal(tool.received.length, 2)
})

test('a callback is not promised twice for the same time in one answer', () => {
  assert.deepEqual(waysToUse([]).rules.schedule_callback, { calls_max: null, may_repeat: false, confirm: null })
})
