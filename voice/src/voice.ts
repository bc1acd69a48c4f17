import { type Devices, openDevices } from './devices.ts'
import { findObstacle, messages, newError, toVoiceError, within } from './errors.ts'
import { type Link, openLink } from './link.ts'
import type { MicrophoneFrame } from './messages.ts'
import type * as types from './types.ts'
import type { VoiceError, VoiceEvents, VoiceState } from './types.ts'

export { findObstacle }

const place_within_ms = 30_000
const frames_per_level = 3
/** A sound before this time began while the person still spoke, and a sound after the maximum is no answer. */
const latency_min_ms = 200
const latency_max_ms = 30_000
const digit_format = /^[0-9*#]$/

/** Whether this page has a call that has not ended. */
let is_in_call = false

/** Begins a call. `types.ts` documents it for other pages. */
export const connect: typeof types.connect = (options) => {
  if (is_in_call) throw Object.assign(new Error(messages.in_call), { code: 'in_call' })
  is_in_call = true
  const listeners: { [Name in keyof VoiceEvents]: Set<(event: VoiceEvents[Name]) => void> } = {
    state: new Set(),
    words: new Set(),
    level: new Set(),
    latency: new Set(),
    error: new Set(),
  }
  let state: VoiceState = 'connecting'
  let call_id: string | undefined
  let latency_ms: number | undefined
  let end_reason: string | undefined
  let is_muted = false
  let context: AudioContext | undefined
  let devices: Devices | undefined
  let link: Link | undefined
  let round = 0
  let frames = 0

  function emit<Name extends keyof VoiceEvents>(name: Name, event: VoiceEvents[Name]): void {
    for (const listener of listeners[name]) {
      try {
        listener(event)
      } catch (error) {
        // A mistake in a listener must not end the call.
        console.error(error)
      }
    }
  }

  function setState(next: VoiceState): void {
    if (state === next || state === 'ended') return
    state = next
    emit('state', next)
  }

  function end(reason: string, error?: VoiceError): void {
    if (state === 'ended') return
    is_in_call = false
    end_reason = reason
    link?.close()
    devices?.close()
    // `close` rejects if the context is closed already.
    void context?.close().catch(() => {})
    removeEventListener('pagehide', hangUp)
    if (error) emit('error', error)
    setState('ended')
  }

  async function begin(): Promise<void> {
    const obstacle = findObstacle()
    if (obstacle) throw obstacle
    // The context is created before anything is awaited, because the browser would forget the click.
    context = new AudioContext({ latencyHint: 'interactive' })
    const opened = await openDevices({
      context,
      audio: options.audio,
      onFrame,
      onPlayed: (played) => {
        const { ms, clears } = played
        if (played.round === round) link?.send({ type: 'played', ms, clears })
      },
      onAnswered: setLatency,
      onMicrophoneLost: () => emit('error', newError('microphone_lost')),
      onFailed: () => leave('error', newError('sound_failed')),
    })
    if (isOver()) return opened.close()
    devices = opened
    devices.setMuted(is_muted)
    const { url, token } = options.place ? await within(place_within_ms, options.place()) : options
    if (url === undefined || token === undefined) throw new Error('connect needs a url and a token')
    link = openLink({
      url,
      token,
      onReady: (id) => {
        call_id = id
        round += 1
        opened.reset(round)
        setState('live')
      },
      onSound: opened.play,
      onClear: opened.clear,
      onWords: (words) => emit('words', words),
      onWait: setState,
      onEnd: end,
    })
    // If the person has hung up meanwhile, the service is told, because the call would wait for its connection.
    if (isOver()) leaveLink()
  }

  /** Is a function, because TypeScript would take the state as unchanged after an `await`. */
  const isOver = (): boolean => state === 'ended'

  function onFrame({ samples, level }: MicrophoneFrame): void {
    // Samples that the microphone took before it was muted are silenced, too.
    if (is_muted) samples.fill(0)
    link?.sendFrame(samples)
    frames += 1
    if (frames % frames_per_level === 0) emit('level', is_muted ? 0 : level)
  }

  function setLatency(ms: number): void {
    if (ms < latency_min_ms || ms > latency_max_ms) return
    latency_ms = ms
    emit('latency', ms)
  }

  function setMuted(next: boolean): void {
    is_muted = next
    devices?.setMuted(next)
  }

  /** Ends the call for the service, too. */
  function leave(reason: string, error?: VoiceError): void {
    leaveLink()
    end(reason, error)
  }

  /** Hangs up and forgets the link, which may have to connect before it can tell the service. */
  function leaveLink(): void {
    link?.hangUp()
    link = undefined
  }

  const hangUp = (): void => leave('contact_hung_up')

  addEventListener('pagehide', hangUp)
  begin().catch((error: unknown) => end('error', toVoiceError(error)))

  return {
    get state() {
      return state
    },
    get call_id() {
      return call_id
    },
    get latency_ms() {
      return latency_ms
    },
    get is_muted() {
      return is_muted
    },
    get end_reason() {
      return end_reason
    },
    on: (name, listener) => {
      listeners[name].add(listener)
      return () => listeners[name].delete(listener)
    },
    mute: () => setMuted(true),
    unmute: () => setMuted(false),
    press: (digit) => {
      if (!digit_format.test(digit)) throw new Error('a digit is one of 0 to 9, * and #')
      link?.send({ type: 'digit', digit })
    },
    hangUp,
  }
}
