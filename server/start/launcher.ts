import { isObject } from '../kit/json.ts'
import type { Shell } from './shell.ts'

/** The launcher (bin/run.mjs) needs this to start the service again after a crash. */
interface Ready {
  port: number
  /** The folder of the embedded PostgreSQL, if that is used. */
  data_dir: string | undefined
  /** It starts as many of the service. */
  processes: number
}

/** For another process, or for this one: `text` are its own metrics. */
interface MetricsMessage {
  type: 'metrics' | 'metrics of others wanted'
  text: string
}

/** In a stop: a signal has arrived, live calls are over, or a second signal has ended them. */
type StopMessage = 'stopping' | 'drained' | 'calls ended'

/** Does nothing without a launcher, or when it has ended. */
export function notifyLauncher(shell: Shell, message: StopMessage | Ready | MetricsMessage): Promise<void> {
  return new Promise((resolve) => {
    if (shell.connected && shell.send) shell.send(message, undefined, undefined, () => resolve())
    else resolve()
  })
}

/** What the launcher says of other processes of the service. */
export interface Others {
  /** The metrics of the process that this one replaces after a crash. */
  metrics_before: string
  /** In a stop: whether their live calls are over too. */
  are_drained: boolean
  have_ended: Promise<void>
}

/**
 * Call it at once: the first message may be waiting. Nothing more is known of others when the launcher has ended. `endCalls` is
 * called when a second signal has reached another process.
 */
export function followOthers(shell: Shell, processes: number, endCalls: () => void): Others {
  const { promise, resolve } = Promise.withResolvers<void>()
  const others: Others = { metrics_before: '', are_drained: false, have_ended: promise }
  const endFollowing = () => {
    others.are_drained = true
    resolve()
  }
  if (processes === 1) endFollowing()
  shell.on('message', (message) => {
    if (isObject(message) && message.type === 'metrics before') others.metrics_before = String(message.text)
    if (message === 'all drained') others.are_drained = true
    if (message === 'end calls') endCalls()
    if (message === 'others ended') endFollowing()
  })
  shell.on('disconnect', endFollowing)
  return others
}
