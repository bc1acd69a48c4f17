import { frame_samples, sample_rate } from './format.ts'
import { Hearing, levelOf, loudnessOf } from './hearing.ts'
import type { FromWorklet, ToWorklet } from './messages.ts'
import { Playback } from './playback.ts'
import { Resampler } from './resampler.ts'

/** The global scope of audio worklets, which TypeScript's libraries don't have. */
declare const sampleRate: number
declare class AudioWorkletProcessor {
  readonly port: MessagePort
}
declare function registerProcessor(name: string, processor: new () => AudioWorkletProcessor): void

/** Played samples are reported each time that this many more were played. */
const report_every = sample_rate / 10
/** Samples of the agent below this are pauses. */
const sound_min = 0.005
/** A sound of the agent after this many quiet samples is the beginning of an answer. */
const pause_min = sample_rate / 4

/** Takes the microphone at the rate of the device, and plays what the service sends. */
class VoiceProcessor extends AudioWorkletProcessor {
  readonly #capture = new Resampler({ from: sampleRate, to: sample_rate })
  readonly #render = new Resampler({ from: sample_rate, to: sampleRate })
  readonly #playback = new Playback()
  readonly #hearing = new Hearing()
  readonly #frame = new Float32Array(frame_samples)
  #captured = 0
  /** Samples that are rendered and not yet played: less than one quantum. */
  #rendered: number[] = []
  #round = 0
  #reported = 0
  #since_report = 0
  /** How often the sound was cleared since the last reset. */
  #clears = 0
  #quiet_for = pause_min
  /** The time since the beginning, in samples of the device. */
  #clock = 0
  /** When the person last spoke, if the agent has not answered since. */
  #spoke_at: number | undefined
  #is_stopped = false

  constructor() {
    super()
    this.port.onmessage = ({ data }: MessageEvent<ToWorklet>) => this.#receive(data)
  }

  #receive(message: ToWorklet): void {
    if (message.type === 'play') this.#playback.add(message.samples)
    if (message.type === 'clear') this.#clear()
    if (message.type === 'stop') this.#is_stopped = true
    if (message.type !== 'reset') return
    this.#playback.reset()
    this.#round = message.round
    this.#reported = 0
    this.#clears = 0
  }

  /** Drops the sound that waits, and reports where it was cut before anything else is played. */
  #clear(): void {
    this.#playback.clear()
    this.#clears += 1
    this.#report()
  }

  process(inputs: Float32Array[][], outputs: Float32Array[][]): boolean {
    const [channels = []] = inputs
    const [out = []] = outputs
    const length = out[0]?.length ?? 0
    for (let index = 0; index < length; index += 1) {
      // A microphone that was unplugged has no channels: silence is sent instead.
      let sum = 0
      for (const channel of channels) sum += channel[index] ?? 0
      this.#capture.push(channels.length > 0 ? sum / channels.length : 0, this.#keep)
    }
    this.#clock += length
    this.#play(out)
    this.#reportIfDue()
    return !this.#is_stopped
  }

  readonly #keep = (sample: number): void => {
    this.#frame[this.#captured] = sample
    this.#captured += 1
    if (this.#captured < frame_samples) return
    this.#captured = 0
    const loudness = loudnessOf(this.#frame)
    const samples = Int16Array.from(this.#frame, (value) => Math.max(-1, Math.min(1, value)) * 32_767)
    // Speech doesn't count while the agent sounds, whose own voice may come back through the microphone.
    if (this.#hearing.hear(loudness) && this.#quiet_for > 2 * frame_samples) this.#spoke_at = this.#clock
    this.#send({ type: 'frame', samples, level: levelOf(loudness) }, [samples.buffer])
  }

  #play(channels: Float32Array[]): void {
    const length = channels[0]?.length ?? 0
    while (this.#rendered.length < length) {
      const sample = this.#playback.next()
      this.#noticeSound(sample)
      this.#render.push(sample, (rendered) => this.#rendered.push(rendered))
    }
    const block = this.#rendered.splice(0, length)
    for (const channel of channels) channel.set(block)
  }

  #noticeSound(sample: number): void {
    this.#since_report += 1
    if (Math.abs(sample) < sound_min) {
      this.#quiet_for += 1
      return
    }
    if (this.#quiet_for >= pause_min && this.#spoke_at !== undefined) {
      this.#send({ type: 'answered', latency_ms: Math.round((1_000 * (this.#clock - this.#spoke_at)) / sampleRate) })
      this.#spoke_at = undefined
    }
    this.#quiet_for = 0
  }

  /** Reports at intervals, and at once when all is played, so that the service knows it. */
  #reportIfDue(): void {
    const { played, isEmpty } = this.#playback
    if (played !== this.#reported && (this.#since_report >= report_every || isEmpty)) this.#report()
  }

  #report(): void {
    const { played } = this.#playback
    this.#reported = played
    this.#since_report = 0
    const ms = Math.floor((played * 1_000) / sample_rate)
    this.#send({ type: 'played', ms, clears: this.#clears, round: this.#round })
  }

  #send(message: FromWorklet, transferred: Transferable[] = []): void {
    this.port.postMessage(message, transferred)
  }
}

registerProcessor('voice', VoiceProcessor)
