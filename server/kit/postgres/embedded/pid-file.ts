import * as fs from 'node:fs'
import { join } from 'node:path'
import { errorCode } from '../../problem.ts'
import { waitFor } from './wait.ts'

const written_within_ms = 1_000

/** PostgreSQL's main process, from its postmaster.pid. */
export interface Postmaster {
  pid: number
  port: number
  status: string
}

/** The cluster's running postmaster, no matter which process started it. */
export function findPostmaster(cluster: string): Postmaster | undefined {
  const lines = readPidFile(cluster)?.split('\n') ?? []
  const pid = Number(lines[0])
  if (!isPostmaster(pid, cluster)) return undefined
  return { pid, port: Number(lines[3]), status: (lines[7] ?? '').trim() }
}

/** Whether the last postmaster still runs, or has ended without a clean stop, which removes its file. */
export const hasPidFile = (cluster: string): boolean => fs.existsSync(pidFile(cluster))

/**
 * Whether the process is the cluster's postmaster. On Linux this checks the command line. On other systems, and while
 * that can't be read, it trusts the process id: a lack of handles must not look like a PostgreSQL that has stopped.
 */
export function isPostmaster(pid: number, cluster: string): boolean {
  if (!(pid > 0)) return false
  if (process.platform !== 'linux') return isOwnProcess(pid)
  try {
    const [program = '', , folder] = fs.readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0')
    return program.endsWith('/postgres') && folder === cluster
  } catch (error) {
    const is_gone = ['ENOENT', 'ESRCH'].includes(errorCode(error) ?? '')
    return !is_gone && isOwnProcess(pid)
  }
}

/** Needs no handle. A process that we may not signal belongs to another user, so it is no PostgreSQL of ours. */
function isOwnProcess(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

/**
 * The process id in the file if it is not a running postmaster, otherwise 0. A crash during the write leaves a file without
 * an id, with which PostgreSQL would not start, so that file is removed.
 */
export async function stalePid(cluster: string): Promise<number> {
  const read = () => {
    const text = readPidFile(cluster)
    return text === undefined ? 0 : Number.parseInt(text, 10) || undefined
  }
  const pid = await waitFor(written_within_ms, read)
  if (pid === undefined) fs.rmSync(pidFile(cluster), { force: true })
  return pid && !isPostmaster(pid, cluster) ? pid : 0
}

function readPidFile(cluster: string): string | undefined {
  try {
    return fs.readFileSync(pidFile(cluster), 'utf8')
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return undefined
    throw error
  }
}

function pidFile(cluster: string): string {
  return join(cluster, 'postmaster.pid')
}
