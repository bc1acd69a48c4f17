import { spawn } from 'node:child_process'
import { once } from 'node:events'
import * as fs from 'node:fs'
import { createServer } from 'node:net'
import * as os from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { findPostmaster, isPostmaster, type Postmaster, stalePid } from './pid-file.ts'
import { unusable } from './setup-error.ts'
import { type PostgresUser, spawnOptions } from './user.ts'
import { waitFor } from './wait.ts'

const starts_max = 100
const pause_ms = 100
const log_max_bytes = 8 * 1024 * 1024
// The signals of a fast and an immediate shutdown, and how long to wait after each.
const stop_signals = [
  ['SIGINT', 4_000],
  ['SIGQUIT', 8_000],
] as const

/** An eighth of the available memory, which PostgreSQL allocates only as needed. */
function sharedBuffersMegabytes(): number {
  const available = Math.min(os.totalmem(), process.constrainedMemory() || Number.POSITIVE_INFINITY)
  return Math.round(Math.min(1024, Math.max(128, available / 2 ** 20 / 8)))
}

const settings = [
  'listen_addresses=127.0.0.1',
  'unix_socket_directories=',
  'max_connections=100',
  `shared_buffers=${sharedBuffersMegabytes()}MB`,
  'max_wal_size=2GB',
  'timezone=UTC',
  'log_timezone=UTC',
  // The client logs errors. In PostgreSQL's own log they would fill the disk and contain personal data.
  'log_min_messages=log',
  'log_checkpoints=off',
]

/** Where a cluster is and how its PostgreSQL runs. */
export interface Installation {
  data_dir: string
  cluster: string
  bin: string
  user: PostgresUser | undefined
}

/**
 * Takes over the running postmaster or starts one, and waits until it is ready, no matter how long recovery takes. Stops
 * retrying when `isCanceled` returns true.
 */
export async function startPostmaster(installation: Installation, isCanceled = () => false): Promise<Postmaster> {
  for (let starts = 1; ; starts++) {
    const running = await findReadyPostmaster(installation)
    if (running) return running
    if (isCanceled()) throw startFailed(installation, 'FATAL:  the start was canceled')
    const output = await launch(installation)
    if (output === undefined) continue
    if (!isTransient(output) || starts === starts_max) throw startFailed(installation, output)
    await sleep(pause_ms)
  }
}

/** Stops PostgreSQL gracefully, or at once when that takes too long: the next start then recovers the data. */
export async function stopPostmaster({ pid }: Postmaster, cluster: string): Promise<void> {
  const hasStopped = () => !isPostmaster(pid, cluster)
  for (const [signal, wait_ms] of stop_signals) {
    if (hasStopped()) return
    process.kill(pid, signal)
    await waitFor(wait_ms, hasStopped)
  }
}

/** Waits until the running postmaster is ready, or has stopped. */
async function findReadyPostmaster(installation: Installation): Promise<Postmaster | undefined> {
  for (;;) {
    const found = findPostmaster(installation.cluster)
    if (!found || found.status === 'ready') return found
    if (found.status === 'stopping') await stopPostmaster(found, installation.cluster)
    else await sleep(pause_ms)
  }
}

/** Returns undefined when PostgreSQL is ready, or its output when it did not start. */
async function launch({ data_dir, cluster, bin, user }: Installation): Promise<string | undefined> {
  // Tells PostgreSQL that the process in an old pid file is not a postmaster.
  const not_a_postmaster = { PG_GRANDPARENT_PID: String(await stalePid(cluster)) }
  const port = String(await freePort())
  const log = openLog(data_dir)
  const options = spawnOptions(user)
  const parameters = ['-D', cluster, '-p', port, ...settings.flatMap((setting) => ['-c', setting])]
  const child = spawn(join(bin, 'postgres'), parameters, {
    ...options,
    env: { ...options.env, ...not_a_postmaster },
    // PostgreSQL runs in its own session, so that neither Ctrl-C nor the end of this process stops it.
    detached: true,
    stdio: ['ignore', log.fd, log.fd],
  })
  fs.closeSync(log.fd)
  child.unref()
  await once(child, 'spawn')

  const hasEnded = () => child.exitCode !== null || child.signalCode !== null
  const isReady = () => {
    const found = findPostmaster(cluster)
    return found?.pid === child.pid && found?.status === 'ready'
  }
  await waitFor(Number.POSITIVE_INFINITY, () => hasEnded() || isReady())
  return hasEnded() ? log.read() : undefined
}

/** Whether a retry may help: the port was taken, or sessions of the previous PostgreSQL are still ending. */
function isTransient(output: string) {
  return /Address already in use|pre-existing shared memory block|lock file ".*" already exists/.test(output)
}

function startFailed({ data_dir }: Installation, output: string) {
  // Errors from before PostgreSQL can log have no severity.
  const [, reason = 'it exited without a message'] =
    /(?:FATAL|PANIC): +(.*)|^postgres: +(.*)/m.exec(output)?.filter(Boolean) ?? []
  return unusable(data_dir, `PostgreSQL does not start: ${reason} (see postgres.log in that folder)`)
}

function openLog(data_dir: string) {
  const path = join(data_dir, 'postgres.log')
  const fd = fs.openSync(path, 'a', 0o600)
  if (fs.fstatSync(fd).size > log_max_bytes) fs.ftruncateSync(fd)
  const { size } = fs.fstatSync(fd)
  return { fd, read: () => fs.readFileSync(path).subarray(size).toString() }
}

async function freePort() {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  server.close()
  await once(server, 'close')
  if (address === null || typeof address === 'string') throw new Error('a TCP server has no port')
  return address.port
}
