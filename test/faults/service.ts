import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import fs from 'node:fs'
import net, { type AddressInfo } from 'node:net'
import path from 'node:path'
import * as api_keys from '../../server/api-keys/store.ts'
import { newToken } from '../../server/api-keys/token.ts'
import * as clocks from '../../server/clocks/store.ts'
import { readConfig } from '../../server/config.ts'
import { atWall, inTransaction } from '../../server/kit/at.ts'
import { newId } from '../../server/kit/id.ts'
import { baseFolder, openEmbedded } from '../../server/kit/postgres/embedded/embedded.ts'
import { findPostmaster } from '../../server/kit/postgres/embedded/pid-file.ts'
import { makeFolder } from '../../server/kit/postgres/embedded/user.ts'
import { openPool, type Pool } from '../../server/kit/postgres/pool.ts'
import { product } from '../../server/product.ts'
import { openService } from '../../server/service.ts'
import * as workspaces from '../../server/workspaces/store.ts'
import { parley, type Running, startFile } from '../support/process.ts'

export const checkout = path.resolve(import.meta.dirname, '../..')

/** A server in its own processes, started as a user starts it. */
export interface Service {
  /** Without a path. */
  url: string
  running: Running
  /** The process id of the server, not of its launcher. */
  pid: number
  /** Sends SIGTERM. Fails if the exit status is not 0. */
  stop: () => Promise<void>
  /** Kills the server and its launcher, which would restart it. */
  kill: () => Promise<void>
}

/** A temporary folder that PostgreSQL's user can access. */
export function makeTempFolder(stack: AsyncDisposableStack, name: string): string {
  const folder = path.join(baseFolder(checkout, product.short_name), '.cache', `faults-${name}-${process.pid}`)
  makeFolder(folder)
  stack.defer(() => fs.promises.rm(folder, { recursive: true, force: true, maxRetries: 10 }))
  return folder
}

export async function startService(
  stack: AsyncDisposableStack,
  environment: Record<string, string>,
  root = checkout,
  processes = 1,
  more: string[] = [],
): Promise<Service> {
  const options = [...(processes > 1 ? ['--processes', String(processes)] : []), ...more]
  const running = parley(['serve', ...options], { ...default_settings, ...environment }, '', root)
  return untilReady(stack, running, greeting)
}

/** Starts a process that does background work, and dials at the carrier at CARRIER_URL. */
export function startWorkerProcess(stack: AsyncDisposableStack, environment: Record<string, string>): Promise<Service> {
  const words = ['test/peers/serve.ts', 'serve', '--only', 'worker']
  return untilReady(stack, startFile(words, { ...default_settings, ...environment }), /runs background work/)
}

const default_settings = { PORT: '0', LOG_LEVEL: 'warn', RATE_LIMIT_PER_SECOND: '0' }
/** The first group is the URL. */
const greeting = /Base address +(\S+)\/api\/v1/

async function untilReady(stack: AsyncDisposableStack, running: Running, pattern: RegExp): Promise<Service> {
  const { child } = running
  const endWithThisProcess = () => void child.kill()
  process.once('exit', endWithThisProcess)
  void running.ended.then(() => process.removeListener('exit', endWithThisProcess))
  const hasEnded = () => child.exitCode !== null || child.signalCode !== null
  stack.defer(async () => {
    if (!hasEnded()) child.kill('SIGTERM')
    await running.ended
  })
  const [, url = ''] = await running.says(pattern)
  const [pid = 0] = childrenOf(child.pid ?? 0)
  return {
    url,
    running,
    pid,
    async stop() {
      child.kill('SIGTERM')
      const { code, stderr } = await running.ended
      if (code !== 0) throw new Error(`the server exited with ${code}:\n${stderr}`)
    },
    async kill() {
      process.kill(pid, 'SIGKILL')
      child.kill('SIGKILL')
      await running.ended
    },
  }
}

/** For a service that has the same address after each start. */
export async function findFreePort(): Promise<number> {
  const server = net.createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  return port
}

/** Runs `work` with a pool on the database of the service that runs in this DATA_DIR. */
export async function withEmbeddedPool<T>(data_dir: string, work: (pool: Pool) => Promise<T>): Promise<T> {
  const { url } = await openEmbedded({ checkout, name: product.short_name, data_dir, as: 'command', say() {} })
  return withPool(url, work)
}

export async function withPool<T>(url: string, work: (pool: Pool) => Promise<T>): Promise<T> {
  const pool = openPool({ url, size: 1, onError: () => {} })
  try {
    return await work(pool)
  } finally {
    await pool.close()
  }
}

export interface Tenant {
  workspace: string
  key: string
}

/** Creates a workspace with a key. */
export const newTenant = (pool: Pool, scopes: string[] | null = null): Promise<Tenant> =>
  createTenant(pool, { kind: 'live', scopes })

/** Creates a test workspace with a key. */
export const newTestTenant = (pool: Pool): Promise<Tenant> => createTenant(pool, { kind: 'test', scopes: null })

async function createTenant(
  pool: Pool,
  { kind, scopes }: { kind: 'live' | 'test'; scopes: string[] | null },
): Promise<Tenant> {
  const service = openService(pool, readConfig({}), () => '')
  return inTransaction(atWall(service, ''), async (at) => {
    const workspace = await workspaces.create(at, { name: `faults ${newId()}`, kind })
    if (!workspace) throw new Error('the name is taken')
    const inWorkspace = { ...at, workspace: workspace.id }
    if (kind === 'test') await clocks.create(inWorkspace, { seed: clocks.default_seed })
    const token = newToken()
    await api_keys.create(inWorkspace, { token, key: { name: 'faults', scopes, expires_at: null } })
    return { workspace: workspace.id, key: token }
  })
}

export function postmasterPid(data_dir: string): number {
  const postmaster = findPostmaster(path.join(data_dir, 'postgres'))
  if (!postmaster) throw new Error('PostgreSQL is not running')
  return postmaster.pid
}

/** The process ids of its child processes. */
export function childrenOf(parent: number): number[] {
  const list = execFileSync('ps', ['-A', '-o', 'pid=,ppid='], { encoding: 'utf8' })
  return list.split('\n').flatMap((line) => {
    const [pid = 0, ppid] = line.trim().split(/\s+/).map(Number)
    return ppid === parent ? pid : []
  })
}

export function residentBytes(pid: number): number {
  return Number(execFileSync('ps', ['-o', 'rss=', '-p', String(pid)], { encoding: 'utf8' })) * 1024
}

/** Undefined on systems other than Linux. */
export function fileHandles(pid: number): number | undefined {
  return process.platform === 'linux' ? fs.readdirSync(`/proc/${pid}/fd`).length : undefined
}
