import path from 'node:path'
import { baseFolder, openEmbedded } from '../server/kit/postgres/embedded/embedded.ts'
import { migrate } from '../server/kit/postgres/migrate.ts'
import { openPool, type Pool } from '../server/kit/postgres/pool.ts'
import { raw, sql } from '../server/kit/postgres/sql.ts'
import { product } from '../server/product.ts'

export const checkout = path.resolve(import.meta.dirname, '..')

export interface Database {
  url: string
  pool: Pool
}

/** Starts a PostgreSQL for benchmarks, with a database that is dropped at the end of the run. */
export async function openDatabase(stack: AsyncDisposableStack): Promise<Database> {
  const data_dir = path.join(baseFolder(checkout, product.short_name), '.cache/bench')
  const postgres = await openEmbedded({ checkout, name: product.short_name, data_dir, as: 'serve', say: console.log })
  stack.defer(() => postgres.close())
  const admin = openPool({ url: postgres.url, size: 1, onError: console.error })
  stack.defer(() => admin.close())
  await dropLeftOver(admin)

  return createDatabase(stack, admin, postgres.url)
}

/** Creates a database in your own PostgreSQL, which is dropped at the end of the run. */
export function openDatabaseAt(stack: AsyncDisposableStack, url: string): Promise<Database> {
  const admin = openPool({ url, size: 1, onError: console.error })
  stack.defer(() => admin.close())
  return createDatabase(stack, admin, url)
}

async function createDatabase(stack: AsyncDisposableStack, admin: Pool, server_url: string): Promise<Database> {
  const name = `bench_${process.pid}`
  await admin.script(`create database ${name}`)
  stack.defer(() => admin.script(`drop database ${name} with (force)`))
  const url = server_url.replace(/\/[^/]*$/, `/${name}`)
  const pool = openPool({ url, size: 2, onError: console.error })
  stack.defer(() => pool.close())
  await migrate(pool, path.join(checkout, 'migrations'))
  return { url, pool }
}

/** Drops the databases of killed runs. */
async function dropLeftOver(admin: Pool): Promise<void> {
  const left_over = await admin.many<{ name: string }>(
    sql`select datname as name from pg_database where datname like ${raw("'bench\\_%'")}`,
  )
  for (const { name } of left_over) await admin.script(`drop database ${name} with (force)`)
}
