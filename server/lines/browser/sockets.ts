import { setTimeout as sleep } from 'node:timers/promises'
import { type RawData, type WebSocket, WebSocketServer } from 'ws'
import { openAudioLine } from '../../audio/line.ts'
import { openRecorder } from '../../audio/recorder.ts'
import type { CallSpeech } from '../../audio/speech.ts'
import type { Carrier, Connection } from '../../calls/carrier.ts'
import { type ClaimedCall, findToTake, isAwaited, take } from '../../calls/claim.ts'
import { setSocketTokens } from '../../calls/rows.ts'
import { newSocketToken, parseSocketToken, type SocketToken } from '../../calls/socket-token.ts'
import { isOffline } from '../../calls/web.ts'
import { calling } from '../../calls/work.ts'
import { type AtOutside, atWorkspace, type Service } from '../../kit/at.ts'
import type { Upgrade } from '../../kit/http/app.ts'
import type { Log } from '../../kit/log.ts'
import { clientNetwork } from '../../kit/network.ts'
import { isUnavailable } from '../../kit/postgres/errors.ts'
import { untilAvailable } from '../../kit/postgres/until-available.ts'
import { Problem, tooManyAttempts } from '../../kit/problem.ts'
import { Engine } from '../../kit/work/engine.ts'
import { closing, type FromClient, type FromService, parseMessage } from './protocol.ts'
import { openUnprovenSockets } from './unproven-sockets.ts'
import { BrowserWire } from './wire.ts'

/** Larger than all messages of the protocol. */
const message_bytes_max = 4 * 1024
const start_within_ms = 5_000
/** Who doesn't close its side of a closed socket is disconnected. The types don't know this option yet. */
const close_within = { closeTimeout: 5_000 }
/** Who has too many sockets open is told to wait for this long. */
const retry_after_seconds = 10
/** A client that comes back while the database is slow doesn't wait longer for it. */
const token_write_max_ms = 500
/** How long a stop waits for the recordings of calls that it has ended. */
const store_wait_ms = 3_000

export interface BrowserCalls {
  /** Takes over the connection of a request for the socket. Never throws. */
  upgrade: Upgrade
  /** Ends the calls that are left, or leaves them to another process, and closes all sockets. */
  stop: () => Promise<void>
}

/** Who has opened a socket. */
interface Opener {
  origin: string | null
  network: string
}
type Start = Extract<FromClient, { type: 'start' }> & Opener

/** Calls in browsers. The process that has the socket drives the call, also one that does no other background work. */
export function openBrowserCalls({ service, log }: { service: Service; log: Log }): BrowserCalls {
  const { live_calls } = service.tools
  const server = new WebSocketServer({
    noServer: true,
    perMessageDeflate: false,
    maxPayload: message_bytes_max,
    ...close_within,
  })
  const wires = new Map<string, { wire: BrowserWire; lease_token: string }>()
  const unproven = openUnprovenSockets()
  let engine: Engine<ClaimedCall, void> | undefined
  let is_stopped = false
  // It is opened when it is needed first, because it looks after leases all the time.
  const openEngine = () => {
    // Workers claim the other calls of a workspace: this engine could not dial them.
    const work = { ...calling({ pool: service.pool, carrier: no_carrier, log }), claim: async () => [] }
    engine ??= new Engine(work, { service, log })
    return engine
  }

  function accept(socket: WebSocket, opener: Opener): void {
    // Who breaks the protocol of sockets is disconnected by the library.
    socket.on('error', () => {})
    if (is_stopped) return void refuse(socket, busy)
    const are_too_many = unproven.areTooMany(opener.network)
    unproven.add(socket, opener.network)
    if (are_too_many) return void refuse(socket, limited(retry_after_seconds))
    const timer = setTimeout(() => socket.close(closing.invalid), start_within_ms)
    socket.once('close', () => clearTimeout(timer))
    socket.once('message', (data: RawData, is_binary: boolean) => {
      clearTimeout(timer)
      const message = is_binary ? undefined : parseMessage(data)
      if (message?.type !== 'start') return refuse(socket, not_started)
      begin(socket, { ...message, ...opener }).catch((error: unknown) => {
        if (isUnavailable(error)) return refuse(socket, busy)
        log.error({ err: error }, 'a call in a browser could not be begun')
        refuse(socket, failed)
      })
    })
  }

  async function begin(socket: WebSocket, start: Start): Promise<void> {
    const wait_seconds = unproven.waitSeconds(start.network)
    if (wait_seconds > 0) return refuse(socket, limited(wait_seconds))
    const token = parseSocketToken(start.token)
    if (!token) return refuseToken(socket, start)
    const known = wires.get(token.call_id)
    if (known?.wire.accepts(token.hash, start) && (await comeBack(socket, start, token, known))) return
    // A token that its wire doesn't know may be of another process, which has taken the call meanwhile: the database knows it.
    if (live_calls.is_draining) return refuse(socket, busy)
    const at = await atWorkspace(service, token.workspace)
    const next = newSocketToken(token.workspace, token.call_id)
    const wanted = { id: token.call_id, token: token.hash, origin: start.origin }
    const is_here = known !== undefined && !known.wire.is_over
    const refuseUnlessAwaited = async () =>
      !is_here && (await isAwaited(at, wanted)) ? refuse(socket, busy) : refuseToken(socket, start)
    const found = await findToTake(at, wanted)
    if (!found) return refuseUnlessAwaited()
    const speech = await findSpeech(at, found)
    const live = { is_offline: !speech || isOffline(speech.listen.model) }
    // Before the call is taken: another process may have it, and the token works once.
    if (!live_calls.hasRoom(live)) return refuse(socket, busy)
    live_calls.add(live)
    const claimed = await take(at, { ...wanted, next_token: next.hash }).catch((error: unknown) => {
      live_calls.remove(live)
      throw error
    })
    if (!claimed) {
      live_calls.remove(live)
      return refuseUnlessAwaited()
    }
    const wire = new BrowserWire({
      call_id: claimed.id,
      sample_rate: start.sample_rate,
      origin: claimed.socket_origin,
      tokens: { next: next.hash, before: token.hash },
      now: () => at.now,
      onTokenUsed: () => void keepTokens(at, wire, { tokens: wire.tokens, lease_token: claimed.token }),
    })
    wires.set(claimed.id, { wire, lease_token: claimed.token })
    unproven.remove(socket)
    wire.attach(socket, { token: next.text, tokens: { next: next.hash, before: token.hash } })
    const close = () => {
      if (wires.get(claimed.id)?.wire === wire) wires.delete(claimed.id)
      live_calls.remove(live)
      // Nothing happens if the client knows that the call is over.
      wire.close(closing.failed)
    }
    const connection = connectionOf(wire, { speech, close, log })
    await openEngine()
      .adopt(at, { ...claimed, connection })
      .finally(close)
  }

  /** The client has lost its connection. Returns false if this process doesn't have the call any more. */
  async function comeBack(
    socket: WebSocket,
    start: Start,
    token: SocketToken,
    { wire, lease_token }: { wire: BrowserWire; lease_token: string },
  ): Promise<boolean> {
    const at = await atWorkspace(service, token.workspace)
    const next = newSocketToken(token.workspace, token.call_id)
    const tokens = { next: next.hash, before: token.hash }
    if (!(await keepTokens(at, wire, { tokens, lease_token }))) return false
    // Someone else may have been faster.
    const is_first = wire.accepts(token.hash, start)
    if (is_first) {
      unproven.remove(socket)
      wire.attach(socket, { token: next.text, tokens })
      return true
    }
    refuseToken(socket, start)
    // The token of the one who was faster is the one that works.
    await keepTokens(at, wire, { tokens: wire.tokens, lease_token })
    return true
  }

  function refuseToken(socket: WebSocket, { network }: Start): void {
    unproven.noteRefusedToken(network)
    socket.close(closing.refused)
  }

  /**
   * Another process must know the token, but a client doesn't wait long for that. Returns false if another one has the call, or it
   * is over: then the wire is closed. Never rejects.
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
        if (changed === 0) wire.close(closing.failed)
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

  const closeWires = () => {
    for (const { wire } of wires.values()) wire.close(closing.failed)
  }

  return {
    upgrade(request, socket, { head, ip }) {
      const { origin = null } = request.headers
      const network = clientNetwork(ip)
      if (unproven.areTooMany(network, 2)) return tooManyAttempts(retry_after_seconds)
      server.handleUpgrade(request, socket, head, (opened) => accept(opened, { origin, network }))
      return undefined
    },
    async stop() {
      is_stopped = true
      live_calls.is_draining = true
      for (const socket of unproven.all()) socket.terminate()
      if (live_calls.is_abandoned) closeWires()
      await engine?.stop()
      await Promise.race([live_calls.ended(), sleep(store_wait_ms, undefined, { ref: false })])
      closeWires()
      server.close()
      for (const socket of server.clients) socket.terminate()
    },
  }
}

/** Undefined if the agent can't hear or speak any more: it could when the call was created. */
async function findSpeech(
  at: AtOutside,
  { configuration }: Pick<ClaimedCall, 'configuration'>,
): Promise<CallSpeech | undefined> {
  try {
    return configuration && (await at.tools.sound.find(at, configuration))
  } catch (error) {
    if (error instanceof Problem) return undefined
    throw error
  }
}

interface ConnectionParts {
  speech: CallSpeech | undefined
  close: () => void
  log: Log
}

const connectionOf = (wire: BrowserWire, { speech, close, log }: ConnectionParts): Connection => ({
  open:
    speech &&
    (({ now, answered_at, recording }) => {
      const recorder =
        recording &&
        openRecorder({
          began_ms: recording.began_at,
          ...(recording.continues_at !== undefined && { continues: { from_ms: recording.continues_at, index: 0 } }),
          keep: recording.keep,
        })
      const line = openAudioLine({
        wire,
        speech,
        now,
        log,
        ...(answered_at !== undefined && { answered_at }),
        ...(recorder && { recorder }),
      })
      wire.begin(now)
      return line
    }),
  has_speech_providers: speech !== undefined && ![speech.listen, speech.speak].every(({ model }) => isOffline(model)),
  get ends_at() {
    return wire.ends_at
  },
  onEnd: (end_reason) => wire.finish(end_reason),
  close,
})

/** Why a socket is closed, and with which code. */
interface Refusal {
  error: Omit<Extract<FromService, { type: 'error' }>, 'type'>
  close_code: number
}

const busy: Refusal = {
  error: { code: 'busy', message: 'All lines are busy. Try again in a moment.' },
  close_code: closing.busy,
}
const not_started: Refusal = {
  error: {
    code: 'invalid_message',
    message: 'The first message must be start, with a token and a sample_rate of 16000 or 8000.',
  },
  close_code: closing.invalid,
}
/** Too many sockets without a valid token are open, or too many tokens were refused. */
const limited = (wait_seconds: number): Refusal => ({
  error: {
    code: 'rate_limited',
    message: `Too many attempts from your network. Try again in ${wait_seconds} seconds.`,
  },
  close_code: closing.busy,
})
const failed: Refusal = {
  error: { code: 'internal', message: 'The call could not be connected.' },
  close_code: closing.failed,
}

function refuse(socket: WebSocket, { error, close_code }: Refusal): void {
  socket.send(JSON.stringify({ type: 'error', ...error } satisfies FromService))
  socket.close(close_code)
}

/** The other side has called, so there is nobody to ask. */
const no_carrier: Carrier = {
  dial: () => Promise.reject(new Error('calls in browsers are not dialled')),
  reopen: () => {
    throw new Error('calls in browsers are not kept')
  },
  find: async () => [],
}
