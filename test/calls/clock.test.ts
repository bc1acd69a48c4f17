import assert from 'node:assert/strict'
import { test } from 'node:test'
import { advance, newCaller, newTestCalls, placeCall, readWhole } from '../support/calls.ts'
import { serve, type Tenant } from '../support/harness.ts'
import { byForm } from '../support/property-runs.ts'

const server = await serve()

const everyone = Array.from({ length: 20 }, (_, index) => String(index).padStart(2, '0'))
/** Those who talk, who interrupt, who opt out, who ask for a person, and whom a machine answers for. */
const people = byForm({ short: ['00', '01', '05', '09', '11', '13', '15', '18'], long: everyone })

interface OptOut {
  created_at: string
  evidence: { seq: number }
}

/** Calls to these people, and what is the same however the clock was advanced. */
async function callAll(tenant: Tenant, steps_s: number[]) {
  await newTestCalls(tenant)
  const agent_id = await newCaller(tenant)
  const calls = []
  for (const person of people) calls.push(await placeCall(tenant, { agent_id, to: `+141555501${person}` }))
  for (const step of steps_s) await advance(tenant, step)
  const consents = (await tenant.call('GET', '/consents')).body.data
  const opt_outs = consents.map(({ created_at, evidence: { seq } }: OptOut) => ({ created_at, seq }))
  assert.equal(opt_outs.length, 1)
  return [...(await Promise.all(calls.map(({ id }) => readWhole(tenant, id)))), opt_outs]
}

test('calls are the same whether the clock advances in one go, by minutes or by seconds', async () => {
  const [in_one_go, by_minutes, by_seconds] = [
    await callAll(await server.workspace(), [2_400]),
    await callAll(
      await server.workspace(),
      Array.from({ length: 6 }, () => 420),
    ),
    await callAll(await server.workspace(), [...Array.from({ length: 17 }, () => 3), 1_000, 1, 1_348]),
  ]
  for (const [index, expected] of in_one_go.entries()) {
    assert.deepEqual(by_minutes[index], expected)
    assert.deepEqual(by_seconds[index], expected)
  }
})

test('a script whose last words are interrupted goes on the same when the clock advances in between', async () => {
  const last_words = 'We will send you the papers this week, and call you again when they have arrived at your office.'
  const nodes = {
    greet: { say: 'Hello, this is Acme.', else: { go: 'last' } },
    last: { say: last_words, go: '@end' },
  }
  const callOnce = async (steps_s: number[]) => {
    const tenant = await server.workspace()
    await newTestCalls(tenant)
    const agent_id = await newCaller(tenant, { script: { start: 'greet', nodes } })
    const { id } = await placeCall(tenant, { agent_id, to: '+14155550113' })
    for (const step of steps_s) await advance(tenant, step)
    return readWhole(tenant, id)
  }
  const by_seconds = Array.from({ length: 40 }, () => 1)
  assert.deepEqual(await callOnce([...by_seconds, 600]), await callOnce([640]))
})
