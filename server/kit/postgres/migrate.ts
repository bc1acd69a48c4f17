import { hash } from 'node:crypto'
import fs from 'node:fs'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { errorMessage } from '../problem.ts'
import { distributeNew, readDistribution, runDistributed } from './citus/migration.ts'
import type { TableClasses } from './citus/sharding.ts'
import { SetupError } from './embedded/setup-error.ts'
import { isContention } from './errors.ts'
import type { Db, Pool } from './pool.ts'
import { sql } from './sql.ts'

/** A migration has failed, or was changed. The message is one line that names the file. */
export class MigrationError extends SetupError {}

interface Migration {
  name: string
  text: string
  checksum: string
}

interface Applied {
  name: string
  checksum: string
}

/** The first line of a file whose statements run one by one, outside of a transaction. */
const without_transaction = /^-- without a transaction\r?\n/
/** Requests queue behind a statement that waits for a table's lock, and fail after two seconds. */
const lock_wait_ms = 500
const attempts_max = 60
const attempt_every_ms = 1_000
/** How long to wait for another process that migrates, or for transactions that delay an index. Delays no requests. */
const long_wait = '1h'

/**
 * Applies the folder's new files in order, each in its own transaction, and returns the names of those that this process
 * has applied. A sharded database needs the classes of tables, to distribute new ones.
 */
export async function migrate(pool: Pool, folder: string, classes?: TableClasses): Promise<string[]> {
  const migrations = readMigrations(folder)
  if (!(await isMigrated(pool))) await pool.tx((db) => db.script(create_table))
  const names: string[] = []
  for (;;) {
    const [next] = await listPending(pool, migrations)
    if (!next) return names
    if (await applyInAttempts(pool, next, classes)) names.push(next.name)
  }
}

/** Whether any migration was ever applied. */
export async function isMigrated(db: Db): Promise<boolean> {
  const { is_migrated } = await db.one<{ is_migrated: boolean }>(
    sql`select to_regclass('schema_migrations') is not null as is_migrated`,
  )
  return is_migrated
}

/** The names of the folder's migrations, in order. */
export const listNames = (folder: string): string[] =>
  fs
    .readdirSync(folder)
    .filter((name) => name.endsWith('.sql'))
    .sort()

/** The last of the folder's migrations, and a checksum of all: it differs when the schema may differ. */
export function describeMigrations(folder: string): { last: string; sha256: string } {
  const migrations = readMigrations(folder)
  const lines = migrations.map(({ name, checksum }) => `${name} ${checksum}\n`)
  return { last: migrations.at(-1)?.name ?? '', sha256: hash('sha256', lines.join(''), 'hex') }
}

/** The names of the tables that the folder's migrations create. A database may also have tables of others. */
export function listCreated(folder: string): Set<string> {
  const tables = new Set<string>()
  for (const { text } of readMigrations(folder))
    for (const [, removed, renamed, added] of text.matchAll(table_changes)) {
      tables.delete(removed ?? renamed ?? '')
      if (added !== undefined) tables.add(added)
    }
  return tables
}

const table_changes = /^(?:drop table (\w+)|(?:create table|alter table (\w+) rename to) (\w+))/gm

/** Whether all of these migrations are applied. The database may also have those of a newer version. */
export const isCurrent = async (db: Db, names: string[]): Promise<boolean> =>
  (await listMissing(db, names)).length === 0

/** Returns those of the named migrations that are not applied. */
export async function listMissing(db: Db, names: string[]): Promise<string[]> {
  const applied = new Set((await readApplied(db)).map(({ name }) => name))
  return names.filter((name) => !applied.has(name))
}

/** The applied migrations that are not in the folder: those of a newer version. */
export async function listUnknown(db: Db, folder: string): Promise<string[]> {
  const names = new Set(listNames(folder))
  return (await readApplied(db)).flatMap(({ name }) => (names.has(name) ? [] : name)).sort()
}

const create_table = `
  create table if not exists schema_migrations (
    name text collate "C" not null,
    checksum text collate "C" not null,
    constraint schema_migrations_pkey primary key (name)
  )`

const readMigrations = (folder: string): Migration[] =>
  listNames(folder).map((name) => {
    const text = fs.readFileSync(path.join(folder, name), 'utf8')
    // Git may have changed the line ends.
    return { name, text, checksum: hash('sha256', text.replaceAll('\r\n', '\n'), 'hex') }
  })

const readApplied = (db: Db): Promise<Applied[]> => db.many(sql`select name, checksum from schema_migrations`)

async function listPending(db: Db, migrations: Migration[]): Promise<Migration[]> {
  const applied = new Map((await readApplied(db)).map(({ name, checksum }) => [name, checksum]))
  const changed = migrations.find(({ name, checksum }) => (applied.get(name) ?? checksum) !== checksum)
  if (changed) {
    throw new MigrationError(
      `the migration ${changed.name} has changed since it was applied: restore it, and put the change in a new file`,
    )
  }
  return migrations.filter(({ name }) => !applied.has(name))
}

/** A migration that doesn't get its locks at once lets the waiting requests run, and tries again later. */
async function applyInAttempts(
  pool: Pool,
  migration: Migration,
  classes: TableClasses | undefined,
  attempt = 1,
): Promise<boolean> {
  try {
    return await apply(pool, migration, classes)
  } catch (error) {
    if (!isContention(error) || attempt === attempts_max) {
      throw new MigrationError(`the migration ${migration.name} has failed: ${errorMessage(error)}`, { cause: error })
    }
    await sleep(attempt_every_ms)
  }
  return applyInAttempts(pool, migration, classes, attempt + 1)
}

/** Applies a migration. Returns false when another process has applied it meanwhile. */
function apply(pool: Pool, { name, text, checksum }: Migration, classes: TableClasses | undefined): Promise<boolean> {
  return pool.tx(async (db) => {
    await lockMigrations(db)
    if (await isCurrent(db, [name])) return false
    const distribution = await readDistribution(db, classes)
    // The script also ends the snapshot of the statement above, for which a concurrent index would wait forever.
    await db.script(`set local lock_timeout = ${lock_wait_ms}`)
    if (without_transaction.test(text)) await runOneByOne(pool, text)
    else if (distribution) await runDistributed(db, statementsOf(text), distribution)
    else await db.script(text)
    if (distribution) await distributeNew(db, distribution)
    await db.run(sql`insert into schema_migrations (name, checksum) values (${name}, ${checksum})`)
    return true
  })
}

/**
 * Locks the migrations, because only one process at a time changes the schema. The rest of the transaction may take as
 * long as it does.
 */
export async function lockMigrations(db: Db): Promise<void> {
  // Each statement has a text of its own: a sharded database sends a whole text with `set` to its nodes.
  await db.script('set local statement_timeout = 0')
  await db.script('set local idle_in_transaction_session_timeout = 0')
  await db.script(`set local lock_timeout = '${long_wait}'`)
  await db.script('lock table schema_migrations in exclusive mode')
}

/** Runs the statements on a second connection, outside of the transaction. */
const runOneByOne = (pool: Pool, text: string): Promise<void> =>
  pool.session(async (db) => {
    await db.script('set statement_timeout = 0')
    await db.script(`set lock_timeout = '${long_wait}'`)
    for (const statement of statementsOf(text)) await db.script(statement)
  })

/** A statement ends with a semicolon at the end of a line, outside of `$$`. */
function statementsOf(text: string): string[] {
  const statements: string[] = []
  let is_quoted = false
  for (const piece of text.split(/;[ \t]*$/m)) {
    if (is_quoted) statements.push(`${statements.pop()};${piece}`)
    else statements.push(piece)
    if (piece.split('$$').length % 2 === 0) is_quoted = !is_quoted
  }
  return statements.filter((statement) => statement.trim() !== '')
}
