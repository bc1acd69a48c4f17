import fs from 'node:fs'
import path from 'node:path'
import type { Db, Pool } from './pool.ts'
import { sql } from './sql.ts'

/** Brings the schema to the newest of the folder's files, all of them or none. Tells which were applied. */
export function migrate(pool: Pool, folder: string): Promise<string[]> {
  return pool.tx(async (db) => {
    await db.script(
      `set local statement_timeout = 0; set local lock_timeout = '60s';
      create table if not exists schema_migrations (
        name text collate "C" not null, constraint schema_migrations_pkey primary key (name));
      lock table schema_migrations in exclusive mode`,
    )
    const missing = await missingIn(db, folder)
    for (const name of missing) {
      await db.script(fs.readFileSync(path.join(folder, name), 'utf8'))
      await db.run(sql`insert into schema_migrations (name) values (${name})`)
    }
    return missing
  })
}

/** Whether any was ever applied. */
export async function isMigrated(db: Db): Promise<boolean> {
  const { is_there } = await db.one<{ is_there: boolean }>(
    sql`select to_regclass('schema_migrations') is not null as is_there`,
  )
  return is_there
}

/** Whether every file of the folder, and nothing newer, has been applied. */
export const isCurrent = async (db: Db, folder: string): Promise<boolean> => (await missingIn(db, folder)).length === 0

async function missingIn(db: Db, folder: string): Promise<string[]> {
  const names = fs.readdirSync(folder).filter((name) => name.endsWith('.sql'))
  const applied = (await db.many<{ name: string }>(sql`select name from schema_migrations`)).map(({ name }) => name)
  const unknown = applied.filter((name) => !names.includes(name))
  if (unknown.length > 0) throw new Error(`the database is of a newer version, with ${unknown.join(', ')}`)
  return names.filter((name) => !applied.includes(name)).sort()
}
