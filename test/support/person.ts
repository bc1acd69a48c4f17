import { openResampler } from '../../server/audio/resampler.ts'
import { joinSamples } from '../../server/audio/samples.ts'
import { loud_above, openRoom, type Sentence, sample_rate as sentence_rate, sentences } from './sounds.ts'
import { openTape, type Tape } from './tape.ts'

/**
 * A person in a call, on whatever wire: speaks into a microphone and listens to a loudspeaker, both in real time. All times are in
 * milliseconds since the call began. Frames are sent when they are due, however late a timer is, so that several people in a
 * process keep time.
 */
export interface Person {
  readonly sample_rate: number
  /** What the microphone has sent. Silence stands for what was lost while nothing was connected. */
  readonly spoken: Tape
  /** What was played, with the silence between. */
  readonly played: Tape
  /** When sound that was sent here was played without a break. */
  readonly stretches: readonly Stretch[]
  /** When the service has asked to drop what was not yet played. */
  readonly clears: readonly number[]
  readonly is_over: boolean
  now: () => number
  /**
   * Speaks after what is being said: a text, or sound at the person's sample rate. Resolves when the last of it was sent, with the
   * time of the last that can be heard.
   */
  say: (sound: Int16Array | string) => Promise<Stretch>
  /** What was played, as ears want it: at 16 kHz. */
  listen: (start_ms?: number, end_ms?: number) => Int16Array
  /** Breaks of up to `gap_max_ms` in what was played that no `clear` has made: the sound came too late. */
  findGaps: (since_ms?: number, gap_max_ms?: number) => Stretch[]
  /** Waits until it is true. Rejects when the call ends before, or after `timeout_ms`. */
  until: (description: string, isTrue: () => boolean, timeout_ms?: number) => Promise<void>
  /** Waits until the agent is heard at or after this time, and returns when that was. */
  untilHeard: (since_ms: number) => Promise<number>
  /** Whether the agent was heard after this time and then was quiet for a while. */
  isQuiet: (since_ms: number, quiet_ms?: number) => boolean
  /** Waits until `isQuiet`. */
  untilQuiet: (since_ms: number, quiet_ms?: number) => Promise<void>
}

/** What the wire does with the person. */
export interface ConnectedPerson extends Person {
  /** How much of what was received has been played, in samples. */
  readonly heard_samples: number
  /** What was received and not yet played, in samples. */
  readonly waiting_samples: number
  /** Begins the time of the call. */
  begin: () => void
  receive: (samples: Int16Array) => void
  /** Drops what is not yet played, as the service has asked. */
  clear: () => void
  /** Drops what is not yet played, because the connection is another one. */
  drop: () => void
  /** Ends the call, and tells whoever waits why. */
  end: (reason: string) => void
}

export interface Stretch {
  start_ms: number
  end_ms: number
}

export interface PersonOptions {
  sample_rate: 8_000 | 16_000
  /** How much quieter than speech the noise at the microphone is, all the time. None by default. */
  noise_db?: number | undefined
  random?: (() => number) | undefined
  /** The voice that says texts. */
  voice?: Sentence['voice'] | undefined
  /** Sends a frame of 20 ms. Returns false if nothing is connected. */
  sendFrame: (frame: Int16Array) => boolean
  /** After each frame, when all that is due was sent and played. */
  onFrame: () => void
  /** Names the person in errors, and says what came last. */
  name: () => string
  describe: () => string
}

const frame_ms = 20
const quiet_by_default_ms = 700
const wait_by_default_ms = 30_000
/** Shorter breaks are gaps in the sound: people stop between sentences for longer. */
const gap_by_default_ms = 400

interface Saying {
  sound: Int16Array
  position: number
  start_ms: number
  done: (stretch: Stretch) => void
}

interface Waiting {
  isTrue: () => boolean
  deadline_ms: number
  resolve: () => void
  reject: (reason?: Error) => void
}

export function openPerson(options: PersonOptions): ConnectedPerson {
  const { sample_rate, noise_db, random = Math.random, voice = 'rms', sendFrame, onFrame, name, describe } = options
  const per_ms = sample_rate / 1_000
  const frame_samples = frame_ms * per_ms
  const room = noise_db === undefined ? undefined : openRoom({ noise_db, random })
  const [spoken, played] = [openTape(sample_rate), openTape(sample_rate)]
  const stretches: Stretch[] = []
  const clears: number[] = []
  const sayings: Saying[] = []
  const waiting = new Set<Waiting>()
  /** What was received and not yet played. */
  let buffer: Int16Array[] = []
  let heard_samples = 0
  let began_at: number | undefined
  let is_over = false
  let timer: NodeJS.Timeout | undefined

  const now = () => (began_at === undefined ? 0 : performance.now() - began_at)
  const countWaiting = () => buffer.reduce((sum, { length }) => sum + length, 0)

  /** Plays what is due until now. */
  function play(): void {
    if (is_over) return
    let due = Math.floor(now() * per_ms) - played.length
    const start_ms = played.length / per_ms
    let taken = 0
    while (due > 0 && buffer[0]) {
      const piece = buffer[0].subarray(0, due)
      played.add(piece)
      taken += piece.length
      due -= piece.length
      if (piece.length === buffer[0].length) buffer.shift()
      else buffer[0] = buffer[0].subarray(piece.length)
    }
    if (taken > 0) {
      heard_samples += taken
      const last = stretches.at(-1)
      const end_ms = start_ms + taken / per_ms
      if (last?.end_ms === start_ms) last.end_ms = end_ms
      else stretches.push({ start_ms, end_ms })
    }
    if (due > 0) played.addSilence(due)
  }

  /** The next frame of the microphone. */
  function takeFrame(): Int16Array {
    const frame = new Int16Array(frame_samples)
    const start_ms = spoken.length / per_ms
    let filled = 0
    while (filled < frame.length && sayings[0]) {
      const [saying] = sayings
      if (saying.position === 0) saying.start_ms = start_ms + filled / per_ms
      const piece = saying.sound.subarray(saying.position, saying.position + frame.length - filled)
      frame.set(piece, filled)
      filled += piece.length
      saying.position += piece.length
      if (saying.position < saying.sound.length) break
      sayings.shift()
      const last = saying.sound.findLastIndex((sample) => Math.abs(sample) > loud_above)
      saying.done({ start_ms: saying.start_ms, end_ms: saying.start_ms + (last + 1) / per_ms })
    }
    return room ? room(frame) : frame
  }

  function tick(): void {
    while ((spoken.length + frame_samples) / per_ms <= now()) {
      const frame = takeFrame()
      if (sendFrame(frame)) spoken.add(frame)
      else spoken.addSilence(frame.length)
    }
    play()
    onFrame()
    check()
    if (!is_over) timer = setTimeout(tick, Math.max(1, (spoken.length + frame_samples) / per_ms - now()))
  }

  function check(): void {
    for (const one of waiting) {
      if (one.isTrue()) one.resolve()
      else if (now() > one.deadline_ms) one.reject()
      else continue
      waiting.delete(one)
    }
  }

  function drop(): void {
    play()
    buffer = []
  }

  const until: Person['until'] = (description, isTrue, timeout_ms = wait_by_default_ms) => {
    if (isTrue()) return Promise.resolve()
    if (is_over) return Promise.reject(new Error(`${name()}: the call ended before ${description}`))
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    const fail: Waiting['reject'] = (reason) =>
      reject(reason ?? new Error(`${name()}: not within ${timeout_ms} ms: ${description}. ${lastHeard()}`))
    waiting.add({ isTrue, deadline_ms: now() + timeout_ms, resolve, reject: fail })
    return promise
  }

  const lastHeard = () =>
    `At ${Math.round(now())} ms, heard last at ${Math.round(played.last_sound_ms ?? -1)}: ${describe()}`

  const isQuiet: Person['isQuiet'] = (since_ms, quiet_ms = quiet_by_default_ms) => {
    const { last_sound_ms = -1 } = played
    return last_sound_ms >= since_ms && buffer.length === 0 && now() - last_sound_ms >= quiet_ms
  }

  const say = (sound: Int16Array): Promise<Stretch> => {
    const { promise, resolve } = Promise.withResolvers<Stretch>()
    if (is_over) resolve({ start_ms: now(), end_ms: now() })
    else sayings.push({ sound, position: 0, start_ms: 0, done: resolve })
    return promise
  }

  return {
    get heard_samples() {
      return heard_samples
    },
    get waiting_samples() {
      return countWaiting()
    },
    get is_over() {
      return is_over
    },
    sample_rate,
    spoken,
    played,
    stretches,
    clears,
    now,
    begin() {
      began_at = performance.now()
      tick()
    },
    receive(samples) {
      play()
      if (!is_over && samples.length > 0) buffer.push(samples)
    },
    clear() {
      drop()
      clears.push(now())
    },
    drop,
    end(reason) {
      if (is_over) return
      play()
      is_over = true
      clearTimeout(timer)
      for (const one of waiting) one.reject(new Error(`${name()} ended: ${reason}`))
      waiting.clear()
      for (const { start_ms, done } of sayings.splice(0)) done({ start_ms, end_ms: now() })
    },
    async say(sound) {
      if (typeof sound !== 'string') return say(sound)
      const [made = new Int16Array()] = await sentences([{ text: sound, voice }])
      return say(toRate(made, sentence_rate, sample_rate))
    },
    listen: (start_ms, end_ms) => toRate(played.slice(start_ms, end_ms), sample_rate, sentence_rate),
    findGaps: (since_ms = 0, gap_max_ms = gap_by_default_ms) =>
      stretches
        .slice(1)
        .map((after, index) => ({ start_ms: stretches[index]?.end_ms ?? 0, end_ms: after.start_ms }))
        .filter(
          ({ start_ms, end_ms }) =>
            start_ms >= since_ms &&
            end_ms - start_ms <= gap_max_ms &&
            !clears.some((at_ms) => at_ms >= start_ms - 1 && at_ms <= end_ms),
        ),
    until,
    async untilHeard(since_ms) {
      await until('the agent is heard', () => (played.last_sound_ms ?? -1) >= since_ms)
      return played.findSound(since_ms) ?? since_ms
    },
    isQuiet,
    untilQuiet: (since_ms, quiet_ms) => until('the agent is quiet', () => isQuiet(since_ms, quiet_ms)),
  }
}

/** The whole of a sound at another rate. */
export function toRate(samples: Int16Array, from_rate: number, to_rate: number): Int16Array {
  const resampler = openResampler(from_rate, to_rate)
  return joinSamples([resampler.push(samples), resampler.flush()])
}
