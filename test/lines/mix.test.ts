import assert from 'node:assert/strict'
import { test } from 'node:test'
import { simulator } from '../../server/lines/simulator/carrier.ts'
import { choosePerson } from '../../server/lines/simulator/choose.ts'
import { serve } from '../support/harness.ts'

const server = await serve()

const default_mix = { answered: 45, no_answer: 25, voicemail: 20, busy: 4, rejected: 3, unreachable: 2, error: 1 }

async function testWorkspace() {
  const tenant = await server.workspace()
  await tenant.addTestClock()
  return tenant
}

const call = (to: string, attempt = 1) => ({ id: '', to, from: null, simulate: null, attempt, started_at: 0 })

test('a test workspace has a mix, whose members are changed one by one', async () => {
  const { call } = await testWorkspace()
  assert.deepEqual((await call('GET', '/workspace')).body.data.settings.mix, default_mix)
  const change = (mix: unknown) => call('PATCH', '/workspace', { settings: { mix } })
  const changed = await change({ answered: 40, error: 6 })
  assert.deepEqual(changed.body.data.settings.mix, { ...default_mix, answered: 40, error: 6 })
  for (const wrong of [{ answered: 45 }, { answered: 100 }, { answered: 145, error: -94 }, { gone: 1 }, null, 1]) {
    const { status, body } = await change(wrong)
    assert.equal(status, 400, JSON.stringify(wrong))
    assert.match(body.error.details.fields[0].path, /^settings\.mix/)
  }
  assert.deepEqual((await call('GET', '/workspace')).body.data.settings, changed.body.data.settings)
})

test('a live workspace has no mix, and takes back what it answered', async () => {
  const { call } = await server.workspace()
  const { settings } = (await call('GET', '/workspace')).body.data
  assert.equal(settings.mix, null)
  assert.equal((await call('PATCH', '/workspace', { settings })).status, 200)
  const { status, body } = await call('PATCH', '/workspace', { settings: { mix: { answered: 45 } } })
  assert.deepEqual([status, body.error.details.fields[0].path], [400, 'settings.mix'])
})

test('the last two digits choose a person, or the mix does', async () => {
  const tenant = await testWorkspace()
  const personFor = async (to: string, attempt = 1) =>
    (await choosePerson(server.at(tenant.id), call(to, attempt))).person
  assert.deepEqual(await Promise.all(['+14155550100', '+14155550117', '+14155550119'].map((to) => personFor(to))), [
    '00',
    '17',
    '19',
  ])
  assert.deepEqual([await personFor('+14155550116'), await personFor('+14155550116', 2)], ['16', '00'])
  const numbers = Array.from(
    { length: 240 },
    (_, index) => `+1415555${10 + Math.floor(index / 80)}${20 + (index % 80)}`,
  )
  const count = async (person: string) => {
    let found = 0
    for (const to of numbers) if ((await personFor(to)) === person) found += 1
    return (100 * found) / numbers.length
  }
  const answered = await count('00')
  assert.ok(answered > 35 && answered < 55, `${answered} of 45`)
  const voicemail = await count('05')
  assert.ok(voicemail > 12 && voicemail < 28, `${voicemail} of 20`)
  const mix = { answered: 0, no_answer: 0, voicemail: 0, busy: 100, rejected: 0, unreachable: 0, error: 0 }
  await tenant.call('PATCH', '/workspace', { settings: { mix } })
  assert.equal(await count('02'), 100)
})

test('the carrier knows what has happened on the line up to the answer', async () => {
  const tenant = await server.workspace()
  const at = (now: number) => server.at(tenant.id, now)
  const kinds = async (to: string, now: number) =>
    (await simulator.find(at(now), call(to), now)).map(({ fact }) => (fact.kind === 'final' ? fact.final : fact.kind))
  assert.deepEqual(await kinds('+14155550101', 0), [])
  assert.deepEqual(await kinds('+14155550101', 5_000), ['queued', 'ringing'])
  assert.deepEqual(await kinds('+14155550101', 60_000), ['queued', 'ringing', 'no_answer'])
  assert.deepEqual(await kinds('+14155550100', 60_000), ['queued', 'ringing', 'answered'])
  assert.deepEqual(await kinds('+14155550118', 60_000), ['queued', 'ringing', 'answered'])
  assert.deepEqual(await kinds('+14155550117', 60_000), [])
  const line = await simulator.dial(at(0), call('+14155550105'))
  const facts = line.take(40_000).flatMap((event) => (event.type === 'fact' ? event.fact : []))
  assert.deepEqual(await simulator.find(at(40_000), call('+14155550105'), 40_000), facts)
})
