import { openSending, type SendingOptions } from './sending.ts'

const renew_every_ms = 500

export interface Sender {
  /** Sends the due deliveries of the workspace. Polled work may have been committed late, or by another process. */
  send: (workspace: string, is_polled: boolean) => void
  /** Waits a little for attempts in flight. Other processes send the rest. */
  stop: () => Promise<void>
}

export function openSender(options: SendingOptions): Sender {
  const sending = openSending(options)
  let renewing: Promise<void> | undefined
  const renew = async () => {
    try {
      await sending.renewLeases()
    } catch (error) {
      options.log.warn({ err: error }, 'the leases of deliveries could not be renewed')
    }
    renewing = undefined
  }
  const timer = setInterval(() => {
    renewing ??= renew()
  }, renew_every_ms)
  return {
    send: (workspace, is_polled) => (is_polled ? sending.sendAgain(workspace) : sending.send(workspace)),
    stop: async () => {
      clearInterval(timer)
      await Promise.all([renewing, sending.stop()])
    },
  }
}

/** Sends all due deliveries of one workspace, then returns. */
export async function sendAll(options: SendingOptions, workspace: string): Promise<void> {
  const sending = openSending(options)
  sending.send(workspace)
  await sending.idle()
  sending.sendAgain(workspace)
  await sending.idle()
  await sending.stop()
}
