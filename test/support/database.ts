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
    await withNewDatabase(postgres.url, (url) => withCopy(url, work))
  } finally {
    await postgres.close()
  }
}

/** Nothing that a test writes must outlive a crash of PostgreSQL, and waiting for the disk takes long. Scenarios that kill it wait. */
export async function withoutDurability(url: string): Promise<void> {
  const admin = openPool({ url: urlOf(url, 'postgres'), size: 1, onError: console.error })
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
  const template = process.env.TEST_TEMPLATE_URL
  if (!template) throw new Error('run it with: npm test -- FILE')
  return addDatabase(template, newName(name), new URL(template).pathname.slice(1))
}

let created_count = 0

function newName(name: string): string {
  created_count += 1
  return `${name}_${process.pid}_${created_count}`
}

/** Nothing may be connected to the template. */
async function addDatabase(url: string, name: string, template = 'template1'): Promise<NewDatabase> {
  const admin = openPool({ url: urlOf(url, 'postgres'), size: 1, onError: console.error })
  await admin.script(`create database ${name} template ${template}`).catch(async (error: unknown) => {
    await admin.close()
    throw error
  })
  return {
    url: urlOf(url, name),
    async drop() {
      await admin.script(`drop database ${name} with (force)`)
      await admin.close()
    },
  }
}

const urlOf = (url: string, database: string): string => url.replace(/\/[^/]*$/, `/${database}`)
