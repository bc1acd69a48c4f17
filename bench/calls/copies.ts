import fs from 'node:fs'
import path from 'node:path'
import { pipeline } from 'node:stream/promises'
import pg from 'pg'
import { from as copyFrom, to as copyTo } from 'pg-copy-streams'
import type { Pool } from '../../server/kit/postgres/pool.ts'
import type { Database } from '../database.ts'

/** What a simulated call writes. */
export const call_tables = ['calls', 'call_events', 'conversations', 'conversation_turns', 'events']

/** Copies of the tables with their indexes, but without rows and foreign keys. */
export async function createCopies(pool: Pool, tables: string[]): Promise<void> {
  for (const table of tables) await pool.script(`create table copy_${table} (like ${table} including all)`)
}

interface Rows {
  tables: string[]
  workspace_id: string
  /** For the files with the rows. */
  folder: string
  signal: AbortSignal
}

/** Copies the rows of a workspace into the empty copies, and returns how many seconds that takes. */
export async function copyRows({ url }: Database, { tables, workspace_id, folder, signal }: Rows): Promise<number> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    const fileOf = (table: string) => path.join(folder, table)
    for (const table of tables) {
      const rows = client.query(
        copyTo(`copy (select * from ${table} where workspace_id = '${workspace_id}') to stdout`),
      )
      await pipeline(rows, fs.createWriteStream(fileOf(table)), { signal })
    }
    await client.query(`truncate ${tables.map((table) => `copy_${table}`).join(', ')}`)
    await client.query('checkpoint')
    const begun_at = performance.now()
    await client.query('begin')
    for (const table of tables) {
      const stream = client.query(copyFrom(`copy copy_${table} from stdin`))
      await pipeline(fs.createReadStream(fileOf(table)), stream, { signal })
    }
    await client.query('commit')
    return (performance.now() - begun_at) / 1_000
  } finally {
    await client.end()
  }
}
