import * as fs from 'node:fs'
import { join, resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { ensureCluster, readPassword } from './cluster.ts'
import { type Holder, type Lock, lockHolder, tryLock } from './lock.ts'
import { findPostmaster, hasPidFile, type Postmaster } from './pid-file.ts'
import { findPrograms } from './programs.ts'
import { SetupError, unusable } from './setup-error.ts'
import { supervisePostmaster } from './supervisor.ts'
import { canEnter, makeFolder, type PostgresUser, postgresUser } from './user.ts'
import { waitFor } from './wait.ts'

export { SetupError } from './setup-error.ts'
export { baseFolder } from './user.ts'

// A server also waits for another server, which may be stopping.
const lock_wait_max_ms = { serve: { serve: 3_000, command: 10_000 }, command: { serve: 30_000, command: 30_000 } }
const share_wait_max_ms = 30_000
const retry_every_ms = 50
const slow_start_ms = 5_000

type Role = 'serve' | 'command'

export interface EmbeddedOptions {
  checkout: string
  /** Names the database, its user, and the folder in /var/lib. */
  name: string
  data_dir: string
  as: Role | 'share'
  /** Prints a line for the person who starts it. */
  say: (line: string) => void
  /** Logs a line when PostgreSQL has crashed. `say` by default. */
  warn?: (line: string) => void
  /** A start that takes longer counts as slow, and `say` gets a line about it. */
  slow_after_ms?: number
}

/** A PostgreSQL 18 from npm with its data in data_dir. It is restarted when it crashes. */
export interface Embedded {
  /** Changes when PostgreSQL is restarted, because its port changes. */
  readonly url: string
  close(): Promise<void>
}

export const hasCluster = (data_dir: string): boolean => fs.existsSync(join(data_dir, 'postgres'))

/**
 * Only one 'serve' can run at a time, and it owns the PostgreSQL. A 'command' shares the PostgreSQL of a running server, or
 * starts it until the command ends. 'share' only uses the running one: it is for the other processes of a server. Throws a SetupError when data_dir can't be used or is in use.
 */
export async function openEmbedded(options: EmbeddedOptions): Promise<Embedded> {
  const data_dir = resolve(options.data_dir)
  try {
    return await openIn(data_dir, options)
  } catch (error) {
    // System errors, such as a missing permission, depend on the folder that the user chose.
    if (!(error instanceof Error && 'code' in error)) throw error
    throw unusable(data_dir, error.message)
  }
}

async function openIn(data_dir: string, options: EmbeddedOptions): Promise<Embedded> {
  const { checkout, name, as, say, warn = say, slow_after_ms = slow_start_ms } = options
  const user = postgresUser()
  makeFolder(data_dir)
  const folder = fs.realpathSync(data_dir)
  checkAccess(folder, user)
  if (as === 'share') return shareRunning(folder, name)
  const { lock, shared } = await lockOrShare(folder, name, as)
  if (!lock) return sharedWith(folder, name, shared)

  const slow = setTimeout(say, slow_after_ms, describeSlowStart(folder))
  try {
    const { bin, major } = findPrograms(checkout, name, user)
    if (!bin.startsWith(checkout))
      say(
        `PostgreSQL runs as the user nobody, who can't enter ${checkout}: its programs are in ${bin}, its data in ${folder}`,
      )
    await ensureCluster(folder, name, { bin, major }, user)
    const password = readPassword(folder)
    const installation = { data_dir: folder, cluster: join(folder, 'postgres'), bin, user }
    const supervisor = await supervisePostmaster(installation, warn)
    return {
      get url() {
        return formatUrl(name, password, supervisor.postmaster())
      },
      async close() {
        await supervisor.close()
        lock.release()
      },
    }
  } catch (error) {
    lock.release()
    throw error
  } finally {
    clearTimeout(slow)
  }
}

function describeSlowStart(data_dir: string): string {
  if (!hasCluster(data_dir)) return 'PostgreSQL is still being set up: the first start takes longer'
  const why = hasPidFile(join(data_dir, 'postgres'))
    ? ': it was not stopped cleanly, so it recovers its data first'
    : ''
  return `PostgreSQL is still starting${why}`
}

function checkAccess(data_dir: string, user: PostgresUser | undefined): void {
  const owner = fs.statSync(join(data_dir, 'postgres'), { throwIfNoEntry: false })?.uid
  const expected = user?.uid ?? process.getuid?.()
  if (owner !== undefined && expected !== undefined && owner !== expected)
    throw unusable(data_dir, `PostgreSQL would run as user ${expected}, but the data belongs to user ${owner}`)
  fs.accessSync(data_dir, fs.constants.R_OK | fs.constants.W_OK | fs.constants.X_OK)
  if (canEnter(user, data_dir)) return
  const why = "as root, PostgreSQL runs as the user nobody, who can't enter it"
  throw unusable(data_dir, `${why}: give others access to it and its parent folders, or choose another folder`)
}

type LockOrShared = { lock: Lock; shared?: never } | { lock?: never; shared: Postmaster }

async function lockOrShare(data_dir: string, name: string, as: Role): Promise<LockOrShared> {
  const path = join(data_dir, 'lock')
  for (let waited_ms = 0; ; waited_ms += retry_every_ms) {
    const lock = tryLock(path, as)
    // The PostgreSQL of a killed server still runs, and other processes of that server may use it: it is not stopped
    // when the command ends.
    const left = lock && as === 'command' && findReady(data_dir)
    if (left) {
      lock.release()
      return { shared: left }
    }
    if (lock) return { lock }
    const holder = lockHolder(path)
    const role = holder?.command === 'serve' ? 'serve' : 'command'
    const shared = as === 'command' && role === 'serve' && findReady(data_dir)
    if (shared) return { shared }
    if (waited_ms >= lock_wait_max_ms[as][role]) throw inUse(data_dir, name, holder)
    await sleep(retry_every_ms)
  }
}

/** Shares the running PostgreSQL, also one whose server was killed: the next server takes it over. */
async function shareRunning(data_dir: string, name: string): Promise<Embedded> {
  const shared = await waitFor(share_wait_max_ms, () => findReady(data_dir))
  if (!shared) throw unusable(data_dir, 'no PostgreSQL runs in it')
  return sharedWith(data_dir, name, shared)
}

/** Shares a PostgreSQL whose owner may start it again, on another port. */
function sharedWith(data_dir: string, name: string, shared: Postmaster): Embedded {
  const password = readPassword(data_dir)
  let last = shared
  return {
    get url() {
      last = findReadyIfReadable(data_dir) ?? last
      return formatUrl(name, password, last)
    },
    close: async () => {},
  }
}

function findReady(data_dir: string): Postmaster | undefined {
  const found = findPostmaster(join(data_dir, 'postgres'))
  return found?.status === 'ready' ? found : undefined
}

function inUse(data_dir: string, name: string, holder: Holder | undefined) {
  const who = holder ? `another ${name} ${holder.command} (pid ${holder.pid})` : 'another process'
  return new SetupError(`DATA_DIR ${data_dir} is in use by ${who}`)
}

/**
 * Undefined while the file of PostgreSQL can't be read, for example for lack of handles: PostgreSQL then runs where it
 * ran before.
 */
function findReadyIfReadable(data_dir: string): Postmaster | undefined {
  try {
    return findReady(data_dir)
  } catch {
    return undefined
  }
}

function formatUrl(name: string, password: string, { port }: Postmaster) {
  return `postgres://${name}:${password}@127.0.0.1:${port}/${name}`
}
