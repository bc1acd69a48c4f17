import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { test } from 'node:test'
import type { Pool } from '../../server/kit/postgres/pool.ts'
import { type Sql, sql } from '../../server/kit/postgres/sql.ts'
import { summarize } from '../../server/kit/postgres/statement-span.ts'
import { table_classes } from '../../server/table-classes.ts'
import { directories } from '../support/directories.ts'
import { createDatabase, openServer, type Server, testPool } from '../support/harness.ts'
import { recordStatements } from '../support/old-rows.ts'
import { asSharded } from '../support/sharded.ts'
import { type Catalog, faultsOf } from '../support/sharding-rules.ts'
import { sendEverything } from '../support/statements/everything.ts'
import { sendUnsharded } from '../support/statements/unsharded.ts'

/* Checks that a database sharded by workspace takes every statement of the server. The rules are in docs/decisions/0021. */

/** How statements begin that may go to every shard, and why. Requests and due work add nothing here. */
const over_all_workspaces: Record<string, string> = {
  'select workspace_id, to_json(array[(select min(due_at) from imports': 'a periodic task looks for due work',
  'select distinct workspace_id from (select workspace_id from events where position is null': 'a periodic task',
  'select workspace_id from contact_search_tallies union': 'a periodic task',
  'select distinct workspace_id from deleted_webhooks where due_at': 'a periodic task',
  'select distinct workspace_id from webhook_delivery_counts group by': 'a periodic task',
  'select distinct workspace_id from analytics_': 'a periodic task',
  'select distinct workspace_id from channels where': 'asked at most every ten seconds, as by a periodic task',
  'select count(*) as total from webhooks where failing_since': 'the operator asks how many fail',
  "select count(*) as total from channels where status = 'failing'": 'the operator asks how many fail',
  "select count(*) as total from calls where status in ('ringing'": 'the operator asks how many there are',
}

/** These files send their statements before there are tables, or to Citus only. */
const sent_before = [
  'server/database.ts',
  'server/kit/postgres/migrate.ts',
  'server/kit/postgres/citus/checks.ts',
  'server/kit/postgres/citus/shard.ts',
  'server/kit/postgres/citus/sharding.ts',
]

const { pool, url } = await createDatabase('statements')
const statements = await record(asSharded(testPool(url)), sendEverything)
const unsharded = await record(testPool(url), sendUnsharded)
const catalog = await readCatalog()

/** Returns what the server has sent, by its text. */
async function record(to: Pool, send: (server: Server) => Promise<void>): Promise<Map<string, Sql>> {
  const sent: Sql[] = []
  const server = await openServer(recordStatements(to, sent), { outbound_allow_hosts: ['127.0.0.1'] })
  await send(server)
  await server.close()
  return new Map(sent.map((statement) => [inOneLine(statement.text), statement]))
}

function inOneLine(text: string): string {
  return text.replace(/\s+/g, ' ').trim()
}

async function readCatalog(): Promise<Catalog> {
  const names = async (statement: Sql) =>
    new Set((await pool.many<{ name: string }>(statement)).map(({ name }) => name))
  return {
    tables: await names(
      sql`select table_name as name from information_schema.columns
        where table_schema = 'public' and column_name = 'workspace_id' and table_name <> all(${directories}::text[])`,
    ),
    reference_tables: new Set(table_classes.reference),
    local_tables: new Set(table_classes.local),
    // Without aggregates: a sharded database takes them in a subquery of an update.
    unstable_functions: await names(
      sql`select distinct proname as name from pg_proc where provolatile <> 'i' and prokind = 'f'
        -- With a configuration, as it is always called, it is immutable.
        and proname <> 'to_tsvector'`,
    ),
    workspaces: await names(sql`select id as name from workspaces`),
  }
}

const faults = new Map([...statements].map(([text, statement]) => [text, faultsOf(statement, catalog)]))
const unfiltered = [...faults].flatMap(([text, { unfiltered: tables }]) =>
  tables.length > 0 ? [{ text, tables }] : [],
)

test('every table of a workspace is filtered by the value of its workspace_id', () => {
  const listed = Object.keys(over_all_workspaces)
  const unlisted = unfiltered.filter(({ text }) => !listed.some((beginning) => text.startsWith(beginning)))
  assert.deepEqual(unlisted, [])
})

test('the list of statements over all workspaces has no others', () => {
  const unneeded = Object.keys(over_all_workspaces).filter(
    (beginning) => !unfiltered.some(({ text }) => text.startsWith(beginning)),
  )
  assert.deepEqual(unneeded, [])
})

test('no statement contains what a sharded database refuses', () => {
  const refused = [...faults].flatMap(([text, { refused }]) => (refused.length > 0 ? [{ text, refused }] : []))
  assert.deepEqual(refused, [])
})

test('every statement in the sources was sent (if not, send it in test/support/statements/)', () => {
  const sent = [...statements.keys(), ...unsharded.keys()].map((text) => text.replace(/\$\d+/g, '$'))
  const unsent = globSync('server/**/*.ts')
    .filter((file) => !sent_before.includes(file))
    .flatMap((file) =>
      templatesIn(readFileSync(file, 'utf8'))
        .filter((pieces) => !sent.some((text) => containsInOrder(text, pieces)))
        .map((pieces) => `${file}: ${pieces.join(' ... ')}`),
    )
  assert.deepEqual(unsent, [])
})

const own = 'workspace_id = $1'
const unfiltered_samples: Record<string, string[]> = {
  'select from contacts': ['contacts'],
  'select from contacts where workspace_id = $2': ['contacts'],
  [`select from contacts where ${own} or true`]: ['contacts'],
  [`select from contacts where ${own}`]: [],
  [`select from contacts as c join events as e on e.workspace_id = c.workspace_id where c.${own}`]: ['events'],
  [`select from contacts as c join events as e on e.${own} where c.${own}`]: [],
  [`select from contacts join events using (workspace_id) where ${own}`]: ['contacts', 'events'],
  [`select (select max(id) from events where events.workspace_id = contacts.workspace_id) from contacts where ${own}`]:
    ['events'],
  [`select from contacts where ${own} union all select from contacts`]: ['contacts'],
  [`with events as (select from contacts where ${own}) select from events`]: [],
  [`delete from events using contacts where events.${own}`]: ['contacts'],
  'update events set position = 1': ['events'],
  'insert into events (workspace_id, id) values ($1, $2), ($2, $2)': ['events'],
  'insert into events (workspace_id, id) values ($1, $2), ($1, $2)': [],
  'insert into events (workspace_id, id) select $1, id from unnest($2::uuid[]) as one (id)': [],
  [`insert into events (workspace_id, id) select workspace_id, id from contacts where ${own}`]: [],
  'insert into events (workspace_id, id) select workspace_id, id from contacts': ['contacts', 'events'],
  'insert into events (workspace_id, id) select one, two from unnest($2::uuid[], $3::uuid[]) as row (one, two)': [
    'events',
  ],
}
const refused_samples: Record<string, string[]> = {
  'select from workspaces where id = $1 for update': ['a lock beside a reference table'],
  'select from workspaces where id = $1': [],
  [`select from tenants where ${own} for update`]: [],
  [`select from tenants join workspaces on id = workspace_id where tenants.${own} for update of tenants`]: [
    'a lock beside a reference table',
  ],
  [`select from tenants join due_workspaces as d on d.kind = 'x' where tenants.${own} for update of tenants`]: [
    'a lock beside a local table',
  ],
  [`select from due_workspaces as d join people on people.id = d.workspace_id where d.${own} for update`]: [],
  [`update contacts set name = '' where ${own} returning contacts.updated_at::text`]: ['column::text'],
  [`update contacts set name = '' where ${own} returning name::text`]: [],
  'set local lock_timeout = 1; select 1': ['set beside a statement'],
  'set local lock_timeout = 1': [],
  'set local lock_timeout = 1; set local work_mem = 1': ['set beside a statement'],
  'select from unnest($2::uuid[]) as one (id) join contacts on contacts.workspace_id = one.id': [
    'a function over all workspaces',
  ],
  'select from unnest($2::uuid[]) as one (id) where exists (select from contacts where workspace_id = one.id)': [
    'a function over all workspaces',
  ],
  [`select from unnest($2::uuid[]) as one (id) join contacts on contacts.${own} and contacts.id = one.id`]: [],
  'select from contacts where workspace_id = any($2::uuid[])': [],
  'insert into events (workspace_id, id) select $1, id from unnest($2::uuid[]) as one (id) on conflict do nothing': [
    'rows from no table',
  ],
  [`insert into events (workspace_id, id) select tenants.workspace_id, id from tenants
    cross join unnest($2::uuid[]) as one (id) where tenants.${own}`]: [],
  'insert into events (workspace_id, id) values ($1, $2)': [],
  [`select case status when 'a' then 1 end from imports where ${own}`]: ['case x when'],
  [`select case when status = 'a' then 1 end from imports where ${own}`]: [],
  'with recursive n (n) as (select 1 union all select n + 1 from n) select from n': ['a recursive CTE'],
  'select from webhooks where id = $2 for update': ['for update over all workspaces'],
  [`select from webhooks where ${own} for update`]: [],
  [`with gone as (delete from events where ${own} returning id) delete from contacts where ${own}`]: [
    'a writing CTE beside another write',
  ],
  'select pg_current_snapshot()': ['pg_current_snapshot'],
  'select pg_advisory_xact_lock($1)': ['pg_advisory_xact_lock'],
  [`update events set data = json_build_object('id', id) where ${own}`]: ['json_build_object(column)'],
  [`update events set data = json_build_object('id', $2) where ${own}`]: [],
  [`update events set created_at = type::timestamptz where ${own}`]: ['column::timestamptz'],
  [`update events set created_at = $2::timestamptz where ${own}`]: [],
  [`delete from events where ${own} and created_at + interval '1 day' < $2`]: ['column + interval'],
  [`delete from events where ${own} and created_at at time zone 'UTC' + interval '1 day' < $2`]: [],
  [`update events set created_at = now() where ${own}`]: ['now()'],
  'insert into events (workspace_id) values ($1) on conflict do update set created_at = current_timestamp': [
    'current_timestamp',
  ],
  [`insert into events as e (workspace_id) select workspace_id from tenants where ${own}
    on conflict (id) do update set id = null where e.id = $2`]: ['a parameter in on conflict where'],
  'insert into events as e (workspace_id) values ($1) on conflict (id) do update set id = null where e.id = $2': [],
}

test('the rules find what they forbid', () => {
  const values = [[...catalog.workspaces][0], 'no workspace', 'no workspace']
  for (const [text, faults] of Object.entries(unfiltered_samples))
    assert.deepEqual(faultsOf({ text, values }, catalog).unfiltered.sort(), faults, text)
  for (const [text, faults] of Object.entries(refused_samples))
    assert.deepEqual(faultsOf({ text, values }, catalog).refused, faults, text)
})

function containsInOrder(text: string, pieces: string[]): boolean {
  let index = 0
  return pieces.every((piece) => {
    const found = text.indexOf(piece, index)
    index = found + piece.length
    return found !== -1
  })
}

function templatesIn(source: string): string[][] {
  return [...source.matchAll(/(?<!\w)sql`/g)].map(({ index }) =>
    readTemplate(source, index + 4)
      .pieces.map(inOneLine)
      .filter((piece) => piece !== ''),
  )
}

/** Reads a template from after its first backtick to its last: the texts between its expressions. */
function readTemplate(source: string, start: number): { pieces: string[]; end: number } {
  const pieces = ['']
  for (let index = start; ; ) {
    if (source[index] === '`') return { pieces, end: index + 1 }
    if (source.startsWith('${', index)) {
      index = endOfExpression(source, index + 2)
      pieces.push('')
    } else {
      pieces.push((pieces.pop() ?? '') + source[index])
      index += 1
    }
  }
}

function endOfExpression(source: string, start: number): number {
  let depth = 1
  let index = start
  while (depth > 0) {
    const character = source[index]
    index = character === '`' ? readTemplate(source, index + 1).end : index + 1
    if (character === '{') depth += 1
    if (character === '}') depth -= 1
  }
  return index
}

/* Traces show the texts of statements, and name them by their verb and table. */

/** Without those that make tables of Citus for a test. */
const traced = [...statements.keys()].filter((text) => !/^(create|drop) /.test(text))

test('the texts of statements contain no values', () => {
  const source = globSync('server/**/*.ts')
    .map((file) => readFileSync(file, 'utf8'))
    .join('\n')
  const literals = new Set(traced.flatMap((text) => text.match(/'(?:[^']|'')*'/g) ?? []))
  assert.ok(literals.size > 20)
  // These are made of constants.
  const isMade = (literal: string) => /^'(\d+ milliseconds|enable_\w+)'$/.test(literal)
  const unknown = [...literals].filter((literal) => !isMade(literal) && !source.includes(literal))
  assert.deepEqual(unknown, [])
})

/** How statements begin that read no table of ours. */
const without_table =
  /^(set local|lock table|savepoint|rollback to|select current_|select to_regclass\(|select tsvector_to_array\(|select nodename |.* from pg_dist_placement$)/

test('every statement has a name with a verb and a table', async () => {
  const found = await pool.many<{ name: string }>(sql`select relname as name from pg_class`)
  const tables = new Set(found.map(({ name }) => name))
  const unnamed = traced.filter((text) => {
    const [, table = ''] = /^(?:select|insert|update|delete) (\w+)$/.exec(summarize(text)) ?? []
    return !tables.has(table) && !without_table.test(text)
  })
  assert.deepEqual(
    unnamed.map((text) => `${summarize(text)}: ${text}`),
    [],
  )
})
