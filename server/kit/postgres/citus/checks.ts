import type { Db } from '../pool.ts'
import { sql } from '../sql.ts'
import { hasCitus } from './nodes.ts'
import type { Table } from './sharding.ts'

/** A table or index of a shard takes about this many locks until the transaction ends, together with its TOAST table. */
const locks_per_relation = 4

interface NodeFacts {
  missing_extensions: string[]
  prepared_transactions_max: number
  locks_max: number
  wal_level: string
}

export interface NodeReport {
  /** Faults that must be fixed first, in sentences to act on. */
  faults: string[]
  /** Settings that work, but not as well as they could, in sentences to act on. */
  warnings: string[]
}

/** Whether this is a Citus coordinator whose nodes can take shards. Returns what is wrong, in sentences to act on. */
export async function findClusterFaults(db: Db): Promise<string[]> {
  if (!(await hasCitus(db)))
    return ['The database has no extension citus: run "create extension citus" in it, on every node.']
  const { is_coordinator, has_coordinator, workers } = await db.one<{
    is_coordinator: boolean
    has_coordinator: boolean
    workers: number
  }>(
    sql`select (select groupid = 0 from pg_dist_local_group) as is_coordinator,
        exists (select from pg_dist_node where groupid = 0) as has_coordinator,
        (select count(*) from pg_dist_node where isactive and shouldhaveshards and noderole = 'primary')::int as workers`,
  )
  if (!is_coordinator) return ['This is a worker node: use the URL of the coordinator.']
  const down = await db.many<{ name: string }>(
    sql`select nodename || ':' || nodeport as name from pg_dist_node
      where noderole = 'primary' and not (isactive and coalesce(citus_check_connection_to_node(nodename, nodeport), false))
      order by groupid`,
  )
  return [
    ...(has_coordinator
      ? []
      : ["The coordinator doesn't know its own address: run \"select citus_set_coordinator_host('HOST', PORT)\"."]),
    ...(workers > 0
      ? []
      : ['No active node takes shards: run "select citus_add_node(\'HOST\', PORT)" for each worker.']),
    ...down.map(({ name }) => `The node ${name} is down.`),
  ]
}

/** Whether each node has the extensions and the settings that it takes to distribute these tables in one transaction. */
export async function checkNodes(
  db: Db,
  { tables, shards }: { tables: readonly Table[]; shards: number },
): Promise<NodeReport> {
  const locks = await estimateLocks(db, { tables, shards })
  const answers = await db.many<{ node: string; success: boolean; result: string }>(
    sql`select nodename || ':' || nodeport as node, success, result
      from run_command_on_all_nodes(${await factsStatement(db)}) join pg_dist_node using (nodeid) order by groupid`,
  )
  const reports = answers.map(({ node, success, result }) =>
    success
      ? describeNode(node, JSON.parse(result) as NodeFacts, locks)
      : { faults: [`The node ${node} fails: ${result}.`], warnings: [] },
  )
  return {
    faults: reports.flatMap(({ faults }) => faults),
    warnings: reports.flatMap(({ warnings }) => warnings),
  }
}

function describeNode(node: string, facts: NodeFacts, locks: number): NodeReport {
  const { missing_extensions, prepared_transactions_max, locks_max, wal_level } = facts
  const faults = [
    ...missing_extensions.map((name) => `The node ${node} doesn't have the extension ${name}: install it there.`),
    ...(prepared_transactions_max > 0
      ? []
      : [`max_prepared_transactions is 0 on the node ${node}: set it to twice max_connections, and restart it.`]),
    ...(locks_max >= locks
      ? []
      : [
          `The node ${node} has room for ${locks_max} locks, and needs ${locks}: raise max_locks_per_transaction, and restart it.`,
        ]),
  ]
  const warnings =
    wal_level === 'logical'
      ? []
      : [
          `wal_level is ${wal_level} on the node ${node}: set it to logical, and restart it. Otherwise shards can't be moved without stopping writes.`,
        ]
  return { faults, warnings }
}

/** The number of locks on the node with the most shards. */
async function estimateLocks(
  db: Db,
  { tables, shards }: { tables: readonly Table[]; shards: number },
): Promise<number> {
  const names = tables.flatMap(({ name, class: table_class }) => (table_class === 'sharded' ? name : []))
  const { relations, workers } = await db.one<{ relations: number; workers: number }>(
    sql`select (select count(*) from pg_index join pg_class on pg_class.oid = indrelid
          where relnamespace = 'public'::regnamespace and relname = any(${names}::text[]))::int + ${names.length} as relations,
        (select count(*) from pg_dist_node where isactive and shouldhaveshards and noderole = 'primary')::int as workers`,
  )
  return relations * locks_per_relation * Math.ceil(shards / Math.max(workers, 1))
}

/** Makes the statement that each node is asked. A node must have the extensions of this database. */
async function factsStatement(db: Db): Promise<string> {
  const { extensions } = await db.one<{ extensions: string }>(
    sql`select coalesce(string_agg(quote_literal(extname), ', '), 'null') as extensions from pg_extension
      where extname not in ('plpgsql', 'citus', 'citus_columnar')`,
  )
  return `select json_build_object(
    'missing_extensions', (select coalesce(json_agg(name), '[]'::json) from unnest(array[${extensions}]::text[]) as wanted (name)
      where name not in (select available.name from pg_available_extensions as available)),
    'prepared_transactions_max', current_setting('max_prepared_transactions')::int,
    'wal_level', current_setting('wal_level'),
    'locks_max', current_setting('max_locks_per_transaction')::bigint
      * (current_setting('max_connections')::bigint + current_setting('max_prepared_transactions')::bigint))`
}
