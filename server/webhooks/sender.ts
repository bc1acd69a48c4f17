import { type FlightOptions, openFlights } from './attempts-in-flight.ts'

const look_every_ms = 500

export interface Sender {
  /** Waits a little for what is on its way, and leaves the rest to others. */
  stop: () => Promise<void>
}

/** Sends what is due: at once what this process has written, and the rest when it is next looked for. */
export function openSender(options: FlightOptions): Sender {
  const { pool, log } = options
  const flights = openFlights(options)
  let looking: Promise<void> | undefined
  const look = async () => {
    try {
      await flights.look()
    } catch (error) {
      log.warn({ err: error }, 'looking for deliveries failed')
    }
    looking = undefined
  }
  const deafen = pool.subscribe(({ topic, workspace }) => {
    try {
      if (topic === 'deliveries') flights.send(workspace)
    } catch (error) {
      log.error({ err: error }, 'sending did not begin')
    }
  })
  const timer = setInterval(() => {
    looking ??= look()
  }, look_every_ms)
  return {
    stop: async () => {
      clearInterval(timer)
      deafen()
      await Promise.all([looking, flights.stop()])
    },
  }
}

/** Sends all that is due in one workspace, and comes back. */
export async function sendAll(options: FlightOptions, workspace: string): Promise<void> {
  const flights = openFlights(options)
  flights.send(workspace)
  await flights.settled()
  await flights.look(workspace)
  await flights.stop()
}
