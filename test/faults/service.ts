import { execFileSync } from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'
import { openService } from '../../server/api.ts'
import * as api_keys from '../../server/api-keys/store.ts'
import { readConfig } from '../../server/config.ts'
import { atNow, inTransaction } from '../../server/kit/at.ts'
import * as clock from '../../server/kit/clock.ts'
import { newId } from '../../server/kit/id.ts'
import { baseFolder, openEmbedded } from '../../server/kit/postgres/embedded/embedded.ts'
import { findPostmaster } from '../../server/kit/postgres/embedded/pid-file.ts'
import { makeFolder } from '../../server/kit/postgres/embedded/user.ts'
import { openPool, type Pool } from '../../server/kit/postgres/pool.ts'
import { product } from '../../server/product.ts'
import * as workspaces from '../../server/workspaces/store.ts'
import { parley, type Running } from '../support/process.ts'

export const checkout = path.resolve(import.meta.dirname, '../..')

/** A server as a user starts it, in processes of its own. */
export interface Service {
  /** The address without a path. */
  url: string
  running: Running
  /** The process that serves, below the launcher. */
  pid: number
  /** In good order; fails when it ends with a complaint. */
  stop: () => Promise<void>
  /** At once, with the launcher, which would start it again. */
  kill: () => Promise<void>
}

/** A folder that is gone afterwards, and that PostgreSQL's user can enter. */
export function folderFor(stack: AsyncDisposableStack, name: string): string {
  const folder = path.join(baseFolder(checkout, product.short_name), '.cache', `faults-${name}-${process.pid}`)
  makeFolder(folder)
  stack.defer(() => fs.promises.rm(folder, { recursive: true, force: true, maxRetries: 10 }))
  return folder
}

export async function startService(stack: AsyncDisposableStack, environment: Record<string, string>): Promise<Service> {
  const running = parley(['serve'], { PORT: '0', LOG_LEVEL: 'warn', RATE_LIMIT_PER_SECOND: '0', ...environment })
  const { child } = running
  const endWithUs = () => void child.kill()
  process.once('exit', endWithUs)
  void running.ended.then(() => process.removeListener('exit', endWithUs))
  const hasEnded = () => child.exitCode !== null || child.signalCode !== null
  stack.defer(async () => {
    if (!hasEnded()) child.kill('SIGTERM')
    await running.ended
  })
  const [, url = ''] = await running.says(/Base address +(\S+)\/api\/v1/)
  const [pid = 0] = childrenOf(child.pid ?? 0)
  return {
    url,
    running,
    pid,
    async stop() {
      child.kill('SIGTERM')
      const { code, stderr } = await running.ended
      if (code !== 0) throw new Error(`the server ended with ${code}:\n${stderr}`)
    },
    async kill() {
      process.kill(pid, 'SIGKILL')
      child.kill('SIGKILL')
      await running.ended
    },
  }
}

/** Gives the work a pool over the database of the running service in this DATA_DIR. */
export async function overDatabase<T>(data_dir: string, work: (pool: Pool) => Promise<T>): Promise<T> {
  const { url } = await openEmbedded({ checkout, name: product.short_name, data_dir, as: 'command', say() {} })
  return overUrl(url, work)
}

export async function overUrl<T>(url: string, work: (pool: Pool) => Promise<T>): Promise<T> {
  const pool = openPool({ url, size: 1, on_error: () => {} })
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

/** A fresh workspace with a key of its own. */
export async function newTenant(pool: Pool, scopes: string[] | null = null): Promise<Tenant> {
  const now = clock.now()
  const service = openService(pool, readConfig({}), () => '')
  const workspace = await workspaces.create({ db: pool, now }, `faults ${newId()}`)
  if (!workspace) throw new Error('two ids are the same')
  const token = api_keys.newToken()
  const key = { name: 'faults', scopes, expires_at: null }
  await inTransaction(atNow(service, workspace.id, now), (at) => api_keys.create(at, { token, key }))
  return { workspace: workspace.id, key: token }
}

export function postmasterPid(data_dir: string): number {
  const postmaster = findPostmaster(path.join(data_dir, 'postgres'))
  if (!postmaster) throw new Error('PostgreSQL does not run')
  return postmaster.pid
}

/** The processes that this one has started. */
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

/** Undefined where the system doesn't tell. */
export function fileHandles(pid: number): number | undefined {
  return process.platform === 'linux' ? fs.readdirSync(`/proc/${pid}/fd`).length : undefined
}
