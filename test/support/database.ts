import path from 'node:path'
import { baseFolder, openEmbedded } from '../../server/kit/postgres/embedded/embedded.ts'
import { migrate } from '../../server/kit/postgres/migrate.ts'
import { openPool } from '../../server/kit/postgres/pool.ts'
import { product } from '../../server/product.ts'

const checkout = path.resolve(import.meta.dirname, '../..')

/** Runs `work` with an empty, migrated database. The PostgreSQL stays in `folder` for the next call. */
export async function withDatabase(folder: string, work: (url: string) => Promise<void>): Promise<void> {
  const data_dir = path.join(baseFolder(checkout, product.short_name), folder)
  const postgres = await openEmbedded({ checkout, name: product.short_name, data_dir, as: 'serve', say: console.log })
  try {
    await withNewDatabase(postgres.url, work)
  } finally {
    await postgres.close()
  }
}

/** Runs `work` with a new, migrated database in the PostgreSQL at `url`, and drops it. */
export async function withNewDatabase(
  url: string,
  work: (url: string) => Promise<void>,
  migrations = path.join(checkout, 'migrations'),
): Promise<void> {
  const name = `run_${process.pid}`
  const admin = openPool({ url, size: 1, onError: console.error })
  await admin.script(`create database ${name}`)
  try {
    const new_url = url.replace(/\/[^/]*$/, `/${name}`)
    const pool = openPool({ url: new_url, size: 2, onError: console.error })
    await migrate(pool, migrations)
    await pool.close()
    await work(new_url)
  } finally {
    await admin.script(`drop database ${name} with (force)`)
    await admin.close()
  }
}
