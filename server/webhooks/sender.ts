import { openSending, type SendingOptions } from './sending.ts'

const poll_every_ms = 500

export interface Sender {
  /** Waits a few seconds for attempts in flight. Other processes send the rest. */
  stop: () => Promise<void>
}

/** Sends deliveries at once when this process commits them, and polls for all others. */
export function openSender(options: SendingOptions): Sender {
  const { service, log } = options
  const sending = openSending(options)
  let polling: Promise<void> | undefined
  const poll = async () => {
    try {
      await sending.poll()
    } catch (error) {
      log.warn({ err: error }, 'polling for deliveries failed')
    }
    polling = undefined
  }
  const unsubscribe = service.pool.subscribe(({ topic, workspace }) => {
    try {
      if (topic === 'deliveries') sending.send(workspace)
    } catch (error) {
      log.error({ err: error }, 'sending could not start')
    }
  })
  const timer = setInterval(() => {
    polling ??= poll()
  }, poll_every_ms)
  return {
    stop: async () => {
      clearInterval(timer)
      unsubscribe()
      await Promise.all([polling, sending.stop()])
    },
  }
}

/** Sends all due deliveries of one workspace, then returns. */
export async function sendAll(options: SendingOptions, workspace: string): Promise<void> {
  const sending = openSending(options)
  sending.send(workspace)
  await sending.idle()
  await sending.poll(workspace)
  await sending.stop()
}
