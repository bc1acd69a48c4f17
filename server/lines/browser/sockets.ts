import type { RawData, WebSocket } from 'ws'
import { type ClaimedCall, isAwaited, newSocketToken, parseSocketToken, type SocketToken } from '../../calls/claim.ts'
import { liveCalls } from '../../calls/live-calls.ts'
import { setSocketTokens } from '../../calls/rows.ts'
import { type AtOutside, atWorkspace, type Service } from '../../kit/at.ts'
import * as clock from '../../kit/clock.ts'
import type { Upgrade } from '../../kit/http/app.ts'
import { openRateLimit } from '../../kit/limits/rate.ts'
import type { Log } from '../../kit/log.ts'
import { isUnavailable } from '../../kit/postgres/errors.ts'
import { untilAvailable } from '../../kit/postgres/until-available.ts'
import type { HeldCall, LiveSockets, Opener } from '../live-sockets.ts'
import { close_codes, type FromClient, type FromService, parseMessage } from './protocol.ts'
import { BrowserWire } from './wire.ts'

/** This is larger than all messages of the protocol. */
const message_bytes_max = 4 * 1024
const start_within_ms = 5_000
/** A network may show this many refused tokens. */
const refused_tokens_per_minute_max = 60
/** While the database is slow, a client that comes back doesn't wait longer for the write of its token. */
const token_write_max_ms = 500

type Start = Extract<FromClient, { type: 'start' }> & Opener

/** The sockets of calls in browsers. */
export function openBrowserSockets(sockets: LiveSockets, { service, log }: { service: Service; log: Log }): Upgrade {
  const { upgrade, unproven, calls, drive } = sockets.openServer<BrowserWire>({
    message_bytes_max,
    accept,
    refuse: (socket) => refuse(socket, busy),
  })
  const refused_tokens = openRateLimit(refused_tokens_per_minute_max, 60)

  function accept(socket: WebSocket, opener: Opener): void {
    const timer = setTimeout(() => unproven.close(socket, close_codes.invalid), start_within_ms)
    socket.once('close', () => clearTimeout(timer))
    socket.once('message', (data: RawData, is_binary: boolean) => {
      clearTimeout(timer)
      if (socket.readyState !== socket.OPEN) return
      const message = is_binary ? undefined : parseMessage(data)
      if (message?.type !== 'start') return refuse(socket, not_started)
      unproven.beginCheck(socket)
      begin(socket, { ...message, ...opener }).catch((error: unknown) => {
        if (isUnavailable(error)) return refuse(socket, busy)
        log.error({ err: error }, 'a call in a browser could not be begun')
        refuse(socket, failed)
      })
    })
  }

  async function begin(socket: WebSocket, start: Start): Promise<void> {
    const wait_seconds = refused_tokens.waitSeconds(start.network, clock.ticks())
    if (wait_seconds > 0) return refuse(socket, limited(wait_seconds))
    const token = parseSocketToken(start.token)
    if (!token) return refuseToken(socket, start)
    const known = calls.get(token.call_id)
    if (known?.wire.accepts(token.hash, start)) {
      if (start.sample_rate !== known.wire.sample_rate) return refuse(socket, other_rate)
      if (await comeBack(socket, start, token, known)) return
    }
    // A token that the wire here doesn't know may be of another process, which has taken the call meanwhile: the
    // database knows it.
    const at = await atWorkspace(service, token.workspace)
    const next = newSocketToken(token.workspace, token.call_id)
    const wanted = { line: 'browser' as const, id: token.call_id, token: token.hash, origin: start.origin }
    const isHere = () => {
      const wire = calls.get(token.call_id)?.wire
      return wire !== undefined && (!wire.is_over || wire.has_ended || liveCalls.of(service).hasEnded(token.call_id))
    }
    const connect = (claimed: ClaimedCall) => {
      const wire: BrowserWire = new BrowserWire({
        call_id: claimed.id,
        sample_rate: start.sample_rate,
        origin: claimed.socket_origin,
        tokens: { next: next.hash, before: token.hash },
        now: () => at.now,
        onTokenUsed: () => void keepTokens(at, wire, { tokens: wire.tokens, lease_token: claimed.token }),
      })
      unproven.remove(socket)
      wire.attach(socket, { token: next.text, tokens: { next: next.hash, before: token.hash } })
      return wire
    }
    const outcome = await drive(at, { ...wanted, next_token: next.hash, connect })
    if (outcome === 'busy') return refuse(socket, busy)
    if (outcome !== 'refused') return
    if (!isHere() && (await isAwaited(at, wanted))) return refuse(socket, busy)
    refuseToken(socket, start)
  }

  /**
   * Gives the wire the socket of a client that has lost its connection. Returns false if this process doesn't have the
   * call any more.
   */
  async function comeBack(
    socket: WebSocket,
    start: Start,
    token: SocketToken,
    { wire, lease_token }: HeldCall<BrowserWire>,
  ): Promise<boolean> {
    const at = await atWorkspace(service, token.workspace)
    const next = newSocketToken(token.workspace, token.call_id)
    const tokens = { next: next.hash, before: token.hash }
    if (!(await keepTokens(at, wire, { tokens, lease_token }))) return false
    // Another client may have come back first with the same token.
    const is_first = wire.accepts(token.hash, start)
    if (is_first) {
      unproven.remove(socket)
      wire.attach(socket, { token: next.text, tokens })
      return true
    }
    refuseToken(socket, start)
    // The token of the client that came first is the one that works.
    await keepTokens(at, wire, { tokens: wire.tokens, lease_token })
    return true
  }

  function refuseToken(socket: WebSocket, { network }: Start): void {
    refused_tokens.count(network, clock.ticks())
    unproven.close(socket, close_codes.refused)
  }

  /**
   * Stores the tokens, so that another process knows them, but a client doesn't wait long for that. Returns false if
   * another process has the call, or it is over: then the wire is closed. Never rejects.
   */
  async function keepTokens(
    at: AtOutside,
    wire: BrowserWire,
    { tokens, lease_token }: { tokens: BrowserWire['tokens']; lease_token: string },
  ): Promise<boolean> {
    const { call_id: id } = wire
    const { next: socket_token, before } = tokens
    const writing = untilAvailable(() => setSocketTokens(at, { id, lease_token, socket_token, before }))
      .then((changed) => {
        if (changed === 0) wire.close(close_codes.failed)
        return changed > 0
      })
      .catch((error: unknown) => {
        log.warn({ err: error, call_id: id }, 'the token of a call could not be stored')
        return true
      })
    const { promise, resolve } = Promise.withResolvers<boolean>()
    const timer = setTimeout(resolve, token_write_max_ms, true)
    return Promise.race([writing, promise]).finally(() => clearTimeout(timer))
  }

  function refuse(socket: WebSocket, { error, close_code }: Refusal): void {
    socket.send(JSON.stringify({ type: 'error', ...error } satisfies FromService))
    unproven.close(socket, close_code)
  }

  return upgrade
}

/** Why a socket is closed, and with which code. */
interface Refusal {
  error: Omit<Extract<FromService, { type: 'error' }>, 'type'>
  close_code: number
}

const busy: Refusal = {
  error: { code: 'busy', message: 'All lines are busy. Try again in a moment.' },
  close_code: close_codes.busy,
}
const not_started: Refusal = {
  error: {
    code: 'invalid_message',
    message: 'The first message must be start, with a token and a sample_rate of 16000 or 8000.',
  },
  close_code: close_codes.invalid,
}
const other_rate: Refusal = {
  error: { code: 'invalid_message', message: 'sample_rate must be the one that the call has begun with.' },
  close_code: close_codes.invalid,
}
/** Refuses a network from which too many tokens were refused. */
const limited = (wait_seconds: number): Refusal => ({
  error: {
    code: 'rate_limited',
    message: `Too many attempts from your network. Try again in ${wait_seconds} seconds.`,
  },
  close_code: close_codes.busy,
})
const failed: Refusal = {
  error: { code: 'internal', message: 'The call could not be connected.' },
  close_code: close_codes.failed,
}
