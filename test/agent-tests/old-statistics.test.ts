import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { listReplayable } from '../../server/conversations/store.ts'
import { openPool } from '../../server/kit/postgres/pool.ts'
import { sql } from '../../server/kit/postgres/sql.ts'
import { addTest, getRun, newDesk, runTests } from '../support/agent-tests.ts'
import { begin, newAgent } from '../support/conversations.ts'
import { createDatabase, openServer } from '../support/harness.ts'
import { rowsRead } from '../support/readers.ts'

async function openWorld(name: string) {
  const { url } = await createDatabase(name)
  /** One connection, so that its counters can be flushed and read. Its errors are ignored: the database is dropped first. */
  const pool = openPool({ url, size: 1, onError: () => {} })
  const server = await openServer(pool)
  after(server.close)
  return { pool, server }
}

test('without statistics, a deployment reads each result of the runs that may count once', async () => {
  const [tests, runs] = [200, 30]
  const { pool, server } = await openWorld('gate_old_statistics')
  for (const table of ['agent_tests', 'test_runs', 'test_run_results'])
    await pool.script(`alter table ${table} set (autovacuum_enabled = false)`)
  const tenant = await server.workspace()
  const id = await newDesk(tenant)
  await addTest(tenant, id, { steps: [{ says: 'Hi' }] })
  await tenant.call('PATCH', `/agents/${id}`, { deploy_requires: 'tests', instructions: 'Be short.' })
  const { id: run_id } = await runTests(tenant, id, { use_draft: true })
  const own = sql`workspace_id = ${tenant.id}`
  await pool.run(
    sql`insert into agent_tests
      select (jsonb_populate_record(test, jsonb_build_object('id', gen_random_uuid(), 'name', number::text))).*
      from agent_tests as test cross join generate_series(2, ${tests}::integer) as number where ${own}`,
  )
  await pool.run(sql`update test_runs set passed = ${tests}, tests = ${tests} where ${own}`)
  await pool.run(
    sql`insert into test_runs
      select (jsonb_populate_record(run, jsonb_build_object('id', gen_random_uuid()))).*
      from test_runs as run cross join generate_series(2, ${runs}::integer) where ${own}`,
  )
  // The last test of each run was another one.
  const { results } = await getRun(tenant, run_id)
  await pool.run(
    sql`insert into test_run_results
      select (jsonb_populate_record(result, jsonb_build_object('id', gen_random_uuid(), 'run_id', run.id, 'test_id', test.id,
        'position', number, 'content_hash', case when number = ${tests} then 'another' else result.content_hash end))).*
      from test_run_results as result
      cross join (select id, row_number() over (order by created_at, id) as number from agent_tests where ${own}) as test
      cross join (select id from test_runs where ${own}) as run
      where result.workspace_id = ${tenant.id}`,
  )
  await pool.run(sql`delete from test_run_results where ${own} and id = ${results[0].id}`)
  const before = await rowsRead(pool, 'test_run_results')
  const refused = await tenant.call('POST', `/agents/${id}/versions`, { deploy: true })
  assert.equal(refused.body.error?.details.reason, 'tests_required')
  const read = (await rowsRead(pool, 'test_run_results')) - before
  assert.ok(read >= tests && read <= 3 * tests * runs, `${read} rows were read`)
})

test('lists of conversations do not walk over the trials that runs have left', async () => {
  const [trials, others] = [5_000, 30]
  const { pool, server } = await openWorld('lists_with_trials')
  const tenant = await server.workspace()
  const agent_id = await newAgent(tenant)
  const { id } = await begin(tenant, agent_id, { message: 'Hello' })
  await tenant.work()
  await tenant.call('POST', `/conversations/${id}/close`)
  const add = (count: number, is_test: boolean, hours: number) =>
    pool.run(
      sql`insert into conversations
        select (jsonb_populate_record(one, jsonb_build_object('id', gen_random_uuid(), 'is_test', ${is_test}::boolean,
          'created_at', created_at + ${hours} * interval '1 hour', 'last_turn_at', created_at + ${hours} * interval '1 hour'))).*
        from conversations as one cross join generate_series(1, ${count}::integer)
        where workspace_id = ${tenant.id} and id = ${id}`,
    )
  await add(others - 1, false, 0)
  await add(trials, true, 1)
  await pool.script('vacuum analyze conversations')
  const read = async (query: string) => {
    const before = await rowsRead(pool, 'conversations')
    const { body, text } = await tenant.call('GET', `/conversations?${query}`)
    assert.equal(body.data?.length, 20, text)
    return (await rowsRead(pool, 'conversations')) - before
  }
  const of_agent = `agent_id=${agent_id}`
  for (const query of ['', of_agent, 'status=closed', 'kind=api', `${of_agent}&status=closed`, 'sort=-last_turn_at']) {
    const rows = await read(query)
    assert.ok(rows >= 20 && rows <= 10 * others, `${rows} rows were read for "${query}"`)
  }
  const before = await rowsRead(pool, 'conversations')
  const found = await listReplayable(server.at(tenant.id), { agent_id, last: 200 })
  assert.deepEqual(
    found.map((one) => one.id),
    [id],
  )
  const rows = (await rowsRead(pool, 'conversations')) - before
  assert.ok(rows >= others && rows <= 10 * others, `${rows} rows were read for a replay`)
})
