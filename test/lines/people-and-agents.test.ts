import assert from 'node:assert/strict'
import { test } from 'node:test'
import { receptionist } from '../../server/start/receptionist.ts'
import { advance, getCall, newTestCalls, placeCall, turnsOf } from '../support/calls.ts'
import { serve } from '../support/harness.ts'

const server = await serve()

const appointment = {
  name: 'Appointments',
  voicemail_message: 'Please call us back about your appointment.',
  script: {
    start: 'welcome',
    nodes: {
      welcome: {
        say: 'Hello, this is the example clinic. Is this a good time to talk?',
        on: [
          { hear: ['press'], go: 'choose' },
          { intent: 'yes', go: 'day' },
          { intent: 'no', go: 'goodbye' },
          { intent: 'goodbye', go: 'goodbye' },
        ],
        else: { say: 'Sorry, could you say that again?' },
      },
      choose: { press: '2', go: 'welcome' },
      day: {
        say: 'Great. On which day can you come?',
        on: [
          { slot: 'date', go: 'name' },
          { intent: 'goodbye', go: 'goodbye' },
        ],
        else: { say: 'Which day?' },
      },
      name: {
        say: 'And what is your name?',
        on: [{ slot: 'name', go: 'confirm' }],
        else: { say: 'Could you tell me your name again?' },
      },
      confirm: {
        say: 'So we will see you on {{date}}, {{name}}. Is that right?',
        on: [{ intent: 'yes', go: 'goodbye' }],
      },
      goodbye: { say: 'Thank you for your time. Have a great day. Goodbye!', go: '@end' },
    },
  },
}

const agents = [receptionist, appointment]

async function newWorld(agent: object) {
  const tenant = await server.workspace()
  await newTestCalls(tenant)
  const agent_id: string = (await tenant.call('POST', '/agents', agent)).body.data.id
  const callAll = async (numbers: string[]) => {
    const placed = await Promise.all(numbers.map((to) => placeCall(tenant, { agent_id, to })))
    await advance(tenant, 3_600)
    return Promise.all(placed.map(({ id }) => getCall(tenant, id)))
  }
  return { tenant, callAll }
}

const is_end_of_agent = /^(goal_reached|agent_hung_up)$/

test('a friendly person lets agents come to their end, whatever the seed', async () => {
  const numbers = Array.from({ length: 20 }, (_, index) => `+14155${String(index).padStart(4, '0')}00`)
  for (const agent of agents)
    for (const { to, outcome, end_reason } of await (await newWorld(agent)).callAll(numbers)) {
      assert.equal(outcome, 'answered')
      assert.match(end_reason, is_end_of_agent, `${agent.name} ${to}`)
    }
})

test('people who end a call in one way do so with other agents too', async () => {
  const expected = { '09': 'silence', '11': 'opted_out', '14': 'contact_hung_up', '15': 'max_duration' }
  for (const agent of agents) {
    const { callAll } = await newWorld(agent)
    const calls = await callAll(Object.keys(expected).map((person) => `+141555501${person}`))
    assert.deepEqual(
      calls.map(({ end_reason }) => end_reason),
      Object.values(expected),
    )
  }
})

test('a number with a carrier error answers the second time', async () => {
  const { callAll } = await newWorld(receptionist)
  const [first] = await callAll(['+14155550116'])
  const [second] = await callAll(['+14155550116'])
  assert.deepEqual([first.outcome, second.outcome], ['error', 'answered'])
  assert.match(second.end_reason, is_end_of_agent)
})

test('an agent leaves a message after the beep, and reaches someone behind a phone menu', async () => {
  const { tenant, callAll } = await newWorld(appointment)
  const [voicemail, menu] = await callAll(['+14155550105', '+14155550108'])
  assert.equal(voicemail.end_reason, 'voicemail_left')
  const said = await turnsOf(tenant, menu.conversation_id)
  assert.ok(said.some(({ text }: { text: string }) => /this is Sam/.test(text)))
})
