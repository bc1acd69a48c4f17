import fs from 'node:fs/promises'
import path from 'node:path'
import * as calls from './calls/store.ts'
import * as channels from './channels/store.ts'
import { test_times } from './clocks/time.ts'
import type { Config } from './config.ts'
import { migrations, nameOf } from './database.ts'
import { live_kinds } from './due-kinds.ts'
import * as clock from './kit/clock.ts'
import { listMissing, listNames } from './kit/postgres/migrate.ts'
import type { Db, Pool } from './kit/postgres/pool.ts'
import { sql } from './kit/postgres/sql.ts'
import { errorMessage } from './kit/problem.ts'
import { counted } from './kit/text.ts'
import { items_max, readBacklogs } from './kit/work/backlog.ts'
import { hasWorker } from './kit/work/periodic.ts'
import type { InstallationStatus } from './people/installation-schema.ts'
import { version } from './product.ts'
import * as webhooks from './webhooks/store.ts'

/** Work that is later than this needs attention. */
const late_seconds = 60
const free_bytes_min = 1_000_000_000
/** Requests within this time get the same answer. */
const fresh_ms = 1_000

/** Returns what reads the status, once for all who ask at the same time. */
export function openStatus(pool: Pool, config: Config): () => Promise<InstallationStatus> {
  let latest: { reading: Promise<InstallationStatus>; until: number } | undefined
  return () => {
    if (latest && clock.ticks() < latest.until) return latest.reading
    const current = { reading: readStatus(pool, config), until: Number.POSITIVE_INFINITY }
    latest = current
    current.reading.then(
      () => {
        current.until = clock.ticks() + fresh_ms
      },
      () => {
        current.until = 0
      },
    )
    return current.reading
  }
}

/** Facts that need attention although the status doesn't show them. */
interface UnshownFacts {
  missing_migrations: number
  has_worker: boolean | null
  /** What could not be read, and why: a node of a sharded database may be down. */
  unread: { name: string; error: unknown }[]
}

/** Fails only when the database can't be reached. It reads the database and the disk, and asks no process. */
export async function readStatus(pool: Pool, config: Config): Promise<InstallationStatus> {
  await pool.measureTime()
  const [{ database }, missing] = await Promise.all([
    pool.one<{ database: string }>(sql`select current_database() as database`),
    listMissing(pool, listNames(migrations)),
  ])
  const unread: UnshownFacts['unread'] = []
  const read = <Value>(name: string, value: Promise<Value>): Promise<Value | null> =>
    value.catch((error: unknown) => {
      unread.push({ name, error })
      return null
    })
  const nodes = await read('The nodes', pool.listNodes())
  const [engines, calls_live, webhooks_failing, channels_failing, has_worker, free_bytes] = await Promise.all([
    read('Background work', readEngines(pool, unread)),
    read('Calls', calls.countLive({ db: pool })),
    read('Webhooks', webhooks.countFailing({ db: pool })),
    read('Channels', channels.countFailing({ db: pool })),
    read('The state of the service', hasWorker(pool)),
    read('The free space of the disk', freeBytes(config.data_dir)),
  ])
  const status = {
    version,
    database: nameOf(config, database),
    nodes: (nodes ?? []).map(({ name, is_up }) => ({ name, is_up })),
    engines: engines ?? [],
    calls_live,
    webhooks_failing,
    channels_failing,
    disk: { free_bytes },
  }
  return { ...status, attention: describe(status, { missing_migrations: missing.length, has_worker, unread }) }
}

async function readEngines(db: Db, unread: UnshownFacts['unread']): Promise<InstallationStatus['engines']> {
  const { backlogs, errors } = await readBacklogs(db, { kinds: live_kinds, test_times })
  const [error] = errors
  if (error !== undefined) unread.push({ name: 'Some background work', error })
  return backlogs
}

/**
 * Returns the free bytes on the disk of a folder that may not be there yet: with your own database only recordings are
 * in it.
 */
async function freeBytes(folder: string): Promise<number> {
  try {
    const { bavail, bsize } = await fs.statfs(folder)
    return bavail * bsize
  } catch (error) {
    const parent = path.dirname(folder)
    if (parent === folder) throw error
    return freeBytes(parent)
  }
}

/** Returns what someone should look at, the most urgent first. */
function describe(
  { nodes, engines, channels_failing, webhooks_failing, disk }: Omit<InstallationStatus, 'attention'>,
  { missing_migrations, has_worker, unread }: UnshownFacts,
): string[] {
  return [
    ...nodes.flatMap(({ name, is_up }) => (is_up ? [] : `The database's node ${name} is down.`)),
    ...(missing_migrations > 0
      ? [`${counted(missing_migrations, 'migration is', 'migrations are')} not applied: run parley migrate.`]
      : []),
    ...(has_worker === false ? ['No process does background work: start parley serve.'] : []),
    ...(disk.free_bytes !== null && disk.free_bytes < free_bytes_min ? ['Less than 1 GB is free in DATA_DIR.'] : []),
    ...engines.flatMap(({ kind, lag_seconds }) =>
      lag_seconds > late_seconds ? `${engineName(kind)} are ${duration(lag_seconds)} late.` : [],
    ),
    ...engines.flatMap(({ kind, due }) =>
      due >= items_max ? `${items_max.toLocaleString('en')} or more wait: ${engineName(kind).toLowerCase()}.` : [],
    ),
    ...(channels_failing
      ? [`${counted(channels_failing, 'channel is', 'channels are')} failing: the carrier refuses to send or call.`]
      : []),
    ...(webhooks_failing
      ? [`${counted(webhooks_failing, 'webhook is', 'webhooks are')} failing: the endpoint doesn't accept deliveries.`]
      : []),
    ...unread.map(({ name, error }) => `${name} could not be read: ${errorMessage(error)}.`),
  ]
}

const names: Record<string, string> = {
  campaign_enrollings: 'Enrollments in campaigns',
  deleted_campaigns: 'Deletions of campaigns',
  deleted_documents: 'Deletions of documents',
  deliveries: 'Webhook deliveries',
  recording_files: 'Files of recordings',
}

/** Returns the name of a kind of work in words, such as "Webhook deliveries". */
export function engineName(kind: string): string {
  const words = kind.replaceAll('_', ' ')
  return names[kind] ?? words.charAt(0).toUpperCase() + words.slice(1)
}

/** Returns a time in words, such as "90 seconds", "4 minutes", "3 hours" or "2 days". */
function duration(seconds: number): string {
  const minutes = Math.floor(seconds / 60)
  const hours = Math.floor(minutes / 60)
  if (minutes < 2) return `${seconds} seconds`
  if (hours < 2) return `${minutes} minutes`
  return hours < 48 ? `${hours} hours` : `${Math.floor(hours / 24)} days`
}
