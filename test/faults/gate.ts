import { once } from 'node:events'
import net from 'node:net'

/** Stands before a database, so that it can be away, or silent, at an address that stays. */
export interface Gate {
  /** The database's own address with its own port in it. */
  url: string
  /** Lets connections through to the database at this address. */
  pass: (url: string) => void
  /** Ends all connections and refuses new ones, as when the database has stopped. */
  refuse: () => void
  /** Lets nothing through and closes nothing, as when the network is cut. */
  fallSilent: () => void
}

export async function openGate(stack: AsyncDisposableStack, target: string): Promise<Gate> {
  let port = Number(new URL(target).port)
  let state: 'passing' | 'refusing' | 'silent' = 'passing'
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
      if (state === 'silent') socket.pause()
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
    pass(url) {
      port = Number(new URL(url).port)
      state = 'passing'
      for (const pair of pairs) for (const socket of pair) socket.resume()
    },
    refuse() {
      state = 'refusing'
      end()
    },
    fallSilent() {
      state = 'silent'
      for (const pair of pairs) for (const socket of pair) socket.pause()
    },
  }
}
