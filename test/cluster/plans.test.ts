import assert from 'node:assert/strict'
import { test } from 'node:test'
import { raw, type Sql } from '../../server/kit/postgres/sql.ts'
import { createDatabase, openServer, testPool } from '../support/harness.ts'
import { explain, recordStatements } from '../support/old-rows.ts'
import { sendEverything } from '../support/statements/everything.ts'

/* Asks Citus how it would run each statement of the server, with the values that were sent. */

/** A table of the coordinator, or one that each node has, counts as one shard if Citus knows it. */
type Kind = 'on the coordinator' | 'on one shard' | 'on several shards' | 'through the coordinator' | 'refused'

/** How statements begin that go to several shards, and why they may. */
const on_several_shards: Record<string, string> = {
  'select workspace_id, to_json(array[(select min(due_at) from imports': 'a periodic task looks for due work',
  'select distinct workspace_id from deleted_webhooks where due_at': 'a periodic task',
  'select distinct workspace_id from webhook_delivery_counts group by': 'a periodic task',
  'select distinct workspace_id from analytics_counts where not is_sum': 'a periodic task',
  "select count(*) as total from calls where status in ('ringing'": 'the operator asks how many there are',
  'select count(*) as total from webhooks where failing_since': 'the operator asks how many fail',
  "select count(*) as total from channels where status = 'failing'": 'the operator asks how many fail',
}

/** How statements begin whose rows pass through the coordinator, and why they may. */
const through_coordinator: Record<string, string> = {
  'insert into memberships (workspace_id, person_id, role, created_at) select': 'the table is on the coordinator',
  'insert into due_workspaces (workspace_id, kind, due_at) select workspace_id, kind, due_at from unnest(':
    'the table is on the coordinator',
  'insert into recovery_codes (person_id, hash) select': 'the table is on the coordinator',
  'select distinct workspace_id from (select workspace_id from events where position is null': 'a periodic task',
  'select workspace_id from contact_search_tallies union': 'a periodic task',
}

/** Returns what the server has sent, by its text. */
async function recordAll(): Promise<Map<string, Sql>> {
  const sent: Sql[] = []
  const server = await openServer(recordStatements(testPool(url), sent), { outbound_allow_hosts: ['127.0.0.1'] })
  await sendEverything(server)
  await server.close()
  // The others, such as savepoints, have no plan.
  const planned = sent.filter(({ text }) => /^\s*(select|insert|update|delete|with)\b/.test(text))
  return new Map(planned.map((statement) => [inOneLine(statement.text), statement]))
}

function inOneLine(text: string): string {
  return text.replace(/\s+/g, ' ').trim()
}

interface Plan {
  kind: Kind
  text: string
  /** What Citus said. */
  answer: string
}

async function explainAll(statements: Map<string, Sql>): Promise<Plan[]> {
  const found: Plan[] = []
  for (const [text, statement] of statements) {
    const answer = await explain(pool, withValues(statement)).catch((error: Error) => `ERROR: ${error.message}`)
    found.push({ kind: kindOf(answer), text, answer })
  }
  return found
}

function kindOf(answer: string): Kind {
  if (answer.startsWith('ERROR')) return 'refused'
  if (/Distributed Subplan|pull to coordinator|repartition/.test(answer)) return 'through the coordinator'
  const tasks = [...answer.matchAll(/Task Count: (\d+)/g)].map(([, count]) => Number(count))
  if (tasks.length === 0) return 'on the coordinator'
  return Math.max(...tasks) > 1 ? 'on several shards' : 'on one shard'
}

/** Citus finds the shard of a value when it plans, and that of a parameter only when it runs the statement. */
const withValues = ({ strings, values }: Sql): Sql =>
  raw(strings.reduce((text, string, index) => `${text}${literal(values[index - 1])}${string}`))

function literal(value: unknown): string {
  if (value === null || value === undefined) return 'null'
  return `'${asText(value).replaceAll("'", "''")}'`
}

function asText(value: unknown): string {
  if (value instanceof Buffer) return `\\x${value.toString('hex')}`
  if (Array.isArray(value)) return `{${value.map(element).join(',')}}`
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}

const element = (value: unknown): string =>
  value === null || value === undefined ? 'null' : `"${asText(value).replaceAll(/["\\]/g, '\\$&')}"`

const { pool, url } = await createDatabase('plans')
const plans = await explainAll(await recordAll())

const ofKind = (kind: Kind): Plan[] => plans.filter((plan) => plan.kind === kind)

/** Those that the list doesn't name, and those of the list that are not needed. */
function differences(kind: Kind, list: Record<string, string>): object {
  const found = ofKind(kind)
  const isNamed = ({ text }: Plan) => Object.keys(list).some((beginning) => text.startsWith(beginning))
  return {
    unnamed: found.filter((plan) => !isNamed(plan)).map(({ text }) => text),
    unneeded: Object.keys(list).filter((beginning) => !found.some(({ text }) => text.startsWith(beginning))),
  }
}

const no_differences = { unnamed: [], unneeded: [] }

test('Citus refuses no statement', (t) => {
  const counts = Object.entries(Object.groupBy(plans, ({ kind }) => kind))
  for (const [kind, { length }] of counts) t.diagnostic(`${length} of ${plans.length} statements ${kind}`)
  assert.ok(plans.length > 500)
  assert.deepEqual(ofKind('refused'), [])
})

test('statements that go to several shards are named', () => {
  assert.deepEqual(differences('on several shards', on_several_shards), no_differences)
})

test('statements whose rows pass through the coordinator are named', () => {
  assert.deepEqual(differences('through the coordinator', through_coordinator), no_differences)
})
