import { spawn } from 'node:child_process'
import { once } from 'node:events'
import fs from 'node:fs'
import path from 'node:path'
import { findPostmaster } from '../../server/kit/postgres/embedded/pid-file.ts'
import { waitUntil } from './client.ts'
import { childrenOf } from './service.ts'

/** A worker node of a cluster on this machine. */
export interface WorkerNode {
  port: number
  /** Ends all its processes at once: `immediate` without a checkpoint, `kill` with kill -9. */
  crash: (how: 'immediate' | 'kill') => Promise<void>
  /** Returns when it accepts connections. */
  start: () => Promise<void>
}

/** `folder` is the data folder of a PostgreSQL that runs. It is started again as its owner, with its own program. */
export function openNode(stack: AsyncDisposableStack, folder: string): WorkerNode {
  const found = findPostmaster(folder)
  if (!found) throw new Error(`no PostgreSQL runs in ${folder}`)
  const [program = ''] = fs.readFileSync(path.join(folder, 'postmaster.opts'), 'utf8').split(' ')
  const { uid, gid } = fs.statSync(folder)
  const start = async () => {
    const words = ['-D', folder, '-l', `${folder}.log`, '-w', 'start']
    // Its output is not read: the server that it starts would hold it open.
    const options = { cwd: '/', uid, gid, stdio: 'ignore' } as const
    const [code] = await once(spawn(path.join(path.dirname(program), 'pg_ctl'), words, options), 'exit')
    if (code !== 0) throw new Error(`the PostgreSQL in ${folder} did not start: pg_ctl exited with ${code}`)
  }
  stack.defer(async () => {
    if (!findPostmaster(folder)) await start()
  })
  return {
    port: found.port,
    start,
    async crash(how) {
      const pid = findPostmaster(folder)?.pid
      if (!pid) throw new Error(`no PostgreSQL runs in ${folder}`)
      const pids = how === 'kill' ? [pid, ...childrenOf(pid)] : [pid]
      for (const each of pids) endProcess(each, how === 'kill' ? 'SIGKILL' : 'SIGQUIT')
      await waitUntil('the node is down', () => !findPostmaster(folder))
    },
  }
}

/** A process may already have ended. */
function endProcess(pid: number, signal: 'SIGKILL' | 'SIGQUIT'): void {
  try {
    process.kill(pid, signal)
  } catch (error) {
    if (Object(error).code !== 'ESRCH') throw error
  }
}
