import { randomBytes } from 'node:crypto'
import fs from 'node:fs'
import path from 'node:path'
import { openApi, portOf } from './api.ts'
import * as api_keys from './api-keys/store.ts'
import { addressOf, type Config, ConfigError } from './config.ts'
import * as grams from './contacts/short-search-totals.ts'
import { migrations, openDatabase } from './database.ts'
import * as feed from './events/feed.ts'
import * as clock from './kit/clock.ts'
import { type Log, openLog } from './kit/log.ts'
import { SetupError } from './kit/postgres/embedded/embedded.ts'
import type { Pool } from './kit/postgres/pool.ts'
import * as setup from './people/setup.ts'
import * as retention from './retention.ts'
import { openWorker, type Worker } from './worker.ts'
import * as workspaces from './workspaces/store.ts'

/** To answer what is under way after an error that nobody caught. */
const stop_after_crash_ms = 5_000
const note_uses_every_ms = 5_000
const remove_expired_every_ms = 60 * 60 * 1000
const tidy_deliveries_every_ms = 60_000
const begin_tallies_every_ms = 60_000
const tally_every_ms = 2_000
const place_every_ms = 1_000

/**
 * Runs the service until a signal ends it, which may come while it still starts. An error that nobody caught ends it
 * too, with 1, since nobody knows what state it has left: the launcher then starts a new process.
 */
export async function serve(config: Config): Promise<void> {
  const log = openLog(config.log_level)
  let exit_code = 0
  const starting = start(config, log)
  const end = once(async (reason: string) => {
    log.info({ reason }, 'stopping')
    try {
      const stop = await starting
      await stop()
      process.exit(exit_code)
    } catch (error) {
      log.fatal({ err: error }, 'could not stop cleanly')
      process.exit(1)
    }
  })
  const endAsAsked = (reason: string) => {
    // So that the launcher doesn't pass on a signal that has arrived already, and starts nothing after it.
    void notifyLauncher('stopping')
    void end(reason)
  }
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(signal, () => endAsAsked(signal))
  // The launcher was killed: nobody would pass signals on any more.
  process.on('disconnect', () => endAsAsked('the launcher has gone'))
  // Also for a rejected promise that nobody handles.
  process.on('uncaughtException', (error) => {
    exit_code = 1
    log.fatal({ err: error }, 'uncaught error: the process ends')
    setTimeout(() => process.exit(1), stop_after_crash_ms)
    void end('an uncaught error')
  })
  process.channel?.unref()
  await starting
}

/** What the launcher needs to know to start the service again. */
interface Ready {
  port: number
  /** Where the embedded PostgreSQL is. */
  data_dir: string | undefined
}

/** The launcher may be gone by now: the process ends for that reason then. */
function notifyLauncher(message: 'stopping' | Ready): Promise<void> {
  return new Promise((resolve) => {
    if (process.connected && process.send) process.send(message, undefined, undefined, () => resolve())
    else resolve()
  })
}

/** Gives what stops it: finishes what is in flight, then closes the database. */
async function start(config: Config, log: Log): Promise<() => Promise<void>> {
  if (config.database_url && !config.secrets_key) throw new ConfigError('SECRETS_KEY is required with DATABASE_URL')
  const database = await openDatabase(config, 'serve', log, true)
  log.info(`using ${database.name}`)
  const { pool } = database
  const secrets_key = config.secrets_key ?? keepSecretsKey(config)
  const { app, tools, noteUses, stop: stopAnswering } = openApi(pool, { ...config, secrets_key }, migrations, log)
  const timers: NodeJS.Timeout[] = []
  let worker: Worker | undefined
  const is_restart = config.restarts > 0
  let is_stopping = false
  const stop = async () => {
    is_stopping = true
    for (const timer of timers) clearInterval(timer)
    await Promise.all([stopAnswering(), worker?.stop()])
    await noteUses().catch((error: unknown) => log.warn({ err: error }, 'the last uses of keys were not noted'))
    await tools.outbound.close()
    await database.close()
  }
  try {
    await app.listen({ host: config.host, port: config.port }).catch((error: Error) => {
      throw new SetupError(`HOST ${config.host} and PORT ${config.port} can't be used: ${error.message}`)
    })
    // After listening: a key that is made before the start has succeeded would never be shown.
    const first_key = await setUp(pool, config)
    // The link that the first process has printed stays valid after a crash.
    const setup_token = is_restart ? undefined : await setup.offer(pool, clock.now())
    const retained = { pool, events_keep_days: config.events_keep_days, isStopping: () => is_stopping, log }
    timers.push(
      every(note_uses_every_ms, noteUses, log),
      every(remove_expired_every_ms, () => retention.removeExpired(retained), log),
      every(tidy_deliveries_every_ms, () => retention.tidyDeliveries(retained), log),
      every(begin_tallies_every_ms, () => grams.beginWorthwhile(pool), log),
      every(tally_every_ms, () => grams.tally(pool), log),
      every(place_every_ms, () => feed.placeAll(pool, () => is_stopping), log),
    )
    const own_address = addressOf({ ...config, public_url: undefined }, portOf(app))
    worker = openWorker({ pool, tools, ownAddress: () => own_address, log })
    const address = addressOf(config, portOf(app))
    // Before anyone is told to use it: a crash from then on ends in a restart.
    await notifyLauncher({ port: portOf(app), data_dir: config.database_url ? undefined : config.data_dir })
    console.log(is_restart ? `Parley is ready again: ${address}/api/v1` : greeting(address, first_key, setup_token))
    return stop
  } catch (error) {
    await stop()
    throw error
  }
}

/** On the first start a workspace and its first key, which is returned to be shown once. */
function setUp(pool: Pool, { bootstrap_api_key }: Config): Promise<string | undefined> {
  const now = clock.now()
  return pool.tx(async (db) => {
    // The oldest, and not the one that is called so: people may have given it another name, and the name to another.
    const [oldest] = await workspaces.list(db)
    const created = oldest ? undefined : await workspaces.create(db, workspaces.default_name, now)
    const workspace = oldest ?? created ?? (await workspaces.find(db, workspaces.default_name))
    if (!workspace) throw new Error('the workspace is neither new nor there')
    if (bootstrap_api_key) {
      const key = { name: 'Bootstrap', scopes: null, expires_at: null }
      await api_keys.ensure(db, workspace.id, bootstrap_api_key, key, now)
      return undefined
    }
    if (!created) return undefined
    const token = api_keys.newToken()
    await api_keys.create(db, workspace.id, token, { name: 'First key', scopes: null, expires_at: null }, now)
    return token
  })
}

/** Made once, for what is sealed with it must be opened later. */
function keepSecretsKey({ data_dir }: Config): string {
  const file = path.join(data_dir, 'secrets-key')
  if (fs.existsSync(file)) return fs.readFileSync(file, 'utf8')
  // Renamed when it is whole, so that a kill leaves no half of it.
  fs.writeFileSync(`${file}.draft`, randomBytes(32).toString('base64'), { mode: 0o600, flush: true })
  fs.renameSync(`${file}.draft`, file)
  return fs.readFileSync(file, 'utf8')
}

/** Now and again and again, never twice at once. What fails is tried the next time. */
function every(interval_ms: number, work: () => Promise<void>, log: Log): NodeJS.Timeout {
  let is_running = false
  const run = async () => {
    if (is_running) return
    is_running = true
    try {
      await work()
    } catch (error) {
      log.warn({ err: error }, 'background work failed')
    }
    is_running = false
  }
  void run()
  return setInterval(() => void run(), interval_ms).unref()
}

function greeting(address: string, first_key: string | undefined, setup_token: string | undefined): string {
  const lines = [
    '',
    'Parley is ready.',
    '',
    `  Base address   ${address}/api/v1`,
    `  Dashboard      ${address}/`,
    `  Documentation  ${address}/docs`,
    '',
    ...(setup_token
      ? [
          `  Set up         ${address}/setup/${setup_token}`,
          '                 Open it to make yourself the owner: once, within a day.',
          '',
        ]
      : []),
  ]
  if (!first_key) return lines.join('\n')
  return [
    ...lines,
    `  API key        ${first_key}`,
    '                 It is shown this once. More: npx parley key create --workspace Default',
    '',
    '  Try it:',
    `  curl -H 'Authorization: Bearer ${first_key}' ${address}/api/v1/contacts`,
    '',
  ].join('\n')
}

function once<In>(work: (input: In) => Promise<void>): (input: In) => Promise<void> {
  let result: Promise<void> | undefined
  return (input) => {
    result ??= work(input)
    return result
  }
}
