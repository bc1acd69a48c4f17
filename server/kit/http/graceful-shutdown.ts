import type { Server } from 'node:http'
import net from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import * as clock from '../clock.ts'

/** How long connections are kept that rest between two requests: the next one is told that it is the last. */
const farewell_ms = 500
const look_every_ms = 25
/** For what is under way after that. */
const drain_ms = 3_500

/** Takes no more connections, lets those that are there come to their end, then breaks off and closes what is left. */
export async function closeGently(server: Server, close: () => Promise<unknown>, breakOff: () => void): Promise<void> {
  // The web server's own close would at once end those that rest, and with them requests that are on their way.
  net.Server.prototype.close.call(server)
  const until = clock.ticks() + farewell_ms
  while (clock.ticks() < until && (await connectionsOf(server)) > 0) await sleep(look_every_ms)
  const closing = close()
  await Promise.race([closing, sleep(drain_ms)])
  breakOff()
  server.closeAllConnections()
  await closing
}

const connectionsOf = (server: Server): Promise<number> =>
  new Promise((resolve, reject) => server.getConnections((error, count) => (error ? reject(error) : resolve(count))))
