import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from '../../server/kit/postgres/sql.ts'
import { waitUntil } from '../faults/client.ts'
import { unknown_id } from '../support/contacts.ts'
import { serve } from '../support/harness.ts'
import { listLockWaits } from '../support/lock-waits.ts'
import { newAgent, newAgentTest } from '../support/samples.ts'

const server = await serve()
const { workspace } = server

async function withTests(count = 1) {
  const tenant = await workspace()
  const { id } = (await tenant.call('POST', '/agents', newAgent())).body.data
  const test_ids: string[] = []
  for (let number = 1; number <= count; number += 1) {
    const added = await tenant.call('POST', `/agents/${id}/tests`, newAgentTest({ name: `Test ${number}` }))
    test_ids.push(added.body.data.id)
  }
  const path = `/agents/${id}/test_runs`
  const run = (body: object = {}) => tenant.call('POST', path, body)
  return { tenant, id, path, test_ids, run }
}

test('a run has the tests that are enabled, as they are when it is created', async () => {
  const { tenant, id, path, test_ids, run } = await withTests(3)
  await tenant.call('PATCH', `/agents/${id}/tests/${test_ids[1]}`, { is_enabled: false })
  const { status, body } = await run()
  assert.equal(status, 202)
  const { data } = body
  assert.deepEqual(data, {
    id: data.id,
    agent_id: id,
    kind: 'tests',
    agent_version: { id: data.agent_version.id, version_label: 'v1' },
    status: 'queued',
    repeat: 1,
    passes_min: 1,
    tests: 2,
    done: 0,
    passed: 0,
    failed: 0,
    errors: 0,
    usage: { input_tokens: 0, output_tokens: 0 },
    created_by: { ...data.created_by, kind: 'api_key', name: 'test' },
    created_at: data.created_at,
    started_at: null,
    ended_at: null,
  })
  await tenant.call('DELETE', `/agents/${id}/tests/${test_ids[0]}`)
  const found = (await tenant.call('GET', `/test_runs/${data.id}`)).body.data
  assert.deepEqual(
    found.results.map(({ test_id, name, status }: Record<string, string>) => [test_id, name, status]),
    [
      [null, 'Test 1', 'queued'],
      [test_ids[2], 'Test 3', 'queued'],
    ],
    'a test that was deleted is not named',
  )
  assert.deepEqual((await tenant.call('GET', path)).body.data, [data])
  const results = await tenant.call('GET', `/test_runs/${data.id}/results?status=queued&limit=1`)
  assert.deepEqual([results.body.data.length, results.body.pagination.total], [1, 2])
  assert.equal(results.body.data[0].test_id, null)
  const next = await tenant.call('GET', `/test_runs/${data.id}/results?cursor=${results.body.pagination.next_cursor}`)
  assert.equal(next.body.data[0].name, 'Test 3')
})

test('a run can name tests, also disabled ones, and only those of the agent', async () => {
  const { tenant, id, test_ids, run } = await withTests(2)
  await tenant.call('PATCH', `/agents/${id}/tests/${test_ids[1]}`, { is_enabled: false })
  assert.equal((await run({ test_ids: [test_ids[1]] })).body.data.tests, 1)
  const refused = await run({ test_ids: [test_ids[0], unknown_id] })
  assert.deepEqual([refused.status, refused.body.error.details.fields[0].path], [400, 'test_ids.1'])
})

test('a run tests the deployed version, another one, or the draft', async () => {
  const { tenant, id, run } = await withTests()
  await tenant.call('PATCH', `/agents/${id}`, { instructions: 'Be short.' })
  const version_id = (await tenant.call('POST', `/agents/${id}/versions`)).body.data.id
  const labels = []
  for (const body of [{}, { version_id }, { use_draft: true }])
    labels.push((await run(body)).body.data.agent_version.version_label)
  assert.deepEqual(labels, ['v1', 'v2', 'draft'])
  assert.equal((await run({ version_id, use_draft: true })).status, 400)
  assert.equal((await run({ version_id: unknown_id })).status, 400)
})

test('at least as many repeats as passes', async () => {
  const { run } = await withTests()
  assert.equal((await run({ repeat: 20, passes_min: 20 })).body.data.passes_min, 20)
  assert.equal((await run({ repeat: 3 })).body.data.passes_min, 3)
  assert.equal((await run({ repeat: 2, passes_min: 3 })).status, 400)
  assert.equal((await run({ repeat: 21 })).status, 400)
})

test('without a test that is enabled there is nothing to run', async () => {
  const { run } = await withTests(0)
  const { status, body } = await run()
  assert.deepEqual([status, body.error.code], [409, 'INVALID_STATE'])
})

test('a workspace has at most five runs at once', async () => {
  const { tenant, run } = await withTests()
  const { id: first } = (await run()).body.data
  for (let number = 2; number <= 5; number += 1) assert.equal((await run()).status, 202)
  const sixth = await run()
  assert.deepEqual([sixth.status, sixth.body.error.code], [409, 'INVALID_STATE'])
  const canceled = await tenant.call('POST', `/test_runs/${first}/cancel`)
  assert.deepEqual([canceled.status, canceled.body.data.status], [200, 'canceled'])
  assert.notEqual(canceled.body.data.ended_at, null)
  assert.equal((await tenant.call('POST', `/test_runs/${first}/cancel`)).status, 409)
  const { results } = (await tenant.call('GET', `/test_runs/${first}`)).body.data
  assert.equal(results[0].status, 'canceled')
  assert.equal((await run()).status, 202)
})

test('a run of another workspace is not found', async () => {
  const { run } = await withTests()
  const { id } = (await run()).body.data
  const other = await workspace()
  assert.equal((await other.call('GET', `/test_runs/${id}`)).status, 404)
  assert.equal((await other.call('GET', `/test_runs/${id}/results`)).status, 404)
  assert.equal((await other.call('POST', `/test_runs/${id}/cancel`)).status, 404)
})

test('a deleted agent ends its runs, which stay', async () => {
  const { tenant, id, run } = await withTests()
  const { id: run_id } = (await run()).body.data
  await tenant.call('DELETE', `/agents/${id}`)
  assert.equal((await tenant.call('GET', `/test_runs/${run_id}`)).body.data.status, 'canceled')
})

test('a test that is deleted while a run is created is not in it, so that the run can end', async () => {
  const { tenant, test_ids, run } = await withTests(2)
  const deleted = Promise.withResolvers<void>()
  const closing = Promise.withResolvers<void>()
  const deleting = server.pool.tx(async (db) => {
    await db.run(sql`delete from agent_tests where workspace_id = ${tenant.id} and id = ${test_ids[0] ?? ''}`)
    deleted.resolve()
    await closing.promise
  })
  await deleted.promise
  const created = run()
  await waitUntil('the run waits', async () => (await listLockWaits(server.pool)).length > 0)
  closing.resolve()
  await deleting
  const { status, body } = await created
  assert.deepEqual([status, body.data.tests], [202, 1])
  const { results } = (await tenant.call('GET', `/test_runs/${body.data.id}`)).body.data
  assert.deepEqual(
    results.map(({ test_id }: { test_id: string }) => test_id),
    [test_ids[1]],
  )
})
