import { setTimeout as sleep } from 'node:timers/promises'
import { findPostmaster, isPostmaster, type Postmaster } from './pid-file.ts'
import { type Site, startPostmaster, stopPostmaster } from './postmaster.ts'
import { SetupError } from './setup-error.ts'

const look_every_ms = 100
const pause_ms = 2_000

export interface Keeper {
  /** The running one, or the last that ran. After each start the port is another. */
  postmaster: () => Postmaster
  close: () => Promise<void>
}

/** Starts a PostgreSQL and, when it ends without being asked to, starts it again until that succeeds. */
export async function keepPostmaster(site: Site, warn: (line: string) => void): Promise<Keeper> {
  let postmaster = await startPostmaster(site)
  let is_closing = false
  let is_starting = false

  async function startAgain(): Promise<void> {
    warn(`PostgreSQL (pid ${postmaster.pid}) has ended: starting it again`)
    for (let complaint = ''; !is_closing; ) {
      try {
        postmaster = await startPostmaster(site, () => is_closing)
        return warn(`PostgreSQL runs again (pid ${postmaster.pid})`)
      } catch (error) {
        if (is_closing) return
        // The same complaint is not repeated at each attempt.
        if (complaint !== messageOf(error)) warn(messageOf(error))
        complaint = messageOf(error)
        await sleep(pause_ms, undefined, { ref: false })
      }
    }
  }

  const watch = setInterval(() => {
    if (is_starting || isPostmaster(postmaster.pid, site.cluster)) return
    is_starting = true
    void startAgain().finally(() => {
      is_starting = false
    })
  }, look_every_ms).unref()

  return {
    postmaster: () => postmaster,
    async close() {
      is_closing = true
      clearInterval(watch)
      await stopPostmaster(postmaster, site)
      // A start that is under way ends with what it has begun.
      while (is_starting) {
        const begun = findPostmaster(site.cluster)
        if (begun) await stopPostmaster(begun, site)
        else await sleep(look_every_ms)
      }
      const begun = findPostmaster(site.cluster)
      if (begun) await stopPostmaster(begun, site)
    },
  }
}

const messageOf = (error: unknown): string =>
  error instanceof SetupError ? error.message : `PostgreSQL doesn't start: ${Object(error).message}`
