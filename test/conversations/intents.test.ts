import assert from 'node:assert/strict'
import { test } from 'node:test'
import { answersAfter, becomes, begin, newAgent, say, startAnswering } from '../support/conversations.ts'
import { serve, type Tenant } from '../support/harness.ts'
import { newPerson } from '../support/sessions.ts'

const server = await serve()
startAnswering(server)

const handing_over = { intent: 'human', say: 'I will ask Petra Jones to answer you.', go: '@hand_over' }
const ending = { intent: 'goodbye', say: 'Thank you. Goodbye!', go: '@end' }
const nodes = { ask: { say: 'How can I help?', on: [handing_over, ending], else: { say: 'I do not know.' } } }

const scripted = (tenant: Tenant, fields: object = {}) =>
  newAgent(tenant, { script: { start: 'ask', nodes }, ...fields })

/** What the agent answers to these words in a conversation of their own. */
async function answerTo(tenant: Tenant, agent_id: string, text: string): Promise<string> {
  const { id, turn_count } = await begin(tenant, agent_id)
  const greeted = turn_count > 0 ? turn_count : (await answersAfter(tenant, id, 0)).length
  await say(tenant, id, text)
  return (await answersAfter(tenant, id, greeted + 1))[0].text
}

test('a question about all that is included does not end the conversation', async () => {
  const tenant = await server.workspace()
  const agent_id = await scripted(tenant)
  for (const text of ['Is that all included?', 'that is all I want to know: what does whitening cost?'])
    assert.equal(await answerTo(tenant, agent_id, text), 'I do not know.', text)
  assert.equal(await answerTo(tenant, agent_id, "That's all, thank you"), 'Thank you. Goodbye!')
})

test('a member, a transfer and someone whom the hand-over names are asked for by name, and nobody else', async () => {
  const tenant = await server.workspace()
  const transfers = [{ name: 'Bookkeeping', phone_number: '+14155550199' }]
  const agent_id = await scripted(tenant, { transfers, hand_over: { message: 'I will ask Paul.' } })
  const ask = (name: string) => answerTo(tenant, agent_id, `Can I speak to ${name}?`)
  assert.equal(await ask('Ada'), 'I do not know.')
  await newPerson(server, { [tenant.id]: 'member' })
  for (const name of ['Ada', 'bookkeeping', 'Paul', 'Mrs Jones'])
    assert.equal(await ask(name), 'I will ask Petra Jones to answer you. I will ask Paul.', name)
  assert.equal(await ask('Maria'), 'I do not know.')
})

test('who asks for a member by name gets a person when no model can answer', async () => {
  const tenant = await server.workspace()
  await newPerson(server, { [tenant.id]: 'member' })
  const { id } = await begin(tenant, await newAgent(tenant), { message: 'Can I talk to Ada?' })
  await becomes(tenant, id, ({ status }) => status === 'handed_over')
})
