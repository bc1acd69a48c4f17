import { setTimeout as sleep } from 'node:timers/promises'
import { openApi, portOf } from './api.ts'
import { type Sound, sound } from './audio/sound.ts'
import { speechInstaller } from './audio/speech-install.ts'
import type { Carrier } from './calls/carrier.ts'
import { type LiveCalls, liveCalls } from './calls/live-calls.ts'
import { addressOf, type Config, ConfigError } from './config.ts'
import { compilePatterns, readPhrases } from './consent/spoken.ts'
import { migrations, openDatabase } from './database.ts'
import { background_kinds } from './due-kinds.ts'
import type { Service } from './kit/at.ts'
import { removeLeftovers } from './kit/blobs/scratch.ts'
import * as clock from './kit/clock.ts'
import type { AnswerPage } from './kit/http/pages.ts'
import type { FastifyInstance } from './kit/http/server.ts'
import { letOthersRun } from './kit/let-others-run.ts'
import { type Log, openLog } from './kit/log.ts'
import { SetupError } from './kit/postgres/embedded/embedded.ts'
import { errorMessage } from './kit/problem.ts'
import { openDueNotes } from './kit/work/due.ts'
import { repeat } from './kit/work/periodic.ts'
import { loadMcpServer } from './mcp/server.ts'
import { openOperatorPages, openOperatorServer } from './operator-pages.ts'
import * as setup from './people/setup.ts'
import { product } from './product.ts'
import { openService, recordingsFolder } from './service.ts'
import { noteAddress } from './start/address-file.ts'
import { ensureFirstWorkspace } from './start/first-workspace.ts'
import { formatGreeting, greetingAsJson } from './start/greeting.ts'
import { followOthers, notifyLauncher, type Others } from './start/launcher.ts'
import { showMetricsOfAll } from './start/metrics-of-all.ts'
import { checkPort, checkProcesses } from './start/processes.ts'
import { ensureSecretsKeys } from './start/secrets-key.ts'
import { consoleOf, type Shell } from './start/shell.ts'
import { loadMcpClient } from './tools/mcp-client.ts'
import { openAnsweringOnly, openWorker, type Worker } from './worker.ts'
import * as workspaces from './workspaces/store.ts'

export interface ServeOptions {
  shell: Shell
  is_json: boolean
  /** Runs only this part of the service. By default one process runs both. */
  only?: 'api' | 'worker' | undefined
  /**
   * Runs this many processes on one port: the first one does everything, the others serve requests only. One by
   * default.
   */
  processes?: number | undefined
  /** Places calls. By default simulated people answer. */
  carrier?: Carrier
  /** Recognises and synthesises speech. Tests set it. */
  sound?: Sound
}

const record_key_uses_every_ms = 5_000
/** How long requests in flight may take after an uncaught error. */
const stop_after_crash_ms = 5_000
/** A database that doesn't respond must not keep the process from ending. */
const stop_max_ms = 30_000
const same_signal_ms = 1_000
const check_drain_every_ms = 200
/** A signal reaches the other processes this much later than the first one, because the launcher passes it on. */
const others_late_ms = 1_000
/** When their live calls are over, the other processes stop at the same time as the first one, which waits for them. */
const others_end_ms = 10_000

/**
 * Runs the service until a signal, which may arrive during the start. An uncaught error ends the process with status 1,
 * because the state it leaves is unknown; the launcher then starts a new process. With `is_json` the only output is one JSON
 * document at the first start.
 */
export async function serve(config: Config, options: ServeOptions): Promise<void> {
  const { shell, processes = 1 } = options
  const log = openLog(config.log_level, {
    process_number: processes > 1 ? config.process : undefined,
    has_traces: config.otlp_endpoint !== undefined,
  })
  let exit_code = 0
  const drain = openDrain(config, log)
  const others = followOthers(shell, processes, drain.end)
  const starting = start(config, log, { ...options, others })
  const end = once(async (reason: string) => {
    log.info({ reason }, 'stopping')
    try {
      const { stop, live_calls } = await starting
      if (exit_code === 0) await drain.wait(live_calls, others, () => void notifyLauncher(shell, 'drained'))
      // An error may also have come while this process waited.
      if (exit_code !== 0) live_calls.abandon()
      const timer = setTimeout(() => {
        log.fatal('could not stop in time: the process ends')
        shell.exit(1)
      }, stop_max_ms).unref()
      await stop({ is_crash: exit_code !== 0 }).finally(() => clearTimeout(timer))
      log.info('stopped')
      shell.exit(exit_code)
    } catch (error) {
      log.fatal({ err: error }, 'could not stop cleanly')
      shell.exit(1)
    }
  })
  const endOnRequest = (reason: string) => {
    // The launcher then neither passes on the same signal again nor restarts the service.
    void notifyLauncher(shell, 'stopping')
    if (drain.takeSignal() === 'second') void notifyLauncher(shell, 'calls ended')
    void end(reason)
  }
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) shell.on(signal, () => endOnRequest(signal))
  // Without a launcher no signals would be passed on.
  shell.on('disconnect', () => endOnRequest('the launcher has ended'))
  // Node also emits this for unhandled rejections.
  shell.on('uncaughtException', (error) => {
    exit_code = 1
    log.fatal({ err: error }, 'uncaught error: the process ends')
    setTimeout(() => shell.exit(1), stop_after_crash_ms)
    drain.end()
    void end('an uncaught error')
  })
  shell.channel?.unref()
  await starting
}

interface StartedService {
  /** Finishes requests in flight, then closes the database. */
  stop: (options: { is_crash: boolean }) => Promise<void>
  live_calls: LiveCalls
}

/**
 * Lets live calls end before a stop, and telephones that ring. Everything else goes on meanwhile, but no new calls
 * begin. It waits for the calls of other processes too: while some process serves requests, all do.
 */
function openDrain({ drain_seconds }: Config, log: Log) {
  const ended = new AbortController()
  const end = () => ended.abort()
  let first_ticks: number | undefined
  const waitFor = async (isOver: () => boolean, late_ticks: number) => {
    while (!isOver() && !ended.signal.aborted && clock.ticks() < late_ticks)
      // The sleep rejects when the wait is aborted.
      await sleep(check_drain_every_ms, undefined, ended).catch(() => {})
  }
  return {
    /**
     * Returns 'second' if this signal ends the wait. The first one may arrive twice, from the terminal and from the
     * launcher.
     */
    takeSignal(): 'second' | 'other' {
      first_ticks ??= clock.ticks()
      if (ended.signal.aborted || clock.ticks() - first_ticks <= same_signal_ms) return 'other'
      end()
      return 'second'
    },
    end,
    async wait(live_calls: LiveCalls, others: Others, onDrained: () => void): Promise<void> {
      live_calls.drain()
      const count = live_calls.count + live_calls.countAwaited(clock.wall())
      if (count > 0 && drain_seconds > 0)
        log.warn(
          { live_calls: count },
          `waiting up to ${drain_seconds} s for ${count} live ${count === 1 ? 'call' : 'calls'} to end: a second signal ends them`,
        )
      const late_ticks = clock.ticks() + drain_seconds * clock.second_ms
      await waitFor(() => live_calls.is_over && live_calls.countAwaited(clock.wall()) === 0, late_ticks)
      onDrained()
      await waitFor(() => others.are_drained, late_ticks + others_late_ms)
    },
  }
}

async function start(config: Config, log: Log, options: ServeOptions & { others: Others }): Promise<StartedService> {
  const { shell, is_json, carrier, processes = 1, others } = options
  const is_first = config.process === 1
  const is_restart = config.restarts > 0
  const only = is_first ? options.only : 'api'
  if (config.database_url && !config.secrets_key) throw new ConfigError('SECRETS_KEY is required with DATABASE_URL')
  if (options.only && !config.database_url) throw new ConfigError('DATABASE_URL is required with --only')
  if (processes > 1) checkProcesses(processes, config, shell)
  const console = consoleOf(shell)
  const say = is_json ? console.error : console.log
  const libraries = Promise.all([loadMcpClient(), loadMcpServer()])
  const database = await openDatabase(config, { as: is_first ? 'serve' : 'share', may_create: is_first, say, log })
  await libraries
  readPhrases()
  log.info(`using ${database.name}`)
  const { pool } = database
  await removeLeftovers(recordingsFolder(config)).catch((error: unknown) =>
    log.warn({ err: error }, 'could not remove the temporary files of a killed process'),
  )
  const keyed_config = { ...config, ...ensureSecretsKeys(config) }
  const api = only === 'worker' ? undefined : openApi(pool, keyed_config, migrations, log)
  const service = api?.service ?? openService(pool, keyed_config, () => addressOf(config, config.port), log)
  if (processes > 1) showMetricsOfAll(service.tools.metrics, shell, others, config.process)
  if (options.sound) sound.set(service, options.sound)
  const due_notes = openDueNotes(pool, background_kinds, log)
  const key_uses = api && repeat({ name: 'key uses', every_ms: record_key_uses_every_ms, run: api.recordKeyUses }, log)
  let worker: Worker | undefined
  let is_stopping = false
  /** Set when the launcher was told that the service runs: from then on it starts the other processes. */
  let is_announced = false
  const is_shared = processes > 1
  const operator = openOperators(config, {
    service,
    log,
    pages: api?.operator_pages,
    isStopping: () => is_stopping,
    is_shared,
  })
  const stop: StartedService['stop'] = async ({ is_crash }) => {
    is_stopping = true
    clearInterval(key_uses)
    await Promise.all([api?.stop(), worker?.stop()])
    await operator.stop()
    await due_notes.stop()
    await api
      ?.recordKeyUses()
      .catch((error: unknown) => log.warn({ err: error }, 'the last uses of keys were not stored'))
    await speechInstaller.of(service).close()
    await sound.of(service).close()
    await service.tools.blobs.close()
    if (api && is_first && is_announced) noteAddress(config, undefined, log)
    const has_others = is_first && is_shared
    if (has_others && is_announced && !is_crash) await Promise.race([others.have_ended, sleep(others_end_ms)])
    // After a crash the other processes use the embedded PostgreSQL, until the next process takes it over.
    if (!has_others || !is_crash) await database.close()
    await service.tools.traces?.close()
    // This comes last, because requests that it cuts off would be stored as failed, although they may have taken
    // effect.
    await service.tools.outbound.close()
  }
  try {
    const port = api ? await listen(api.app, config, { is_shared }) : config.port
    await operator.listen()
    // This comes after listening has succeeded, because a key created by a failed start would never be shown.
    const first = api && is_first ? await ensureFirstWorkspace(service, config) : {}
    api?.markAsSetUp()
    // After a crash the link that was printed stays valid.
    const setup_token =
      api && is_first && !is_restart ? await setup.createToken({ db: pool, now: clock.wall() }) : undefined
    // This process serves the inboxes, or the one that has the API does.
    const own_address = addressOf(api ? { ...config, public_url: undefined } : config, port)
    const { events_keep_days } = config
    const background = { service, ownAddress: () => own_address, events_keep_days, carrier, log }
    worker = only === 'api' ? openAnsweringOnly(background) : openWorker(background)
    // This comes before the greeting, because the launcher restarts the service after a crash from here on.
    await notifyLauncher(shell, { port, data_dir: config.database_url ? undefined : config.data_dir, processes })
    is_announced = true
    if (api && is_first) noteAddress(config, port, log)
    const address = addressOf(config, port)
    if (is_shared) log.info('ready')
    setTimeout(compileLater, compile_after_ms, log).unref()
    if (!is_first) return { stop, live_calls: liveCalls.of(service) }
    if (!api) say(`${product.name} runs background work.`)
    else if (is_restart) say(`${product.name} is ready again: ${address}/api/v1`)
    else console.log((is_json ? greetingAsJson : formatGreeting)({ config, port, address, first, setup_token }))
    return { stop, live_calls: liveCalls.of(service) }
  } catch (error) {
    await stop({ is_crash: is_restart })
    throw error
  }
}

/** Compiling waits this long, because a start has enough to do. */
const compile_after_ms = 30_000

const compileLater = (log: Log): void =>
  void compilePatterns(letOthersRun).catch((error: unknown) => log.error({ err: error }, 'could not compile patterns'))

/** With `is_shared`, other processes listen on the same port. */
async function listen(
  app: FastifyInstance,
  config: Config,
  { is_shared, name = 'PORT' }: { is_shared: boolean; name?: string },
): Promise<number> {
  const { host, port } = config
  try {
    if (is_shared && config.process === 1 && config.restarts === 0) await checkPort(config)
    await app.listen({ host, port, ...(is_shared && { reusePort: true }) })
  } catch (error) {
    throw new SetupError(`HOST ${host} and ${name} ${port} can't be used: ${errorMessage(error)}`)
  }
  return portOf(app)
}

interface OperatorOptions {
  service: Service
  log: Log
  /** The pages of the API, if this process has it. */
  pages: Record<string, AnswerPage> | undefined
  isStopping: () => boolean
  is_shared: boolean
}

/** Serves the pages for operators at METRICS_PORT, if there is one. */
function openOperators(config: Config, { service, log, pages, isStopping, is_shared }: OperatorOptions) {
  const { metrics_port: port } = config
  if (port === undefined) return { listen: async () => {}, stop: async () => {} }
  // Another process sets up the first workspace if this one has no API.
  let is_set_up = false
  const isSetUp = async () => (is_set_up ||= await workspaces.haveAny({ db: service.pool }))
  const own = pages ? undefined : openOperatorPages({ service, config, migrations, isSetUp, isStopping })
  const { app, stop } = openOperatorServer(pages ?? own?.pages ?? {}, { service, log })
  return {
    listen: async () => {
      const metrics_port = await listen(app, { ...config, port }, { is_shared, name: 'METRICS_PORT' })
      log.info({ metrics_port }, 'serving metrics')
    },
    stop: async () => {
      own?.close()
      await stop()
    },
  }
}

function once<In>(work: (input: In) => Promise<void>): (input: In) => Promise<void> {
  let result: Promise<void> | undefined
  return (input) => {
    result ??= work(input)
    return result
  }
}
