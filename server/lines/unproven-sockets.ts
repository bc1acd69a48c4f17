import type { Duplex } from 'node:stream'
import type { WebSocket } from 'ws'

/**
 * Beyond these, the socket that has waited longest makes room, because clients with a token show it at once. The
 * carriers of all calls come from a few networks, and others can have them open sockets: so no network is locked out.
 */
const silent_max = 64
const silent_per_network_max = 8
/** Beyond this, no socket is opened: the database is slow, and tokens that are being checked come first. */
const checked_max = 500

/** Sockets that have not shown a valid token. */
export interface UnprovenSockets {
  /** Disconnects all sockets that have not shown a valid token. */
  terminateAll: () => void
  /** Whether too many tokens are being checked at the moment. */
  readonly is_full: boolean
  /** Adds a connection that asks for a socket. It counts from now on, and is destroyed when it has to make room. */
  add: (connection: Duplex, network: string) => void
  /** Counts the open socket instead of its connection. */
  open: (connection: Duplex, socket: WebSocket) => void
  /** Whether the socket has shown no token, or one that was refused. */
  isSilent: (socket: WebSocket) => boolean
  /** Notes that the socket has shown a token, which is checked now. It makes room for nobody meanwhile. */
  beginCheck: (socket: WebSocket) => void
  /** Closes a socket without a valid token. It counts as silent until the other side has closed it as well. */
  close: (socket: WebSocket, code: number) => void
  /** Stops counting a socket, because its token is valid. */
  remove: (socket: WebSocket) => void
}

export function openUnprovenSockets(): UnprovenSockets {
  const silent = new Map<Duplex | WebSocket, string>()
  const checked = new Map<WebSocket, string>()
  const terminate = (one: Duplex | WebSocket) => {
    silent.delete(one)
    if ('terminate' in one) one.terminate()
    else one.destroy()
  }
  /** Returns the oldest socket of the network with most of them, if one must make room. */
  const findToRemove = (network: string) => {
    const networks = Map.groupBy(silent, ([, of]) => of)
    const own = networks.get(network) ?? []
    if (own.length >= silent_per_network_max) return own[0]
    if (silent.size < silent_max) return undefined
    return [...networks.values()].reduce((most, other) => (other.length > most.length ? other : most))[0]
  }
  const addSilent = (one: Duplex | WebSocket, network: string) => {
    const [removed] = findToRemove(network) ?? []
    if (removed) terminate(removed)
    silent.set(one, network)
  }
  const remove = (socket: WebSocket) => {
    silent.delete(socket)
    checked.delete(socket)
  }
  return {
    terminateAll() {
      for (const one of [...silent.keys(), ...checked.keys()]) terminate(one)
    },
    get is_full() {
      return checked.size >= checked_max
    },
    add(connection, network) {
      addSilent(connection, network)
      connection.once('close', () => silent.delete(connection))
    },
    open(connection, socket) {
      const network = silent.get(connection)
      silent.delete(connection)
      if (network !== undefined) silent.set(socket, network)
      socket.once('close', () => remove(socket))
    },
    isSilent: (socket) => silent.has(socket),
    beginCheck(socket) {
      const network = silent.get(socket)
      if (network === undefined) return
      silent.delete(socket)
      checked.set(socket, network)
    },
    close(socket, code) {
      const network = checked.get(socket)
      checked.delete(socket)
      if (network !== undefined) addSilent(socket, network)
      socket.close(code)
    },
    remove,
  }
}
