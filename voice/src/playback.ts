import { sample_rate } from './format.ts'

const samplesIn = (ms: number): number => (ms * sample_rate) / 1_000

/** Limits the sound that waits to be played, in samples. The service sends less than a second ahead. */
const kept_max = samplesIn(10_000)
const wait_first = samplesIn(60)
const wait_max = samplesIn(240)
const wait_growth = 1.5
/** Sound that comes within this time after the last sound has ended is its late continuation. */
const late_within = samplesIn(200)

/**
 * The sound that waits to be played. It begins when a little has arrived, so that sound that comes in irregular pieces doesn't
 * stop in a word, and waits longer after it has run dry. Its clock is the samples that it was asked for.
 */
export class Playback {
  readonly #kept = new Int16Array(kept_max)
  #first = 0
  #length = 0
  #now = 0
  #arrived_at = 0
  #dry_at = Number.NEGATIVE_INFINITY
  #wait = wait_first
  #is_playing = false
  /** Samples played since the last reset. Silence between them doesn't count. */
  played = 0

  get isEmpty(): boolean {
    return this.#length === 0
  }

  /** Adds samples. Drops what doesn't fit. */
  add(samples: Int16Array): void {
    if (samples.length === 0) return
    if (this.#length === 0 && !this.#is_playing) this.#beginWait()
    for (const sample of samples) {
      if (this.#length === kept_max) return
      this.#kept[(this.#first + this.#length) % kept_max] = sample
      this.#length += 1
    }
  }

  #beginWait(): void {
    this.#arrived_at = this.#now
    if (this.#now - this.#dry_at < late_within) this.#wait = Math.min(wait_max, this.#wait * wait_growth)
  }

  /** Returns the next sample, from -1 to 1. It is silence if there is none, or while more is waited for. */
  next(): number {
    this.#now += 1
    if (!this.#is_playing) this.#is_playing = this.#length > 0 && this.#hasWaited()
    if (!this.#is_playing) return 0
    if (this.#length === 0) {
      this.#is_playing = false
      this.#dry_at = this.#now
      return 0
    }
    const sample = this.#kept[this.#first] ?? 0
    this.#first = (this.#first + 1) % kept_max
    this.#length -= 1
    this.played += 1
    return sample / 32_768
  }

  #hasWaited(): boolean {
    return this.#length >= this.#wait || this.#now - this.#arrived_at >= this.#wait
  }

  /** Drops the sound that was not played. */
  clear(): void {
    this.#length = 0
    this.#is_playing = false
    this.#dry_at = Number.NEGATIVE_INFINITY
  }

  reset(): void {
    this.clear()
    this.played = 0
  }
}
