import { once } from 'node:events'
import net from 'node:net'

/** A TCP proxy in front of a database, which can refuse connections or stop responding while its URL stays the same. */
export interface DatabaseProxy {
  /** The URL of the database with the port of the proxy. */
  url: string
  /** Forwards connections to the database at this URL. */
  forwardTo: (url: string) => void
  /** Closes all connections and refuses new ones, as a stopped database does. */
  refuse: () => void
  /** Forwards nothing and closes nothing, as in a network failure. */
  stopForwarding: () => void
}

export async function openDatabaseProxy(stack: AsyncDisposableStack, target: string): Promise<DatabaseProxy> {
  let port = Number(new URL(target).port)
  let state: 'forwarding' | 'refusing' | 'unresponsive' = 'forwarding'
  const pairs = new Set<[net.Socket, net.Socket]>()
  const end = () => {
    for (const pair of pairs) for (const socket of pair) socket.destroy()
  }
  const server = net.createServer((inner) => {
    if (state === 'refusing') return void inner.destroy()
    const outer = net.connect(port, '127.0.0.1')
    const pair: [net.Socket, net.Socket] = [inner, outer]
    pairs.add(pair)
    for (const socket of pair) {
      socket.setNoDelay(true)
      const [other] = pair.filter((one) => one !== socket)
      socket.on('data', (bytes) => other?.write(bytes))
      socket.on('error', () => {})
      socket.on('close', () => {
        other?.destroy()
        pairs.delete(pair)
      })
      if (state === 'unresponsive') socket.pause()
    }
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  stack.defer(() => {
    end()
    server.close()
  })
  const address = new URL(target)
  address.port = String((server.address() as net.AddressInfo).port)
  return {
    url: address.href,
    forwardTo(url) {
      port = Number(new URL(url).port)
      state = 'forwarding'
      for (const pair of pairs) for (const socket of pair) socket.resume()
    },
    refuse() {
      state = 'refusing'
      end()
    },
    stopForwarding() {
      state = 'unresponsive'
      for (const pair of pairs) for (const socket of pair) socket.pause()
    },
  }
}
