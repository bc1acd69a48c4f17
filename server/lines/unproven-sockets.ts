import type { WebSocket } from 'ws'
import * as clock from '../kit/clock.ts'
import { openRateLimit } from '../kit/limits/rate.ts'

/** Beyond these the one that has waited longest makes room: who has a token shows it at once. */
const sockets_max = 500

export interface UnprovenLimits {
  /** Beyond these a socket is closed with a message, and beyond twice as many it is not even opened. */
  per_network_max: number
  refused_tokens_per_minute_max: number
}

/** Sockets that have not shown a valid token, also those that were refused and are not yet closed. */
export interface UnprovenSockets {
  all: () => Iterable<WebSocket>
  /** Whether the network has too many. `times` multiplies the limit. */
  areTooMany: (network: string, times?: number) => boolean
  /** It counts until it is closed, or has shown a valid token. */
  add: (socket: WebSocket, network: string) => void
  remove: (socket: WebSocket) => void
  noteRefusedToken: (network: string) => void
  /** How long the network has to wait, because too many of its tokens were refused. 0 if it may try. */
  waitSeconds: (network: string) => number
}

export function openUnprovenSockets(limits: UnprovenLimits): UnprovenSockets {
  const { per_network_max, refused_tokens_per_minute_max } = limits
  const networks = new Map<WebSocket, string>()
  const refused_tokens = openRateLimit(refused_tokens_per_minute_max, 60)
  const countOf = (network: string) => networks.values().reduce((sum, other) => sum + (other === network ? 1 : 0), 0)
  return {
    all: () => networks.keys(),
    areTooMany: (network, times = 1) => countOf(network) >= times * per_network_max,
    add(socket, network) {
      const oldest = networks.size < sockets_max ? undefined : networks.keys().next().value
      if (oldest) {
        networks.delete(oldest)
        oldest.terminate()
      }
      networks.set(socket, network)
      socket.once('close', () => networks.delete(socket))
    },
    remove: (socket) => void networks.delete(socket),
    noteRefusedToken: (network) => void refused_tokens.count(network, clock.ticks()),
    waitSeconds: (network) => refused_tokens.waitSeconds(network, clock.ticks()),
  }
}
