import type { IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import { type WebSocket, WebSocketServer } from 'ws'
import { openAudioLine } from '../audio/line.ts'
import { openRecorder } from '../audio/recorder.ts'
import { sound } from '../audio/sound.ts'
import type { CallSpeech } from '../audio/speech.ts'
import type { Wire } from '../audio/wire.ts'
import type { Carrier, Connection } from '../calls/carrier.ts'
import { type ClaimedCall, findToTake, take } from '../calls/claim.ts'
import { heardMachines } from '../calls/facts.ts'
import { isOffline, liveCalls, newLiveCall } from '../calls/live-calls.ts'
import { endLease, type Opening } from '../calls/rows.ts'
import type { EndReason } from '../calls/schema.ts'
import { calling } from '../calls/work.ts'
import { type AtOutside, atLater, type Service } from '../kit/at.ts'
import * as clock from '../kit/clock.ts'
import type { Upgrade } from '../kit/http/app.ts'
import { letOthersRun } from '../kit/let-others-run.ts'
import { boundReading, message_frames_max } from '../kit/limits/bounded-reading.ts'
import type { Log } from '../kit/log.ts'
import { clientNetwork } from '../kit/network.ts'
import { Problem } from '../kit/problem.ts'
import { Engine } from '../kit/work/engine.ts'
import { observeWork } from '../kit/work/observe.ts'
import type { Machine } from '../talk/state.ts'
import { openUnprovenSockets, type UnprovenSockets } from './unproven-sockets.ts'

/** Closes sockets that send more. A call needs a tenth of this. */
const bytes_per_second_max = 1024 * 1024
/**
 * A peer that doesn't close its side of a closed socket is disconnected after this time. The types don't know this
 * option yet.
 */
const close_within = { closeTimeout: 5_000 }
const retry_after_seconds = 10
/** How long a stop waits for the recordings of calls that it has ended. */
const store_wait_ms = 3_000
/**
 * How long a stop waits for carriers to ask what is next in calls that it has ended: then it tells them to hang up.
 */
const questions_wait_ms = 1_000
const check_questions_every_ms = 50
/** After these ends the other side is gone, and asks nothing more. */
const ends_without_question: EndReason[] = ['contact_hung_up', 'transferred', 'carrier_error']
/** The code with which a socket is closed when its call goes on elsewhere, or not at all. */
const failed_code = 1_011

/** A wire whose other side may lose the connection, and come back with another socket. */
export interface LiveWire extends Wire {
  /** Whether the wire has ended: nobody can come back to it any more. */
  readonly is_over: boolean
  /** Whether the other side has ended the call, or has not come back in time. */
  readonly has_ended: boolean
  /** When the call ends if this process is killed and nobody comes back. */
  readonly ends_at: number
  /** Begins the talk. Times are the workspace's from then on. */
  begin: (now: () => number) => void
  /** Tells the other side that the call is over, before this is written. */
  finish: (end_reason: EndReason) => void
  /** Ends the wire and closes its socket, if there is one. It can be called again. */
  close: (code: number) => void
}

/** A call that this process drives. */
export interface HeldCall<W extends LiveWire> {
  wire: W
  lease_token: string
  /** Closes the wire and frees its room. It can be called again. */
  close: () => void
}

/** The origin and network from which a socket was opened. */
export interface Opener {
  origin: string | null
  network: string
}

interface ServerOptions {
  message_bytes_max: number
  accept: (socket: WebSocket, opener: Opener) => void
  /** Refuses a socket, because the process stops. */
  refuse: (socket: WebSocket) => void
}

interface SocketRequest {
  request: IncomingMessage
  connection: Duplex
  head: Buffer
}

/** Sockets of one kind. */
interface SocketServer<W extends LiveWire> {
  upgrade: Upgrade
  unproven: UnprovenSockets
  /** The calls that this process drives, by their ids. */
  calls: Map<string, HeldCall<W>>
  /**
   * Takes the call that the token opens, and drives it to its end. Resolves to `refused` if the token doesn't open it, to `busy` if
   * there is no room, and to `held` if this process has the call: then its drive goes on.
   */
  drive: (at: AtOutside, opening: SocketOpening<W>) => Promise<'refused' | 'busy' | 'held' | 'ended'>
}

interface SocketOpening<W extends LiveWire> extends Omit<Opening, 'lease_token' | 'due_at' | 'held'> {
  /** The call, if this process has it and it can go on here. */
  held?: HeldCall<W> | undefined
  /** What the carrier has done with the call since the last stream, so that nothing was cut off. */
  after?: Connection['after']
  /** Makes the wire, and gives it the socket. */
  connect: (claimed: ClaimedCall) => W
}

/** The calls on sockets. The process that has the socket drives the call, also one that does no other background work. */
export interface LiveSockets {
  openServer: <W extends LiveWire>(options: ServerOptions) => SocketServer<W>
  /** Ends the calls that are left, or leaves them to another process, and closes all sockets. It can be called again. */
  stop: () => Promise<void>
}

export function openLiveSockets({ service, log }: { service: Service; log: Log }): LiveSockets {
  const live_calls = liveCalls.of(service)
  live_calls.openStreams()
  const servers: { server: WebSocketServer; calls: Map<string, HeldCall<LiveWire>> }[] = []
  const unproven = openUnprovenSockets()
  let engine: Engine<ClaimedCall, void> | undefined
  let is_stopped = false
  // The engine is opened when it is first needed, because it looks after leases all the time.
  const openEngine = () => {
    if (engine) return engine
    // This engine claims nothing: workers claim the other calls of a workspace, which it could not dial.
    const work = { ...calling({ pool: service.pool, carrier: no_carrier, log }), claim: async () => [] }
    engine = new Engine(work, { service, log, observe: observeWork(service.tools) })
    return engine
  }

  function openServer<W extends LiveWire>(options: ServerOptions): SocketServer<W> {
    const { message_bytes_max, accept, refuse } = options
    const server = new WebSocketServer({
      noServer: true,
      perMessageDeflate: false,
      maxPayload: message_bytes_max,
      maxFragments: message_frames_max,
      ...close_within,
    })
    const calls = new Map<string, HeldCall<W>>()
    servers.push({ server, calls })
    /** Opens a socket after letting others run, because many may ask for one at the same time. */
    const open = async ({ request, connection, head }: SocketRequest, network: string) => {
      connection.on('error', () => {})
      unproven.add(connection, network)
      await letOthersRun({ is_urgent: true })
      // The connection may have gone meanwhile, or made room for another one.
      if (connection.destroyed) return
      server.handleUpgrade(request, connection, head, (socket) => {
        unproven.open(connection, socket)
        boundReading(socket, connection, { bytes_per_second_max, isSilent: () => unproven.isSilent(socket) })
        receive(socket, { origin: request.headers.origin ?? null, network })
      })
    }
    const receive = (socket: WebSocket, opener: Opener) => {
      // The library disconnects a peer that breaks the protocol of sockets. An error without a listener would end the
      // process.
      socket.on('error', () => {})
      if (is_stopped) refuse(socket)
      else accept(socket, opener)
    }
    return {
      unproven,
      calls,
      upgrade(request, connection, { head, ip }) {
        if (unproven.is_full) return tokens_wait
        void open({ request, connection, head }, clientNetwork(ip))
        return undefined
      },
      drive: (at, taking) => drive(at, taking, calls),
    }
  }

  async function drive<W extends LiveWire>(
    at: AtOutside,
    { held, after, connect, ...opening }: SocketOpening<W>,
    calls: Map<string, HeldCall<W>>,
  ) {
    const { id } = opening
    // A caller on the telephone waits, and may have no other process to talk to.
    const is_on_line = opening.line === 'phone'
    const isDraining = () => live_calls.is_draining && !is_on_line
    // A call that this process has already takes no more room.
    if (!held && isDraining()) return 'busy'
    const found = await findToTake(at, opening)
    if (!found) return 'refused'
    const speech = await findSpeech(at, found)
    // Calls from browsers count for a channel only if a visitor makes them.
    const web_channel_id = is_on_line ? null : found.channel_id
    const live = newLiveCall(at, speech, web_channel_id)
    const earlier = calls.get(id)
    const has_lease = earlier !== undefined && earlier.lease_token === found.lease_token
    // The end of the call is perhaps not yet written.
    if (has_lease && (live_calls.hasEnded(id) || earlier.wire.has_ended)) return 'refused'
    // This comes before the call is taken, because another process may have it, and the token works once.
    if (!held && isDraining()) return 'busy'
    if (held || calls.has(id)) live_calls.add(live)
    else if (await live_calls.begin(at, live, { is_on_line })) return 'busy'
    live_calls.noteStream(id, found.carrier_id)
    const held_token = held?.lease_token ?? null
    const claimed = await take(at, { ...opening, held: held_token }).catch((error: unknown) => {
      live_calls.remove(live)
      throw error
    })
    if (!claimed || claimed.token === held_token) {
      live_calls.remove(live)
      return claimed ? 'held' : 'refused'
    }
    if (is_stopped) {
      await endLease(at, claimed).finally(() => live_calls.remove(live))
      return 'busy'
    }
    // Another process had the call meanwhile, and this one has not noticed that. The engine ends the earlier drive.
    calls.get(id)?.close()
    const wire = connect(claimed)
    const isCurrent = () => calls.get(id)?.wire === wire
    const close = () => {
      if (isCurrent()) {
        calls.delete(id)
        live_calls.forgetEnd(id)
      }
      live_calls.remove(live)
      // This does nothing if the other side knows already that the call is over.
      wire.close(failed_code)
    }
    calls.set(id, { wire, lease_token: claimed.token, close })
    // The call counts as a live one from now on.
    live_calls.forgetDialed(id)
    const onEnd = (end_reason: EndReason) => {
      if (!isCurrent()) return
      live_calls.noteEnd(id, claimed.token)
      // The carrier of the call asks what is next, and is told to hang up.
      if (is_on_line && !ends_without_question.includes(end_reason)) live_calls.expect(id, atLater(at).now)
      wire.finish(end_reason)
    }
    const is_dialed = claimed.direction === 'outbound'
    const found_before = heardMachines(claimed.facts)
    const connection = connectionOf(wire, { speech, after, is_dialed, found_before, onEnd, close, log })
    await openEngine()
      .adopt(at, { ...claimed, connection })
      .finally(close)
    return 'ended'
  }

  const closeWires = () => {
    for (const { calls } of servers) for (const { wire } of calls.values()) wire.close(failed_code)
  }
  async function stop(): Promise<void> {
    is_stopped = true
    live_calls.drain()
    unproven.terminateAll()
    if (live_calls.is_abandoned) closeWires()
    await engine?.stop()
    await Promise.race([live_calls.ended(), sleep(store_wait_ms, undefined, { ref: false })])
    closeWires()
    const until = clock.ticks() + questions_wait_ms
    while (!live_calls.is_abandoned && live_calls.expects_any && clock.ticks() < until)
      await sleep(check_questions_every_ms)
    for (const { server } of servers) {
      server.close()
      for (const socket of server.clients) socket.terminate()
    }
  }
  let stopping: Promise<void> | undefined
  return {
    openServer,
    stop() {
      stopping ??= stop()
      return stopping
    },
  }
}

/** Returns undefined if the agent can't hear or speak any more, as it could when the call was created. */
async function findSpeech(
  at: AtOutside,
  { configuration }: Pick<ClaimedCall, 'configuration'>,
): Promise<CallSpeech | undefined> {
  try {
    return configuration && (await sound.of(at).find(at, configuration))
  } catch (error) {
    if (error instanceof Problem) return undefined
    throw error
  }
}

interface ConnectionParts {
  speech: CallSpeech | undefined
  after: Connection['after']
  /** Whether the service has dialled the call, so that a machine may answer. */
  is_dialed: boolean
  /** What other processes have found to have answered. */
  found_before: Machine[]
  onEnd: Connection['onEnd']
  close: () => void
  log: Log
}

const connectionOf = (
  wire: LiveWire,
  { speech, after, is_dialed, found_before, onEnd, close, log }: ConnectionParts,
): Connection => ({
  after,
  open:
    speech &&
    (({ now, answered_at, is_resumed, recording }) => {
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
        ...(answered_at !== undefined && (is_resumed ? { answered_at } : { began_at: answered_at })),
        finds_who_answered: is_dialed,
        found_before,
        ...(recorder && { recorder }),
      })
      wire.begin(now)
      return line
    }),
  has_speech_providers: speech !== undefined && ![speech.listen, speech.speak].every(({ model }) => isOffline(model)),
  get ends_at() {
    return wire.ends_at
  },
  onEnd,
  close,
})

const tokens_wait = new Problem(
  'SERVICE_UNAVAILABLE',
  'Too many tokens are being checked. Try again in a few seconds.',
  {},
  { 'retry-after': String(retry_after_seconds) },
)

/** Calls on sockets are not dialled here, so this carrier has nobody to ask. */
const no_carrier: Carrier = {
  dial: () => Promise.reject(new Error('calls on sockets are not dialled')),
  reopen: () => {
    throw new Error('calls on sockets are not kept')
  },
  find: async () => [],
}
