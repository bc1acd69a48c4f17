import type { Shell } from './shell.ts'

/** The launcher (bin/run.mjs) needs this to start the service again after a crash. */
interface Ready {
  port: number
  /** The folder of the embedded PostgreSQL, if that is used. */
  data_dir: string | undefined
  /** It starts as many of the service. */
  processes: number
}

/** Does nothing without a launcher, or when it has ended. */
export function notifyLauncher(shell: Shell, message: 'stopping' | 'drained' | Ready): Promise<void> {
  return new Promise((resolve) => {
    if (shell.connected && shell.send) shell.send(message, undefined, undefined, () => resolve())
    else resolve()
  })
}

/** The other processes of the service during a stop. */
export interface Others {
  /** Whether their live calls are over too. */
  are_drained: boolean
  have_ended: Promise<void>
}

/** Follows what the launcher says of them. Nothing more is known when it has ended. */
export function followOthers(shell: Shell, processes: number): Others {
  const { promise, resolve } = Promise.withResolvers<void>()
  const others: Others = { are_drained: false, have_ended: promise }
  const endFollowing = () => {
    others.are_drained = true
    resolve()
  }
  if (processes === 1) endFollowing()
  shell.on('message', (message) => {
    if (message === 'all drained') others.are_drained = true
    if (message === 'others ended') endFollowing()
  })
  shell.on('disconnect', endFollowing)
  return others
}
