import { isObject } from '../kit/json.ts'
import type { Shell } from './shell.ts'

/** The message that the service is ready, which the launcher (bin/run.mjs) needs to start it again after a crash. */
interface Ready {
  port: number
  /** The folder of the embedded PostgreSQL, if that is used. */
  data_dir: string | undefined
  /** The number of processes of the service that the launcher starts. */
  processes: number
}

/** Asks for metrics, or answers with them. `text` has the metrics of this process. */
interface MetricsMessage {
  type: 'metrics' | 'metrics of others wanted'
  text: string
}

/** A message in a stop: a signal has arrived, live calls are over, or a second signal has ended them. */
type StopMessage = 'stopping' | 'drained' | 'calls ended'

/** Sends a message to the launcher. Does nothing without a launcher, or when it has ended. */
export function notifyLauncher(shell: Shell, message: StopMessage | Ready | MetricsMessage): Promise<void> {
  return new Promise((resolve) => {
    if (shell.connected && shell.send) shell.send(message, undefined, undefined, () => resolve())
    else resolve()
  })
}

/** The facts that the launcher tells about other processes of the service. */
export interface Others {
  /** The metrics of the process that this one replaces after a crash. */
  metrics_before: string
  /** Whether the live calls of the others are over, too, in a stop. */
  are_drained: boolean
  have_ended: Promise<void>
}

/**
 * Follows the other processes. Call it at once, because the first message may be waiting. Nothing more is known of
 * others when the launcher has ended. `endCalls` is called when a second signal has reached another process.
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
