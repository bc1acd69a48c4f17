import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import * as fs from 'node:fs'
import { createServer } from 'node:net'
import * as os from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { findPostmaster, isPostmaster, type Postmaster, stalePid } from './pid-file.ts'
import { unusable } from './setup-error.ts'
import { type PostgresUser, spawnedAs } from './user.ts'
import { waitFor } from './wait.ts'

const starts_max = 100
const pause_ms = 100
const log_max_bytes = 8 * 1024 * 1024
// PostgreSQL's words for a fast and an immediate shutdown.
const stop_signals = [
  ['INT', 4_000],
  ['QUIT', 8_000],
] as const
/** An eighth of the memory that we may use: PostgreSQL takes it as it needs it, and what is in it is read without a call. */
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
  // Errors go to the client, which logs them: here they would fill the disk, with people's data in them.
  'log_min_messages=log',
  'log_checkpoints=off',
]

/** Where a cluster is and how its PostgreSQL is run. */
export interface Site {
  data_dir: string
  cluster: string
  bin: string
  user: PostgresUser | undefined
}

/**
 * Takes over the running postmaster or starts one, and waits until it is ready, however long it recovers. What ends
 * before that is not started anew once it is given up.
 */
export async function startPostmaster(site: Site, isGivenUp = () => false): Promise<Postmaster> {
  for (let starts = 1; ; starts++) {
    const running = await settledPostmaster(site)
    if (running) return running
    if (isGivenUp()) throw failed(site, 'FATAL:  it was given up')
    const complaint = await launch(site)
    if (complaint === undefined) continue
    if (!isPassing(complaint) || starts === starts_max) throw failed(site, complaint)
    await sleep(pause_ms)
  }
}

/** Stops it in good order or, when that takes too long, at once: then the next start recovers. */
export async function stopPostmaster({ pid }: Postmaster, { cluster, bin }: Site): Promise<void> {
  const hasStopped = () => !isPostmaster(pid, cluster)
  for (const [name, patience_ms] of stop_signals) {
    if (hasStopped()) return
    signal(pid, name, bin)
    await waitFor(patience_ms, hasStopped)
  }
}

/** The running postmaster once it is ready, or nothing once it has stopped. */
async function settledPostmaster(site: Site): Promise<Postmaster | undefined> {
  for (;;) {
    const found = findPostmaster(site.cluster)
    if (!found || found.status === 'ready') return found
    if (found.status === 'stopping') await stopPostmaster(found, site)
    else await sleep(pause_ms)
  }
}

/** Returns when it is ready, or with what it said when it didn't start. */
async function launch({ data_dir, cluster, bin, user }: Site): Promise<string | undefined> {
  // This is how PostgreSQL is told that the process in its old pid file, if there is one, isn't a postmaster.
  const not_a_postmaster = { PG_GRANDPARENT_PID: String(await stalePid(cluster)) }
  const port = String(await freePort())
  const log = openLog(data_dir)
  const options = spawnedAs(user)
  const parameters = ['-D', cluster, '-p', port, ...settings.flatMap((setting) => ['-c', setting])]
  const child = spawn(join(bin, 'postgres'), parameters, {
    ...options,
    env: { ...options.env, ...not_a_postmaster },
    // In a session of its own, so that neither Ctrl-C nor our end is its end.
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

/** What goes away by itself: a port taken meanwhile, the last sessions or the start of a PostgreSQL left behind. */
function isPassing(complaint: string) {
  return /Address already in use|pre-existing shared memory block|lock file ".*" already exists/.test(complaint)
}

function failed({ data_dir }: Site, complaint: string) {
  // What it finds before it can log stands there bare.
  const [, reason = 'it ended without a word'] =
    /(?:FATAL|PANIC): +(.*)|^postgres: +(.*)/m.exec(complaint)?.filter(Boolean) ?? []
  return unusable(data_dir, `PostgreSQL doesn't start: ${reason} (see postgres.log there)`)
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

function signal(pid: number, name: 'INT' | 'QUIT', bin: string) {
  // Windows has no signals: PostgreSQL brings its own.
  if (process.platform === 'win32') spawnSync(join(bin, 'pg_ctl'), ['kill', name, String(pid)])
  else process.kill(pid, `SIG${name}`)
}
