import { type DispatcherOptions, openDispatcher } from './dispatcher.ts'

const renew_every_ms = 500

export interface Sender {
  /** Sends the due deliveries of the workspace. Polled work may have been committed late, or by another process. */
  send: (workspace: string, is_polled: boolean) => void
  /** Waits a little for attempts in flight. Other processes send the rest. */
  stop: () => Promise<void>
}

export function openSender(options: DispatcherOptions): Sender {
  const dispatcher = openDispatcher(options)
  let renewing: Promise<void> | undefined
  const renew = async () => {
    try {
      await dispatcher.renewLeases()
    } catch (error) {
      options.log.warn({ err: error }, 'the leases of deliveries could not be renewed')
    }
    renewing = undefined
  }
  const timer = setInterval(() => {
    renewing ??= renew()
  }, renew_every_ms)
  return {
    send: (workspace, is_polled) => (is_polled ? dispatcher.sendAgain(workspace) : dispatcher.send(workspace)),
    stop: async () => {
      clearInterval(timer)
      await Promise.all([renewing, dispatcher.stop()])
    },
  }
}

/** For tests. Sends all due deliveries of one workspace, then returns. */
export async function sendAll(options: DispatcherOptions, workspace: string): Promise<void> {
  const dispatcher = openDispatcher(options)
  dispatcher.send(workspace)
  await dispatcher.idle()
  dispatcher.sendAgain(workspace)
  await dispatcher.idle()
  await dispatcher.stop()
}
