import { newError, toMicrophoneError, within } from './errors.ts'
import type { FromWorklet, MicrophoneFrame, ToWorklet } from './messages.ts'

// Vite would take `new URL(name, import.meta.url)` for a file of its own.
const { url: module_url } = import.meta
/** The worklet is served beside /voice.js. */
const worklet_url = new URL('voice-worklet.js', module_url)
/** Reported latencies are cut off here. Real ones are shorter: wireless headphones have about 200 ms. */
const output_latency_max_ms = 500
const load_within_ms = 20_000
/** Limits the wait for sound: a browser that has forgotten the click would let it wait for ever. */
const resume_within_ms = 10_000

const constraints: MediaTrackConstraints = {
  echoCancellation: true,
  noiseSuppression: true,
  autoGainControl: true,
  channelCount: 1,
}

interface DevicesOptions {
  context: AudioContext
  audio: MediaTrackConstraints | undefined
  onFrame: (frame: MicrophoneFrame) => void
  /** Is called when the sound has been heard, not when it was rendered. */
  onPlayed: (played: { ms: number; clears: number; round: number }) => void
  /** Is called when the agent begins to be heard, this long after the person has spoken. */
  onAnswered: (latency_ms: number) => void
  onMicrophoneLost: () => void
  /** Is called when the worklet has failed: from then on nothing is heard or played. */
  onFailed: () => void
}

/** The microphone and the loudspeaker. */
export interface Devices {
  play: (samples: Int16Array<ArrayBuffer>) => void
  clear: () => void
  reset: (round: number) => void
  setMuted: (is_muted: boolean) => void
  close: () => void
}

/** Asks for the microphone, unless the browser was told before. Throws a VoiceError. */
export async function openDevices({ context, audio, ...on }: DevicesOptions): Promise<Devices> {
  const microphone = await openMicrophone(audio)
  const { node, source } = await openNodes(context, microphone).catch((error: unknown) => {
    stop(microphone)
    throw error
  })
  const timers = new Set<ReturnType<typeof setTimeout>>()
  /** Reports that wait until their sound has been heard. They stay in order, also when the latency becomes shorter. */
  const waiting: (() => void)[] = []
  /** Returns 0 in browsers that don't know how long their output takes. */
  const outputLatency = () => Math.min(output_latency_max_ms, Math.max(0, (context.outputLatency || 0) * 1_000))
  const whenHeard = (report: () => void) => {
    waiting.push(report)
    const timer = setTimeout(() => {
      timers.delete(timer)
      waiting.shift()?.()
    }, outputLatency())
    timers.add(timer)
  }
  node.port.onmessage = ({ data }: MessageEvent<FromWorklet>) => {
    if (data.type === 'frame') on.onFrame(data)
    if (data.type === 'played') whenHeard(() => on.onPlayed(data))
    if (data.type === 'answered') on.onAnswered(Math.round(data.latency_ms + outputLatency()))
  }
  node.onprocessorerror = on.onFailed
  for (const track of microphone.getAudioTracks()) track.onended = on.onMicrophoneLost
  // A telephone call interrupts the sound of a phone's browser, so the context is resumed.
  context.onstatechange = () => {
    if (context.state !== 'running' && context.state !== 'closed') void context.resume().catch(() => {})
  }
  const send = (message: ToWorklet, transferred: Transferable[] = []) => node.port.postMessage(message, transferred)

  return {
    play: (samples) => send({ type: 'play', samples }, [samples.buffer]),
    clear: () => send({ type: 'clear' }),
    reset: (round) => send({ type: 'reset', round }),
    setMuted: (is_muted) => {
      for (const track of microphone.getAudioTracks()) track.enabled = !is_muted
    },
    close: () => {
      for (const timer of timers) clearTimeout(timer)
      send({ type: 'stop' })
      node.port.onmessage = null
      node.onprocessorerror = null
      context.onstatechange = null
      for (const track of microphone.getAudioTracks()) track.onended = null
      stop(microphone)
      source.disconnect()
      node.disconnect()
    },
  }
}

async function openNodes(context: AudioContext, microphone: MediaStream) {
  await within(load_within_ms, context.audioWorklet.addModule(worklet_url.href)).catch(() => {
    throw newError('sound_not_loaded')
  })
  try {
    await within(resume_within_ms, context.resume())
    const node = new AudioWorkletNode(context, 'voice', { outputChannelCount: [1] })
    const source = context.createMediaStreamSource(microphone)
    source.connect(node).connect(context.destination)
    return { node, source }
  } catch {
    throw newError('sound_failed')
  }
}

async function openMicrophone(audio: MediaTrackConstraints | undefined): Promise<MediaStream> {
  try {
    return await navigator.mediaDevices.getUserMedia({ audio: { ...constraints, ...audio } })
  } catch (error) {
    throw toMicrophoneError(error)
  }
}

function stop(microphone: MediaStream): void {
  for (const track of microphone.getTracks()) track.stop()
}
