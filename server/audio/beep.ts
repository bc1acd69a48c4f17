/**
 * Finds the tone with which a voicemail begins to record: pure, steady, of 440 to 2,000 Hz, and at least 120 ms long. Voices, noise
 * and two tones at once, such as dial and ringing tones of North America, are not pure. Tones one after the other, such as those
 * before "The number you have dialled", are no beep either.
 */
export interface BeepDetector {
  /** Takes the next frame of the sound. */
  take: (frame: Int16Array) => ToneEvent[]
}

/**
 * - `tone_started`: something sounds that may become a beep.
 * - `tone_stopped`: the sound is over, and was no beep. `beep`: the sound is over, and was one.
 */
export type ToneEvent = 'tone_started' | 'tone_stopped' | 'beep'

const lowest_hz = 440
const highest_hz = 2_000
/** Windows of 40 ms tell tones apart that differ by 25 Hz. Half a window is enough to show that there is no tone. */
const window_ms = 40
const hop_ms = 10
const coarse_step_hz = 50
const fine_step_hz = 6.25
/**
 * The least part of the sound that is the tone: of two equal tones each has about half. A tone between two coarse steps
 * shows less.
 */
const purity_min = { coarse: 0.25, fine: 0.75 }
/** The least level of a tone, as the root of the mean square. Quieter sound is the noise of a line. */
const level_min = 50
/** The frequency of a tone changes by no more than this. */
const drift_max_hz = 15
/** From one window to the next, the power of a steady sound changes at most by this factor. */
const power_change_max = 2
/** A tone, or a beep, is in this many windows in a row. Those of a beep lie within 120 ms. */
const windows_min = { tone: 3, beep: (120 - window_ms) / hop_ms + 1 }
/** A tone that follows another one within this time belongs to the same signal. */
const gap_windows_max = 100 / hop_ms
/** A beep may have two tones. */
const tones_max = 2
/** Longer signals are dial tones, or fax machines. */
const windows_max = 3_000 / hop_ms

interface Tone {
  frequency: number
  power: number
  /** How many windows in a row have the tone. */
  windows: number
}

interface Signal {
  /** How many tones were long enough for a beep. */
  tones: number
  windows: number
  gap: number
}

export function openBeepDetector(rate: number): BeepDetector {
  const window = new Float64Array((window_ms * rate) / 1_000)
  const hop = (hop_ms * rate) / 1_000
  let filled = 0
  let tone: Tone | undefined
  let signal: Signal | undefined

  function listen(): ToneEvent | undefined {
    const found = findTone(window, rate)
    const goes_on = found && tone && isSteady(tone, found)
    tone = found && { ...found, windows: goes_on && tone ? tone.windows + 1 : 1 }
    if (!signal) return tone && tone.windows >= windows_min.tone ? begin(tone) : undefined
    signal.windows += 1
    if (tone && tone.windows === windows_min.beep) signal.tones += 1
    const is_sounding = tone !== undefined && tone.windows >= windows_min.tone
    signal.gap = is_sounding ? 0 : signal.gap + 1
    return signal.gap > gap_windows_max ? end(signal) : undefined
  }

  function begin({ windows }: Tone): ToneEvent {
    signal = { tones: 0, windows, gap: 0 }
    return 'tone_started'
  }

  function end({ tones, windows }: Signal): ToneEvent {
    signal = undefined
    return tones >= 1 && tones <= tones_max && windows <= windows_max ? 'beep' : 'tone_stopped'
  }

  return {
    take(frame) {
      const events: ToneEvent[] = []
      for (const sample of frame) {
        window[filled] = sample
        filled += 1
        if (filled < window.length) continue
        const event = listen()
        if (event) events.push(event)
        window.copyWithin(0, hop)
        filled -= hop
      }
      return events
    },
  }
}

const isSteady = (before: Tone, { frequency, power }: Omit<Tone, 'windows'>): boolean =>
  Math.abs(frequency - before.frequency) <= drift_max_hz &&
  power <= before.power * power_change_max &&
  before.power <= power * power_change_max

/**
 * Returns the tone of a window. Most windows take one short pass for each coarse frequency, and those with a tone nine
 * more.
 */
function findTone(window: Float64Array, rate: number): Omit<Tone, 'windows'> | undefined {
  const quarter = window.length / 4
  const half = window.subarray(quarter, 3 * quarter)
  const coarse = strongest(half, rate, { from: lowest_hz, to: highest_hz + coarse_step_hz, step: coarse_step_hz })
  if (!coarse || coarse.purity < purity_min.coarse) return undefined
  const from = Math.max(lowest_hz - fine_step_hz, coarse.frequency - coarse_step_hz / 2)
  const to = Math.min(highest_hz + fine_step_hz, coarse.frequency + coarse_step_hz / 2)
  const fine = strongest(window, rate, { from, to, step: fine_step_hz })
  return fine && fine.purity >= purity_min.fine ? fine : undefined
}

interface Strongest {
  frequency: number
  purity: number
  power: number
}

/** Returns the frequency that makes most of the sound. */
function strongest(
  samples: Float64Array,
  rate: number,
  { from, to, step }: { from: number; to: number; step: number },
): Strongest | undefined {
  let sum = 0
  for (const sample of samples) sum += sample * sample
  const power = sum / samples.length
  if (power < level_min ** 2) return undefined
  const found = { frequency: from, purity: 0, power }
  for (let frequency = from; frequency <= to; frequency += step) {
    const purity = powerAt(samples, frequency / rate) / power
    if (purity > found.purity) Object.assign(found, { frequency, purity })
  }
  return found
}

/** Returns the power of one frequency, given in turns per sample, by Goertzel's algorithm. */
function powerAt(samples: Float64Array, turns: number): number {
  const turn = 2 * Math.cos(2 * Math.PI * turns)
  let last = 0
  let before = 0
  for (let index = 0; index < samples.length; index += 1) {
    const next = (samples[index] ?? 0) + turn * last - before
    before = last
    last = next
  }
  return (2 * (last * last + before * before - turn * last * before)) / samples.length ** 2
}
