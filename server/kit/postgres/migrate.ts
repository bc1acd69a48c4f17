import fs from 'node:fs'
import path from 'node:path'
import type { Db, Pool } from './pool.ts'
import { sql } from './sql.ts'

/** Applies the folder's new files in one transaction, and returns their names. */
export function migrate(pool: Pool, folder: string): Promise<string[]> {
  return pool.tx(async (db) => {
    await db.script(
      `set local statement_timeout = 0; set local lock_timeout = '60s';
      create table if not exists schema_migrations (
        name text collate "C" not null, constraint schema_migrations_pkey primary key (name));
      lock table schema_migrations in exclusive mode`,
    )
    const pending = await listPending(db, folder)
    for (const name of pending) {
      await db.script(fs.readFileSync(path.join(folder, name), 'utf8'))
      await db.run(sql`insert into schema_migrations (name) values (${name})`)
    }
    return pending
  })
}

/** Whether any migration was ever applied. */
export async function isMigrated(db: Db): Promise<boolean> {
  const { is_migrated } = await db.one<{ is_migrated: boolean }>(
    sql`select to_regclass('schema_migrations') is not null as is_migrated`,
  )
  return is_migrated
}

/** Whether every file of the folder is applied. Throws when the database has newer migrations. */
export const isCurrent = async (db: Db, folder: string): Promise<boolean> =>
  (await listPending(db, folder)).length === 0

async function listPending(db: Db, folder: string): Promise<string[]> {
  const names = fs.readdirSync(folder).filter((name) => name.endsWith('.sql'))
  const applied = (await db.many<{ name: string }>(sql`select name from schema_migrations`)).map(({ name }) => name)
  const unknown = applied.filter((name) => !names.includes(name))
  if (unknown.length > 0) throw new Error(`the database has migrations of a newer version: ${unknown.join(', ')}`)
  return names.filter((name) => !applied.includes(name)).sort()
}
