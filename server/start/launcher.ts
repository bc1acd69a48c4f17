import type { Shell } from './shell.ts'

/** The launcher (bin/run.mjs) needs this to start the service again after a crash. */
interface Ready {
  port: number
  /** The folder of the embedded PostgreSQL, if that is used. */
  data_dir: string | undefined
}

/** Does nothing without a launcher, or when it has ended. */
export function notifyLauncher(shell: Shell, message: 'stopping' | Ready): Promise<void> {
  return new Promise((resolve) => {
    if (shell.connected && shell.send) shell.send(message, undefined, undefined, () => resolve())
    else resolve()
  })
}
