import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { isYes, readBack } from '../../server/talk/confirm.ts'
import { openCarrier } from '../peers/carrier.ts'
import { answersAfter, askedOf, begin, create, say, turnsOf, until } from '../support/conversations.ts'
import { serve } from '../support/harness.ts'
import { newSmsChannel, text } from '../support/sms.ts'
import { newToolWorld, startToolAnswers, type ToolWorld } from '../support/tool-worlds.ts'

const server = await serve({ outbound_allow_hosts: ['127.0.0.1'] })
const engine = startToolAnswers(server)
const { workspace } = server
const carrier = await openCarrier()
after(() => carrier.close())

const tuesday = { day: 'Tuesday' }
const question = 'I book Tuesday for you. Is that right?'
const asks = { confirm: true, say_while: 'I book {{day}} for you.' }
/** Calls the tool in the first request only. */
const once = (asked: number) => (asked === 1 ? [tuesday] : [])

/** A conversation in which the contact was asked. */
async function asked(world: ToolWorld, words = question): Promise<string> {
  const { id } = await begin(world.tenant, world.agent_id, { message: 'Tuesday, please.' })
  const [turn] = await answersAfter(world.tenant, id, 1)
  assert.equal(turn.text, words)
  assert.deepEqual(
    turn.tools.map(({ status, result }: { status: string; result: { reason: string } }) => [status, result.reason]),
    [['refused', 'confirm']],
  )
  assert.equal(world.tool.received.length, 0)
  return id
}

async function answered(world: ToolWorld, id: string, words: string) {
  const { seq } = await say(world.tenant, id, words)
  const [turn] = await answersAfter(world.tenant, id, seq)
  return turn
}

const sentTo = ({ tool }: ToolWorld) => tool.received.map(({ body }) => JSON.parse(body).arguments)

test('a tool that asks first reads its arguments back, and runs after a yes', async () => {
  const world = await newToolWorld(await workspace(), { calls: once, fields: asks })
  const id = await asked(world)
  const turn = await answered(world, id, 'Yes, please!')
  assert.deepEqual(sentTo(world), [tuesday])
  const offered: { function: { name: string; description?: string } }[] = askedOf(world.model)[0].tools
  const own = offered.find(({ function: { name } }) => name === world.name)
  assert.match(own?.function.description ?? '', /Call it without asking/)
  assert.equal(turn.text, 'Done.')
  const [run] = turn.tools
  assert.deepEqual([run.name, run.arguments, run.status], [world.name, tuesday, 'succeeded'])
  assert.equal(world.tool.received[0]?.headers['idempotency-key'], run.id)
  assert.equal(world.model.received.length, 2, 'the model is asked when the tool has run')
  const told = JSON.stringify(askedOf(world.model)[1].messages)
  assert.match(told, /Is that right\?.*Yes, please!.*is_booked/)
  await answered(world, id, 'Yes')
  assert.equal(world.tool.received.length, 1, 'the question was answered before')
})

for (const words of ['No.', 'No, thanks', 'Yes, but at ten', 'no more', 'stop', 'What does it cost?', 'Well...'])
  test(`"${words}" runs no tool`, async () => {
    const world = await newToolWorld(await workspace(), { calls: once, fields: asks })
    const id = await asked(world)
    assert.equal((await answered(world, id, words)).text, 'Done.')
    assert.match(JSON.stringify(askedOf(world.model)[1].messages), /A clear yes runs it/)
    await answered(world, id, 'Yes.')
    assert.equal(world.tool.received.length, 0, 'something else was said between')
  })

test('other arguments are read back again, and only they run', async () => {
  const calls = (asked: number) => [[tuesday], [{ day: 'Friday' }]][asked - 1] ?? []
  const world = await newToolWorld(await workspace(), { calls, fields: asks })
  const id = await asked(world)
  const again = await answered(world, id, 'No, on Friday.')
  assert.equal(again.text, 'I book Friday for you. Is that right?')
  await answered(world, id, 'Yes')
  assert.deepEqual(sentTo(world), [{ day: 'Friday' }])
})

test('who says no and then yes, before the agent has answered, has not said yes', async () => {
  const { promise, resolve } = Promise.withResolvers<void>()
  const world = await newToolWorld(await workspace(), {
    calls: once,
    fields: asks,
    beforeAnswer: (asked) => (asked === 2 ? promise : undefined),
  })
  const id = await asked(world)
  await say(world.tenant, id, 'No.')
  await until(() => world.model.received.length === 2)
  const { seq } = await say(world.tenant, id, 'Yes.')
  resolve()
  await answersAfter(world.tenant, id, seq)
  assert.equal(world.tool.received.length, 0)
})

test('a run that has failed is asked about again', async () => {
  const calls = (asked: number) => (asked < 3 ? [tuesday] : [])
  const answer = (response: import('node:http').ServerResponse) => response.writeHead(500).end()
  const world = await newToolWorld(await workspace(), { calls, fields: asks, answer })
  const id = await asked(world)
  const turn = await answered(world, id, 'Yes')
  assert.equal(turn.text, question)
  assert.deepEqual(
    turn.tools.map(({ status }: { status: string }) => status),
    ['failed', 'refused'],
  )
  await answered(world, id, 'Yes')
  assert.equal(world.tool.received.length, 2)
})

test('what the contact has said yes to is not run twice in one answer', async () => {
  const calls = () => [tuesday, tuesday]
  const world = await newToolWorld(await workspace(), { calls, fields: asks })
  const { id } = await begin(world.tenant, world.agent_id, { message: 'Tuesday, please.' })
  const [first] = await answersAfter(world.tenant, id, 1)
  assert.equal(first.text, question)
  await answered(world, id, 'Yes')
  assert.equal(world.tool.received.length, 1)
})

test('one thing is asked at a time, after the tools that need no question', async () => {
  const tenant = await workspace()
  const other = await newToolWorld(tenant, { calls: () => [] })
  const world = await newToolWorld(tenant, {
    calls: once,
    fields: asks,
    more: (asked) => (asked === 1 ? [{ name: other.name, arguments: {} }] : []),
    configuration: { tools: [other.name] },
  })
  const { id } = await begin(tenant, world.agent_id, { message: 'Tuesday, please.' })
  const [turn] = await answersAfter(tenant, id, 1)
  assert.equal(turn.text, question)
  assert.equal(other.tool.received.length, 1)
  const both = await newToolWorld(tenant, {
    calls: (asked) => (asked === 1 ? [tuesday, { day: 'Friday' }] : []),
    fields: asks,
  })
  const { id: second } = await begin(tenant, both.agent_id, { message: 'Both, please.' })
  const [asking] = await answersAfter(tenant, second, 1)
  assert.equal(asking.text, question)
  await answered(both, second, 'Yes')
  assert.deepEqual(sentTo(both), [tuesday])
})

test('nobody is asked about arguments that the tool does not take, or that one answer has no room for', async () => {
  const parameters = { type: 'object', properties: { day: { type: 'string' } } }
  const fields = { ...asks, parameters }
  const wrong = await newToolWorld(await workspace(), { calls: (asked) => (asked === 1 ? [{ day: 2 }] : []), fields })
  const { id } = await begin(wrong.tenant, wrong.agent_id, { message: 'Two.' })
  const [turn] = await answersAfter(wrong.tenant, id, 1)
  assert.deepEqual([turn.text, turn.tools[0].status], ['Done.', 'invalid_arguments'])
  const calls = (asked: number) => (asked === 1 ? [{ day: 'x'.repeat(4_000) }] : [])
  const long = await newToolWorld(await workspace(), { calls, fields })
  const { id: other } = await begin(long.tenant, long.agent_id, { message: 'Two.' })
  const [told] = await answersAfter(long.tenant, other, 1)
  assert.deepEqual([told.text, told.tools[0].status], ['Done.', 'refused'])
  assert.match(told.tools[0].result.message, /no room/)
})

test('the question and the yes are in the language of the agent', async () => {
  const world = await newToolWorld(await workspace(), {
    calls: once,
    fields: { confirm: true, say_while: 'Ich buche {{day}}.' },
    configuration: { language: 'de-AT' },
  })
  const id = await asked(world, 'Ich buche Tuesday. Ist das richtig?')
  await answered(world, id, 'Ja, bitte.')
  assert.deepEqual(sentTo(world), [tuesday])
})

test('by SMS the question is a message, and so is the yes', async () => {
  const tenant = await workspace()
  const world = await newToolWorld(tenant, { calls: once, fields: asks })
  const channel = await newSmsChannel(server, tenant, { carrier, agent_id: world.agent_id })
  const from = '+14155552071'
  await text(tenant, channel, 'Tuesday, please.', { from })
  const [{ id }] = (await tenant.call('GET', '/conversations')).body.data
  // The agent answers a while after the last message, which isn't announced.
  const turns = async (count: number) => {
    await until(async () => {
      engine.add(tenant.id)
      return (await turnsOf(tenant, id)).length === count
    })
    return turnsOf(tenant, id)
  }
  assert.deepEqual((await turns(2)).at(-1), ['agent', question])
  await text(tenant, channel, 'Yes', { from })
  assert.deepEqual((await turns(4)).at(-1), ['agent', 'Done.'])
  assert.deepEqual(sentTo(world), [tuesday])
})

const sentences: [string, string, object, string][] = [
  ['', 'a name', {}, 'book slot. Right?'],
  [
    '',
    'all values',
    { day: 'tue', is_urgent: true, note: null, guests: [{ name: 'Ann', age: 3 }, 'Bob'] },
    'book slot: day: tue, is urgent: true, guests: name Ann, age 3, Bob. Right?',
  ],
  ['I book {{day}}', 'its values', { day: 'tue' }, 'I book tue. Right?'],
  ['I book {{ day | some day }}!', 'a default', {}, 'I book some day! Right?'],
  ['I book {{day}}.', 'the others', { day: 'tue', time: 9 }, 'I book tue: time: 9. Right?'],
  ['Shall I book {{day}}?', 'a question', { day: 'tue' }, 'Shall I book tue?'],
  ['I note {{day}}', 'a value that looks like a question', { day: 'tue?' }, 'I note tue? Right?'],
  [
    'I book {{day}}.',
    'a value that looks like a placeholder',
    { day: '{{time}}', time: 9 },
    'I book {{time}}: time: 9. Right?',
  ],
  ['I book {{day}}.', 'lines', { day: 'a\n\nb' }, 'I book a b. Right?'],
]
for (const [sentence, what, values, read] of sentences)
  test(`"${sentence}" reads back ${what}`, () => {
    const call = { run: 'run', name: 'book_slot', arguments: values, after: 0 }
    const { sentence: said, question } = readBack(call, sentence, 'Right?')
    assert.equal([said, question].filter(Boolean).join(' '), read)
  })

test('a long value is read back whole', () => {
  const day = 'x'.repeat(1_001)
  const call = { run: 'run', name: 'book', arguments: { day }, after: 0 }
  assert.ok(readBack(call, 'I book {{day}}.', '').sentence.includes(day))
})

test('a tool is created, changed and read with its limits', async () => {
  const { call } = await workspace()
  const url = 'https://tools.example/'
  const made = await create({ call } as never, '/tools', {
    name: 'a',
    url,
    calls_max: 100,
    may_repeat: true,
    confirm: true,
  })
  const limitsOf = ({ calls_max, may_repeat, confirm }: Record<string, unknown>) => [calls_max, may_repeat, confirm]
  assert.deepEqual(limitsOf(made), [100, true, true])
  const path = `/tools/${made.id}`
  const changed = await call('PATCH', path, { calls_max: null, confirm: false })
  assert.deepEqual(limitsOf(changed.body.data), [null, true, false])
  assert.deepEqual(limitsOf((await call('GET', path)).body.data), [null, true, false])
  const plain = await create({ call } as never, '/tools', { name: 'b', url })
  assert.deepEqual(limitsOf(plain), [null, false, false])
  for (const fields of [
    { calls_max: 0 },
    { calls_max: 101 },
    { calls_max: 1.5 },
    { may_repeat: null },
    { confirm: 'yes' },
  ]) {
    const refused = await call('PATCH', path, fields)
    assert.deepEqual([refused.status, refused.body.error.details.fields[0].path], [400, Object.keys(fields)[0]])
  }
})

/* The last test: its engine is the only one from then on. */
test('a question that was asked before a restart is answered after it', async () => {
  const world = await newToolWorld(await workspace(), { calls: once, fields: asks })
  const id = await asked(world)
  await engine.stop()
  const { seq } = await say(world.tenant, id, 'Yes.')
  startToolAnswers(server).add(world.tenant.id)
  const [turn] = await answersAfter(world.tenant, id, seq)
  assert.deepEqual(sentTo(world), [tuesday])
  assert.equal(turn.tools[0].status, 'succeeded')
})

test('people say yes in many ways, and some words with a yes in them are none', () => {
  const yes = [
    'Yes',
    'y',
    'Right.',
    "That's right",
    'Yes, right!',
    'Please do.',
    'Do it',
    'Yes please, do it',
    'Ok, thanks',
  ]
  const other = ['Please', 'Thanks', 'Right, but at ten', 'Do it on Friday', 'That is not right', 'Yes, and my sister?']
  assert.deepEqual(
    yes.filter((text) => !isYes(text, 'en')),
    [],
  )
  assert.deepEqual(
    other.filter((text) => isYes(text, 'en')),
    [],
  )
})
