import type { Server } from 'node:http'
import net from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import * as clock from '../clock.ts'

/** How long idle connections stay open. A request on one of them is answered with `Connection: close`. */
const idle_close_after_ms = 500
const poll_every_ms = 25
/** How long requests in flight may still take after idle connections were closed. */
const drain_ms = 3_500

/** Stops accepting connections, waits for requests in flight, then ends the rest and closes all connections. */
export async function closeGracefully(
  server: Server,
  close: () => Promise<unknown>,
  endRest: () => void,
): Promise<void> {
  // http.Server.close would end idle connections at once, and lose requests that are already on their way.
  net.Server.prototype.close.call(server)
  const until = clock.ticks() + idle_close_after_ms
  while (clock.ticks() < until && (await countConnections(server)) > 0) await sleep(poll_every_ms)
  const closing = close()
  await Promise.race([closing, sleep(drain_ms)])
  endRest()
  server.closeAllConnections()
  await closing
}

const countConnections = (server: Server): Promise<number> =>
  new Promise((resolve, reject) => server.getConnections((error, count) => (error ? reject(error) : resolve(count))))
