import { setTimeout as sleep } from 'node:timers/promises'
import { errorMessage } from '../../problem.ts'
import { findPostmaster, isPostmaster, type Postmaster } from './pid-file.ts'
import { type Installation, startPostmaster, stopPostmaster } from './postmaster.ts'
import { SetupError } from './setup-error.ts'

const check_every_ms = 100
const retry_after_ms = 2_000

export interface Supervisor {
  /** The running postmaster, or the last one. Each start uses another port. */
  postmaster: () => Postmaster
  close: () => Promise<void>
}

/** Starts PostgreSQL, and restarts it when it crashes until a start succeeds. */
export async function supervisePostmaster(
  installation: Installation,
  warn: (line: string) => void,
): Promise<Supervisor> {
  let postmaster = await startPostmaster(installation)
  let is_closing = false
  let is_starting = false

  async function restart(): Promise<void> {
    warn(`PostgreSQL (pid ${postmaster.pid}) has stopped: restarting it`)
    for (let last_message = ''; !is_closing; ) {
      try {
        postmaster = await startPostmaster(installation, () => is_closing)
        return warn(`PostgreSQL is running again (pid ${postmaster.pid})`)
      } catch (error) {
        if (is_closing) return
        const message = toMessage(error)
        if (message !== last_message) warn(message)
        last_message = message
        await sleep(retry_after_ms, undefined, { ref: false })
      }
    }
  }

  const watch = setInterval(() => {
    if (is_starting || isPostmaster(postmaster.pid, installation.cluster)) return
    is_starting = true
    void restart().finally(() => {
      is_starting = false
    })
  }, check_every_ms).unref()

  return {
    postmaster: () => postmaster,
    async close() {
      is_closing = true
      clearInterval(watch)
      await stopPostmaster(postmaster, installation.cluster)
      // A restart in progress may still start a new postmaster.
      while (is_starting) {
        const started = findPostmaster(installation.cluster)
        if (started) await stopPostmaster(started, installation.cluster)
        else await sleep(check_every_ms)
      }
      const started = findPostmaster(installation.cluster)
      if (started) await stopPostmaster(started, installation.cluster)
    },
  }
}

const toMessage = (error: unknown): string =>
  error instanceof SetupError ? error.message : `PostgreSQL does not start: ${errorMessage(error)}`
