import assert from 'node:assert/strict'
import { test } from 'node:test'
import { addTest, desk_script, getRun, newDesk, runTests, startRun } from '../support/agent-tests.ts'
import { unknown_id } from '../support/contacts.ts'
import { type Answer, serve } from '../support/harness.ts'
import { inWorkspace, newPerson } from '../support/sessions.ts'

const server = await serve()
const { workspace } = server

const hours = (text: string) => ({
  ...desk_script,
  nodes: {
    ...desk_script.nodes,
    greet: { ...desk_script.nodes.greet, on: [{ hear: ['when open'], say: text, go: 'more' }] },
  },
})

const open_at_nine = {
  name: 'Opening hours',
  steps: [{ says: 'When are you open?', expect: [{ type: 'says', any_of: ['open at nine'] }] }],
}

/** An agent that requires tests, and a version of it that is not deployed. */
async function withGate(text = 'We are open at nine.') {
  const tenant = await workspace()
  const id = await newDesk(tenant)
  const { id: test_id } = await addTest(tenant, id, open_at_nine)
  const changed = await tenant.call('PATCH', `/agents/${id}`, { deploy_requires: 'tests', script: hours(text) })
  assert.equal(changed.status, 200, changed.text)
  const publish = (body: object = {}) => tenant.call('POST', `/agents/${id}/versions`, body)
  const deploy = (body: object) => tenant.call('POST', `/agents/${id}/deploy`, body)
  return { tenant, id, test_id, publish, deploy }
}

const detailsOf = ({ error: { details } }: Answer['body']): object => {
  const { request_id: _, ...rest } = details
  return rest
}

function assertRefused({ status, body }: Answer, test_run_id: string | null): void {
  assert.deepEqual([status, body.error?.code], [409, 'INVALID_STATE'])
  assert.deepEqual(detailsOf(body), { reason: 'tests_required', test_run_id })
}

test('a version is deployed only after its tests have passed', async () => {
  const { tenant, id, publish, deploy } = await withGate()
  const { id: version_id } = (await publish()).body.data
  assertRefused(await deploy({ version_id }), null)
  const { id: other_run } = await runTests(tenant, id)
  assertRefused(await deploy({ version_id }), other_run)
  const { id: run_id, passed } = await runTests(tenant, id, { version_id })
  assert.equal(passed, 1)
  const deployed = await deploy({ version_id })
  assert.equal(deployed.status, 200, deployed.text)
  assert.notEqual(run_id, other_run)
  const [deployment] = (await tenant.call('GET', `/agents/${id}/deployments`)).body.data
  assert.equal(deployment.is_forced, false)
})

test('a version whose tests fail is refused in every way', async () => {
  const { tenant, id, publish, deploy } = await withGate('We are open at ten.')
  const { id: run_id } = await runTests(tenant, id, { use_draft: true })
  assertRefused(await publish({ deploy: true }), run_id)
  const { id: version_id } = (await publish()).body.data
  assertRefused(await deploy({ version_id }), run_id)
  assertRefused(await deploy({ version_id, percent: 1 }), run_id)
  assertRefused(await tenant.call('POST', `/agents/${id}/versions`, { deploy: true }), run_id)
})

test('a run of the draft counts after it was published', async () => {
  const { tenant, id, publish } = await withGate()
  await runTests(tenant, id, { use_draft: true })
  const published = await publish({ deploy: true })
  assert.equal(published.status, 201, published.text)
})

test('a run counts for the tests as they are now', async () => {
  const { tenant, id, test_id, publish, deploy } = await withGate()
  const { id: version_id } = (await publish()).body.data
  const { id: run_id } = await runTests(tenant, id, { version_id })
  const path = `/agents/${id}/tests/${test_id}`
  await tenant.call('PATCH', path, { steps: [...open_at_nine.steps, { says: 'Really?' }] })
  assertRefused(await deploy({ version_id }), run_id)
  await tenant.call('PATCH', path, { steps: open_at_nine.steps, name: 'Another name' })
  const { id: added } = await addTest(tenant, id, { name: 'Added', steps: [{ says: 'Hi' }] })
  assertRefused(await deploy({ version_id }), run_id)
  await tenant.call('PATCH', `/agents/${id}/tests/${added}`, { is_enabled: false })
  assert.equal((await deploy({ version_id, percent: 20 })).status, 200)
  await tenant.call('PATCH', `/agents/${id}/tests/${added}`, { is_enabled: true })
  assertRefused(await deploy({ version_id }), run_id)
  await runTests(tenant, id, { version_id, test_ids: [added] })
  const partial = (await tenant.call('GET', `/agents/${id}/test_runs`)).body.data[0]
  assertRefused(await deploy({ version_id }), partial.id)
  await runTests(tenant, id, { version_id })
  assert.equal((await deploy({ version_id })).status, 200)
})

test('how the tests stand is told by the same rules', async () => {
  const { tenant, id, test_id, publish, deploy } = await withGate('We are open at ten.')
  const gateOf = async (version?: string) => {
    const query = version === undefined ? '' : `?version=${version}`
    const { status, text, body } = await tenant.call('GET', `/agents/${id}/test_gate${query}`)
    assert.equal(status, 200, text)
    return body.data
  }
  const none = { deploy_requires: 'tests', tests: 1, has_passed: false, passed_run_id: null, last_run_id: null }
  assert.deepEqual(await gateOf(), none)
  const { id: other } = await addTest(tenant, id, { name: 'Other', steps: [{ says: 'Hi' }], is_enabled: false })
  // As many tests as are enabled have passed, and not those.
  const { id: wrong_run, passed } = await runTests(tenant, id, { use_draft: true, test_ids: [other] })
  assert.equal(passed, 1)
  assert.deepEqual(await gateOf(), { ...none, last_run_id: wrong_run })
  assertRefused(await publish({ deploy: true }), wrong_run)
  await tenant.call('PATCH', `/agents/${id}`, { script: hours('We are open at nine.') })
  const { id: run_id } = await runTests(tenant, id, { use_draft: true })
  const passing = { ...none, has_passed: true, passed_run_id: run_id, last_run_id: run_id }
  assert.deepEqual(await gateOf(), passing)
  const { id: version_id } = (await publish()).body.data
  assert.deepEqual(await gateOf(version_id), passing)
  // None of this changes what was tested.
  await tenant.call('PATCH', `/agents/${id}`, { name: 'Renamed' })
  await tenant.call('PATCH', `/agents/${id}/tests/${test_id}`, { name: 'Renamed' })
  const { id: last_run_id } = await runTests(tenant, id, { version_id, test_ids: [other] })
  assert.deepEqual(await gateOf(version_id), { ...passing, last_run_id })
  assert.equal((await deploy({ version_id })).status, 200)
  await tenant.call('PATCH', `/agents/${id}/tests/${test_id}`, { is_enabled: false })
  assert.deepEqual(await gateOf(version_id), { ...passing, tests: 0, passed_run_id: null, last_run_id })
})

test('a gate is that of a version of the agent, or of the draft', async () => {
  const { tenant, id } = await withGate()
  const statusOf = async (path: string) => (await tenant.call('GET', path)).status
  assert.equal(await statusOf(`/agents/${id}/test_gate?version=draft`), 200)
  assert.equal(await statusOf(`/agents/${id}/test_gate?version=${unknown_id}`), 400)
  assert.equal(await statusOf(`/agents/${id}/test_gate?version=v1`), 400)
  assert.equal(await statusOf(`/agents/${unknown_id}/test_gate`), 404)
})

test('a run that was canceled is not the last one', async () => {
  const { tenant, id } = await withGate()
  const { id: canceled } = await startRun(tenant, id, { use_draft: true })
  const gate = async () => (await tenant.call('GET', `/agents/${id}/test_gate`)).body.data
  assert.equal((await gate()).last_run_id, canceled)
  await tenant.call('POST', `/test_runs/${canceled}/cancel`)
  assert.equal((await gate()).last_run_id, null)
})

test('a result says whether its test has changed since, whatever the clocks say', async () => {
  const tenant = await workspace(Date.parse('2030-01-01T09:00:00Z'))
  const id = await newDesk(tenant)
  const { id: test_id } = await addTest(tenant, id, open_at_nine)
  const run = await runTests(tenant, id)
  const hasChanged = async () => {
    const [result] = (await getRun(tenant, run.id)).results
    const [listed] = (await tenant.call('GET', `/test_runs/${run.id}/results`)).body.data
    assert.equal(result.has_test_changed, listed.has_test_changed)
    return result.has_test_changed
  }
  assert.equal(await hasChanged(), false)
  await tenant.call('PATCH', `/agents/${id}/tests/${test_id}`, { name: 'Renamed' })
  assert.equal(await hasChanged(), false)
  await tenant.call('PATCH', `/agents/${id}/tests/${test_id}`, { steps: [{ says: 'Hi' }] })
  assert.equal(await hasChanged(), true)
})

test('without an enabled test there is no gate', async () => {
  const { tenant, id, test_id, publish, deploy } = await withGate('We are open at ten.')
  const { id: version_id } = (await publish()).body.data
  await tenant.call('PATCH', `/agents/${id}/tests/${test_id}`, { is_enabled: false })
  assert.equal((await deploy({ version_id })).status, 200)
})

test('a rollback needs no tests, and the end of a candidate neither', async () => {
  const { tenant, id, publish, deploy } = await withGate()
  const { id: version_id } = (await publish()).body.data
  await runTests(tenant, id, { version_id })
  assert.equal((await deploy({ version_id })).status, 200)
  await addTest(tenant, id, { name: 'Added', steps: [{ says: 'Hi', expect: [{ type: 'says', any_of: ['never'] }] }] })
  const rolled_back = await tenant.call('POST', `/agents/${id}/rollback`)
  assert.equal(rolled_back.body.data.deployed_version.version_label, 'v1')
  const { id: deployed } = rolled_back.body.data.deployed_version
  await deploy({ version_id, percent: 10, force: true })
  assert.equal((await deploy({ version_id: deployed })).body.data.candidate, null)
})

test('owners, and keys that list agents:force, deploy all the same, and it is known', async () => {
  const { tenant, id, publish } = await withGate('We are open at ten.')
  const { id: version_id } = (await publish()).body.data
  const path = `/api/v1/agents/${id}/deploy`
  const by = async (key: string, body: object) => server.fetch('POST', path, body, { authorization: `Bearer ${key}` })
  const all = await tenant.newKey()
  const refused = await by(all, { version_id, force: true })
  assert.deepEqual([refused.status, detailsOf(refused.body)], [403, { required_scope: 'agents:force' }])
  const member = await newPerson(server, { [tenant.id]: 'member' })
  const by_member = await member.go('POST', path, { version_id, force: true }, inWorkspace(tenant))
  assert.deepEqual([by_member.status, detailsOf(by_member.body)], [403, { required_role: 'owner' }])
  const listed = await tenant.newKey({ scopes: ['agents:write', 'agents:force'] })
  assert.equal((await by(listed, { version_id, force: true })).status, 200)
  const owner = await newPerson(server, { [tenant.id]: 'owner' })
  await tenant.call('POST', `/agents/${id}/rollback`)
  assert.equal((await owner.go('POST', path, { version_id, force: true }, inWorkspace(tenant))).status, 200)
  const { data: events } = (await tenant.call('GET', '/events?type=agent.deployed')).body
  assert.deepEqual(
    events.map(({ data }: { data: { is_forced: boolean } }) => data.is_forced),
    [true, false, true],
  )
  const { data: deployments } = (await tenant.call('GET', `/agents/${id}/deployments`)).body
  assert.deepEqual(
    deployments.map(({ is_forced }: { is_forced: boolean }) => is_forced),
    [true, false, true, false],
  )
  const { data: entries } = (await tenant.call('GET', `/audit_log?action=agents.force&subject_id=${id}`)).body
  assert.deepEqual(
    entries.map(({ actor }: { actor: { type: string } }) => actor.type),
    ['person', 'key'],
  )
})

test('force with passed tests is no forced deployment', async () => {
  const { tenant, id, publish, deploy } = await withGate()
  const { id: version_id } = (await publish()).body.data
  await runTests(tenant, id, { version_id })
  await deploy({ version_id, force: true })
  const [deployment] = (await tenant.call('GET', `/agents/${id}/deployments`)).body.data
  assert.equal(deployment.is_forced, false)
})

test('only owners, and keys that list agents:force, say whether tests are required', async () => {
  const { tenant, id } = await withGate()
  const path = `/api/v1/agents/${id}`
  const member = await newPerson(server, { [tenant.id]: 'member' })
  const owner = await newPerson(server, { [tenant.id]: 'owner' })
  const own = inWorkspace(tenant)
  const authorization = `Bearer ${await tenant.newKey()}`
  const none = { deploy_requires: 'none' }
  assert.equal((await member.go('PATCH', path, none, own)).body.error.details.required_role, 'owner')
  assert.equal((await server.fetch('PATCH', path, none, { authorization })).status, 403)
  // What stays is no change.
  const same = { deploy_requires: 'tests', description: 'At the door.' }
  assert.equal((await member.go('PATCH', path, same, own)).status, 200)
  assert.equal((await server.fetch('PATCH', path, same, { authorization })).status, 200)
  const changed = await owner.go('PATCH', path, none, own)
  assert.deepEqual([changed.status, changed.body.data.deploy_requires], [200, 'none'])
})

test('a broken script among thirty tests is refused, and the report names the line', async () => {
  const tenant = await workspace()
  const id = await newDesk(tenant, { script: hours('We are open at nine.') })
  await addTest(tenant, id, open_at_nine)
  for (let number = 2; number <= 30; number += 1)
    await addTest(tenant, id, { name: `Test ${number}`, steps: [{ says: 'Book a visit' }, { says: 'Hm.' }] })
  assert.equal((await runTests(tenant, id)).passed, 30)
  await tenant.call('PATCH', `/agents/${id}`, { deploy_requires: 'tests', script: hours('We open late.') })
  const run = await runTests(tenant, id, { use_draft: true })
  assert.deepEqual([run.passed, run.failed], [29, 1])
  const [{ failures, name }] = run.results
  assert.deepEqual([name, failures[0].step, failures[0].seq], ['Opening hours', 1, 3])
  assertRefused(await tenant.call('POST', `/agents/${id}/versions`, { deploy: true }), run.id)
})
