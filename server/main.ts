import { openApi, portOf } from './api.ts'
import { addressOf, type Config, ConfigError } from './config.ts'
import { migrations, openDatabase } from './database.ts'
import * as clock from './kit/clock.ts'
import { type Log, openLog } from './kit/log.ts'
import { SetupError } from './kit/postgres/embedded/embedded.ts'
import * as setup from './people/setup.ts'
import { startPeriodicTasks } from './periodic-tasks.ts'
import { product } from './product.ts'
import { ensureFirstWorkspace } from './start/first-workspace.ts'
import { formatGreeting, greetingAsJson } from './start/greeting.ts'
import { notifyLauncher } from './start/launcher.ts'
import { ensureSecretsKeys } from './start/secrets-key.ts'
import { openWorker, type Worker } from './worker.ts'

/** How long requests in flight may take after an uncaught error. */
const stop_after_crash_ms = 5_000

/**
 * Runs the service until a signal, which may arrive during the start. An uncaught error ends the process with status 1,
 * because the state it leaves is unknown; the launcher then starts a new process. With `is_json` the only output is one JSON
 * document at the first start.
 */
export async function serve(config: Config, is_json = false): Promise<void> {
  const log = openLog(config.log_level)
  let exit_code = 0
  const starting = start(config, log, is_json)
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
  const endOnRequest = (reason: string) => {
    // The launcher then neither passes on the same signal again nor restarts the service.
    void notifyLauncher('stopping')
    void end(reason)
  }
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(signal, () => endOnRequest(signal))
  // Without a launcher no signals would be passed on.
  process.on('disconnect', () => endOnRequest('the launcher has ended'))
  // Node also emits this for unhandled rejections.
  process.on('uncaughtException', (error) => {
    exit_code = 1
    log.fatal({ err: error }, 'uncaught error: the process ends')
    setTimeout(() => process.exit(1), stop_after_crash_ms)
    void end('an uncaught error')
  })
  process.channel?.unref()
  await starting
}

/** Returns a function that stops the service: it finishes requests in flight, then closes the database. */
async function start(config: Config, log: Log, is_json: boolean): Promise<() => Promise<void>> {
  if (config.database_url && !config.secrets_key) throw new ConfigError('SECRETS_KEY is required with DATABASE_URL')
  const say = is_json ? console.error : console.log
  const database = await openDatabase(config, { as: 'serve', may_create: true, say, log })
  log.info(`using ${database.name}`)
  const { pool } = database
  const secrets_keys = ensureSecretsKeys(config)
  const {
    app,
    service,
    recordKeyUses,
    stop: stopAnswering,
  } = openApi(pool, { ...config, ...secrets_keys }, migrations, log)
  const is_restart = config.restarts > 0
  let is_stopping = false
  let stopPeriodicTasks: (() => void) | undefined
  let worker: Worker | undefined
  const stop = async () => {
    is_stopping = true
    stopPeriodicTasks?.()
    await Promise.all([stopAnswering(), worker?.stop()])
    await recordKeyUses().catch((error: unknown) => log.warn({ err: error }, 'the last uses of keys were not stored'))
    await service.tools.outbound.close()
    await database.close()
  }
  try {
    await app.listen({ host: config.host, port: config.port }).catch((error: Error) => {
      throw new SetupError(`HOST ${config.host} and PORT ${config.port} can't be used: ${error.message}`)
    })
    const port = portOf(app)
    // Only after listening has succeeded: a key created by a failed start would never be shown.
    const first_key = await ensureFirstWorkspace(service, config)
    // After a crash the link that was printed stays valid.
    const setup_token = is_restart ? undefined : await setup.createToken({ db: pool, now: clock.now() })
    const { events_keep_days } = config
    stopPeriodicTasks = startPeriodicTasks({
      service,
      recordKeyUses,
      events_keep_days,
      isStopping: () => is_stopping,
      log,
    })
    const own_address = addressOf({ ...config, public_url: undefined }, port)
    worker = openWorker({ service, ownAddress: () => own_address, log })
    // Before the greeting: from then on the launcher restarts the service after a crash.
    await notifyLauncher({ port, data_dir: config.database_url ? undefined : config.data_dir })
    const address = addressOf(config, port)
    if (is_restart) say(`${product.name} is ready again: ${address}/api/v1`)
    else console.log((is_json ? greetingAsJson : formatGreeting)({ address, first_key, setup_token }))
    return stop
  } catch (error) {
    await stop()
    throw error
  }
}

function once<In>(work: (input: In) => Promise<void>): (input: In) => Promise<void> {
  let result: Promise<void> | undefined
  return (input) => {
    result ??= work(input)
    return result
  }
}
