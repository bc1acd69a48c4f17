import path from 'node:path'
import { baseFolder, openEmbedded, SetupError } from '../../server/kit/postgres/embedded/embedded.ts'
import { migrate } from '../../server/kit/postgres/migrate.ts'
import { openPool, type Pool } from '../../server/kit/postgres/pool.ts'
import { sql } from '../../server/kit/postgres/sql.ts'
import { product } from '../../server/product.ts'
import {
  closeDatabase,
  databaseOf,
  findWorkers,
  isCluster,
  joinNodes,
  onEveryNode,
  withDatabaseName,
  withPool,
} from './cluster.ts'

const checkout = path.resolve(import.meta.dirname, '../..')
/**
 * There are few shards, because a database is copied for many test files, and has each sharded table this many times.
 */
const shards = 8

/** Runs `work` with an empty, migrated database. The PostgreSQL stays in `folder` for the next call. */
export async function withDatabase(folder: string, work: (url: string) => Promise<void>): Promise<void> {
  const data_dir = path.join(baseFolder(checkout, product.short_name), folder)
  const postgres = await openEmbedded({ checkout, name: product.short_name, data_dir, as: 'serve', say: console.log })
  try {
    await withNewDatabase(postgres.url, (url) => withCopy(url, work))
  } finally {
    await postgres.close()
  }
}

/** Runs `work` with an empty, migrated database that is sharded by workspace, on the cluster of this coordinator. */
export async function withShardedDatabase(coordinator: string, work: (url: string) => Promise<void>): Promise<void> {
  await findWorkers(coordinator)
  const created = await addClusterDatabase('run', coordinator)
  try {
    await runParley(['migrate'], created.url)
    await runParley(['shard', '--yes', '--shards', String(shards)], created.url)
    await closeDatabase(created.url)
    await withCopy(created.url, work)
  } finally {
    await created.drop()
  }
}

async function runParley(words: string[], url: string): Promise<void> {
  // This import is here, because only `runParley` needs the command line.
  const { command } = await import('./process.ts')
  const { code, stderr } = await command(words, { DATABASE_URL: url }).ended
  if (code !== 0) throw new SetupError(`parley ${words.join(' ')}: ${stderr}`)
}

/** Creates an empty database on every node of the cluster, with the extension, and makes them one cluster. */
export async function addClusterDatabase(name: string, coordinator = templateUrl()): Promise<NewDatabase> {
  const created = await addDatabase(coordinator, newName(name))
  await joinNodes(created.url).catch(async (error: unknown) => {
    await created.drop()
    throw error
  })
  return created
}

/** Nothing that a test writes must outlive a crash of PostgreSQL, and waiting for the disk takes long. Scenarios that kill it wait. */
export async function withoutDurability(url: string): Promise<void> {
  const admin = openPool({ url: withDatabaseName(url, 'postgres'), size: 1, onError: console.error })
  for (const name of ['fsync', 'synchronous_commit', 'full_page_writes'])
    await admin.script(`alter system set ${name} = off`)
  await admin.script('select pg_reload_conf()')
  await admin.close()
}

/** Runs `work` with a new, migrated database in the PostgreSQL at `url`, and drops it. */
export async function withNewDatabase(
  url: string,
  work: (url: string) => Promise<void>,
  migrations = path.join(checkout, 'migrations'),
): Promise<void> {
  const created = await addDatabase(url, newName('run'))
  try {
    const pool = openPool({ url: created.url, size: 2, onError: console.error })
    await migrate(pool, migrations)
    await pool.close()
    await work(created.url)
  } finally {
    await created.drop()
  }
}

/** Keeps the database at `url` as the template of others, and runs `work` with a copy of it. */
async function withCopy(url: string, work: (url: string) => Promise<void>): Promise<void> {
  process.env.TEST_TEMPLATE_URL = url
  await inCopy('run', work)
}

async function inCopy(name: string, work: (url: string) => Promise<void>): Promise<void> {
  const copy = await copyTemplate(name)
  try {
    await work(copy.url)
  } finally {
    await copy.drop()
  }
}

/** Runs `work` with a migrated database of its own, in the PostgreSQL of the test run if there is one. */
export const withScenarioDatabase = (work: (url: string) => Promise<void>): Promise<void> =>
  process.env.TEST_TEMPLATE_URL ? inCopy('scenario', work) : withDatabase('.cache/scenarios', work)

export interface NewDatabase {
  url: string
  drop: () => Promise<void>
}

/** Creates a migrated database for a test, which takes a fraction of the time that migrations take. */
export function copyTemplate(name: string): Promise<NewDatabase> {
  const template = templateUrl()
  return addDatabase(template, newName(name), databaseOf(template))
}

function templateUrl(): string {
  const url = process.env.TEST_TEMPLATE_URL
  if (!url) throw new Error('run it with: npm test -- FILE')
  return url
}

let created_count = 0

function newName(name: string): string {
  created_count += 1
  return `${name}_${process.pid}_${created_count}`
}

/** Creates the database on every node. Nothing may be connected to the template. */
async function addDatabase(url: string, name: string, template = 'template1'): Promise<NewDatabase> {
  const nodes = onEveryNode(withDatabaseName(url, 'postgres'))
  // Connections are not kept open, because a node may be killed meanwhile.
  const onAll = (work: (admin: Pool) => Promise<void>) => Promise.all(nodes.map((node) => withPool(node, work)))
  await onAll((admin) => createFrom(admin, name, template))
  return {
    url: withDatabaseName(url, name),
    async drop() {
      await onAll((admin) => admin.script(`drop database ${name} with (force)`))
    },
  }
}

async function createFrom(admin: Pool, name: string, template: string): Promise<void> {
  if (!isCluster()) return admin.script(`create database ${name} template ${template}`)
  // The other strategy writes all of it to the log, for each node.
  await admin.script(`create database ${name} template ${template} strategy file_copy`)
  // A copy doesn't have the settings of its template.
  const settings = await admin.many<{ setting: string }>(
    sql`select format('%I = %L', split_part(one, '=', 1), substr(one, strpos(one, '=') + 1)) as setting
      from pg_db_role_setting cross join unnest(setconfig) as one
      where setrole = 0 and setdatabase = (select oid from pg_database where datname = ${template})`,
  )
  for (const { setting } of settings) await admin.script(`alter database ${name} set ${setting}`)
  await admin.script(`alter database ${name} set synchronous_commit = off`)
}
