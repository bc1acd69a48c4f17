import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { openPool, type Pool } from '../../server/kit/postgres/pool.ts'
import { type Sql, sql } from '../../server/kit/postgres/sql.ts'
import { begin, newAgent, say } from '../support/conversations.ts'
import { createDatabase, openServer, type Tenant } from '../support/harness.ts'
import { recordStatements } from '../support/old-rows.ts'
import { rowsRead } from '../support/readers.ts'

const tables = ['conversations', 'conversation_turns', 'tool_runs', 'messages', 'events']
const count = 800
const turns = 10
/** Messages that are answered together. */
const batch = 40

const script = {
  start: 'greet',
  nodes: { greet: { say: 'Hello.', on: [{ hear: ['open'], say: 'Nine to six.', go: 'greet' }] } },
}

/** What a batch may read: each row of the workspace once or twice, and not for each message. */
const read_max = 2 * count * turns

interface Begun {
  tenant: Tenant
  id: string
}

async function openWorld(name: string) {
  const { url } = await createDatabase(name)
  /** One connection, so that its counters can be flushed and read. Its errors are ignored: the database is dropped first. */
  const pool = openPool({ url, size: 1, onError: () => {} })
  const sent: Sql[] = []
  const server = await openServer(recordStatements(pool, sent))
  after(server.close)
  for (const table of tables) await pool.script(`alter table ${table} set (autovacuum_enabled = false)`)

  async function beginOne(): Promise<Begun> {
    const tenant = await server.workspace()
    const { id } = await begin(tenant, await newAgent(tenant, { script }))
    await tenant.work()
    return { tenant, id }
  }
  return { pool, sent, beginOne }
}

/** Adds conversations like this one. Each of their turns has run a tool. */
async function addConversations(pool: Pool, { tenant, id }: Begun): Promise<string[]> {
  const added = await pool.many<{ id: string }>(
    sql`insert into conversations
      select (jsonb_populate_record(one, jsonb_build_object('id', gen_random_uuid(), 'turn_count', ${turns}::integer))).*
      from conversations as one cross join generate_series(1, ${count}::integer)
      where workspace_id = ${tenant.id} and id = ${id}
      returning id`,
  )
  const ids = added.map((one) => one.id)
  await pool.run(
    sql`insert into conversation_turns (workspace_id, conversation_id, seq, role, text, created_at)
      select ${tenant.id}, id, seq, 'agent', 'Hello.', now()
      from unnest(${ids}::uuid[]) as id cross join generate_series(1, ${turns}::integer) as seq`,
  )
  await pool.run(
    sql`insert into tool_runs (workspace_id, conversation_id, id, seq, name, arguments, status, created_at)
      select workspace_id, conversation_id, gen_random_uuid(), seq, 'look_up', '{}', 'succeeded', now()
      from conversation_turns where workspace_id = ${tenant.id} and conversation_id = any(${ids}::uuid[])`,
  )
  return ids
}

async function answerBatch(tenant: Tenant, ids: string[]): Promise<void> {
  const answered = ids.slice(0, batch)
  await Promise.all(answered.map((id) => say(tenant, id, 'When are you open?')))
  await tenant.work()
  for (const id of answered.slice(0, 2)) {
    const { body } = await tenant.call('GET', `/conversations/${id}/turns?limit=100`)
    assert.equal(body.data.length, turns + 2)
    assert.equal(body.data[0].tools.length, 1)
    assert.equal(body.data.at(-1).text, 'Nine to six. Hello.')
  }
}

interface PlanNode {
  'Actual Rows': number
  'Actual Loops': number
  'Rows Removed by Filter'?: number
  'Rows Removed by Join Filter'?: number
  Plans?: PlanNode[]
}

/** The most rows that one step of the plan has looked at. */
function rowsOf(node: PlanNode): number {
  const { 'Rows Removed by Filter': filtered = 0, 'Rows Removed by Join Filter': unmatched = 0 } = node
  const own = (node['Actual Rows'] + filtered + unmatched) * node['Actual Loops']
  return Math.max(own, ...(node.Plans ?? []).map(rowsOf))
}

/** Runs the statement again, without effects. */
async function rowsOfStatement(pool: Pool, statement: Sql): Promise<number> {
  let rows = 0
  const undone = new Error('undone')
  const run = pool.tx(async (db) => {
    const [plan] = await db.many<{ 'QUERY PLAN': [{ Plan: PlanNode }] }>(
      sql`explain (analyze, format json) ${statement}`,
    )
    if (plan) rows = rowsOf(plan['QUERY PLAN'][0].Plan)
    throw undone
  })
  await assert.rejects(run, undone)
  return rows
}

test('no statement of answers in a workspace newer than the statistics reads all rows for each message', async () => {
  const { pool, sent, beginOne } = await openWorld('answers_new_workspace')
  // A connection that has sent a statement a few times has a plan for any workspace.
  await pool.script('set plan_cache_mode = force_custom_plan')
  await addConversations(pool, await beginOne())
  await pool.script('analyze')
  const { tenant, id } = await beginOne()
  const ids = await addConversations(pool, { tenant, id })
  sent.length = 0
  await answerBatch(tenant, ids)
  const planned = sent.filter(
    ({ text, values }) => /^\s*(select|update|with)\b/.test(text) && values.includes(tenant.id),
  )
  const slow: { rows: number; text: string }[] = []
  for (const statement of planned) {
    const rows = await rowsOfStatement(pool, statement)
    if (rows > read_max) slow.push({ rows, text: statement.text })
  }
  assert.ok(planned.length > 10)
  assert.deepEqual(slow, [])
})

test('answers by plans from when there were few rows do not read all turns for each message', async () => {
  const { pool, beginOne } = await openWorld('answers_old_plans')
  await pool.script('vacuum analyze')
  await pool.script('set plan_cache_mode = force_generic_plan')
  const { tenant, id } = await beginOne()
  await say(tenant, id, 'When are you open?')
  await tenant.work()
  const ids = await addConversations(pool, { tenant, id })
  const readAll = async () => (await rowsRead(pool, 'conversation_turns')) + (await rowsRead(pool, 'tool_runs'))
  const before = await readAll()
  await answerBatch(tenant, ids)
  const read = (await readAll()) - before
  assert.ok(read > 0 && read <= 2 * read_max, `${read} turns and tool runs were read`)
})
