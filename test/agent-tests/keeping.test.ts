import assert from 'node:assert/strict'
import { test } from 'node:test'
import { removeOld } from '../../server/agent-tests/retention.ts'
import * as clock from '../../server/kit/clock.ts'
import { addTest, getRun, newDesk, resultOf, runTests, sentencesIn, startRun } from '../support/agent-tests.ts'
import { serve } from '../support/harness.ts'

const server = await serve()
const { workspace } = server

const after = (days: number) => clock.wall() + days * clock.day_ms
const steps = [{ says: 'When are you open?', expect: [{ type: 'never_says', any_of: ['nine'] }] }]

test('conversations of runs are deleted after 30 days, and runs after 90', async () => {
  const tenant = await workspace()
  const id = await newDesk(tenant)
  await addTest(tenant, id, { steps })
  const run = await runTests(tenant, id)
  const kept = async () => [
    (await tenant.call('GET', `/conversations/${run.results[0].conversation_id}`)).status,
    (await tenant.call('GET', `/test_runs/${run.id}`)).status,
  ]
  await removeOld(server.at(tenant.id, after(29)))
  assert.deepEqual(await kept(), [200, 200])
  await removeOld(server.at(tenant.id, after(31)))
  assert.deepEqual(await kept(), [404, 200])
  assert.deepEqual(sentencesIn((await getRun(tenant, run.id)).results[0]), ['The agent said "nine".'])
  await removeOld(server.at(tenant.id, after(91)))
  assert.deepEqual(await kept(), [404, 404])
  assert.equal((await tenant.call('GET', `/agents/${id}/tests`)).body.pagination.total, 1)
})

test('a run that has not ended is not deleted', async () => {
  const tenant = await workspace()
  const id = await newDesk(tenant)
  await addTest(tenant, id, { steps })
  const { id: run_id } = await startRun(tenant, id)
  await removeOld(server.at(tenant.id, after(91)))
  assert.equal((await getRun(tenant, run_id)).status, 'queued')
})

test('a conversation of a test can be redacted, with what its result says about it', async () => {
  const tenant = await workspace()
  const id = await newDesk(tenant)
  for (const simulation of [{}, { kind: 'simulation', person: { number: '00' }, medium: 'voice', steps: [] }]) {
    const expect = [{ type: 'says', any_of: ['a secret'] }]
    const result = await resultOf(tenant, id, { steps, expect, ...simulation })
    const redacted = await tenant.call('POST', `/conversations/${result.conversation_id}/redact`)
    assert.equal(redacted.status, 200, redacted.text)
    const [run] = (await tenant.call('GET', `/agents/${id}/test_runs`)).body.data
    const [after] = (await getRun(tenant, run.id)).results
    assert.deepEqual([after.status, after.failures.length], ['failed', result.failures.length])
    assert.deepEqual(new Set(sentencesIn(after)), new Set(['It was erased with its conversation.']))
    assert.equal((await tenant.call('GET', `/agents/${id}/tests/${result.test_id}`)).status, 200)
  }
})

test('a workspace sees nothing of the runs of another one', async () => {
  const [one, other] = [await workspace(), await workspace()]
  const id = await newDesk(one)
  const result = await resultOf(one, id, { steps })
  assert.equal((await other.call('GET', '/conversations?is_test=true')).body.pagination.total, 0)
  assert.equal((await other.call('GET', `/conversations/${result.conversation_id}`)).status, 404)
  const [run] = (await one.call('GET', `/agents/${id}/test_runs`)).body.data
  assert.equal((await other.call('GET', `/test_runs/${run.id}?format=junit`)).status, 404)
})

test('a JUnit file names what has failed, and has no ids and times', async () => {
  const tenant = await workspace()
  const id = await newDesk(tenant, { name: 'Desk "A" & <B>' })
  await addTest(tenant, id, { name: 'Fails & <shows> "it"', steps })
  await addTest(tenant, id, { name: 'Passes', steps: [{ says: 'Hi' }] })
  await addTest(tenant, id, { name: 'Has no model', kind: 'simulation', persona: { goal: 'Book.' } })
  const run = await runTests(tenant, id)
  const { status, headers, text } = await tenant.call('GET', `/test_runs/${run.id}?format=junit`)
  assert.deepEqual([status, headers.get('content-type')], [200, 'application/xml; charset=utf-8'])
  const suite = 'name="Desk &quot;A&quot; &amp; &lt;B&gt; v1"'
  assert.equal(
    text,
    `<?xml version="1.0" encoding="UTF-8"?>
<testsuites ${suite} tests="3" failures="1" errors="1" skipped="0">
  <testsuite ${suite} tests="3" failures="1" errors="1" skipped="0">
    <testcase name="Fails &amp; &lt;shows&gt; &quot;it&quot;" class${suite}>
      <failure message="Line 1: The agent said &quot;nine&quot;." type="never_says">Line 1: The agent said "nine".</failure>
    </testcase>
    <testcase name="Passes" class${suite}/>
    <testcase name="Has no model" class${suite}>
      <error message="A persona needs a model. There is no default provider." type="error"></error>
    </testcase>
  </testsuite>
</testsuites>
`,
  )
})
