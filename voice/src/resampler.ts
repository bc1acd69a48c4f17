/** Zero crossings of the filter on each side: more of them cut sharper. */
const zero_crossings = 12
/** Leaves room for the filter to fall off before the lower rate's limit. */
const bandwidth = 0.92
/** Filter values stored for each sample. The ones between are interpolated. */
const steps = 64

/** Converts the rate of a stream, sample by sample. It keeps the samples that the filter needs, and delays the stream by less than 1 ms. */
export class Resampler {
  readonly #step: number
  readonly #half: number
  readonly #filter: Float32Array
  /** The last samples, twice in a row, so that a window of them is never split. */
  readonly #window: Float32Array
  #next = 0
  /** The position of the next sample of the result, from the sample in the middle of the window. */
  #offset = 0

  constructor({ from, to }: { from: number; to: number }) {
    const cutoff = Math.min(1, to / from) * bandwidth
    this.#step = from / to
    this.#half = Math.ceil(zero_crossings / cutoff)
    this.#filter = makeFilter(this.#half, cutoff)
    this.#window = new Float32Array(4 * this.#half)
  }

  /** Adds a sample, and passes on the samples of the result that it completes: none, one or several. */
  push(sample: number, emit: (sample: number) => void): void {
    const length = 2 * this.#half
    this.#window[this.#next] = sample
    this.#window[this.#next + length] = sample
    this.#next = (this.#next + 1) % length
    for (; this.#offset < 1; this.#offset += this.#step) emit(this.#valueAt(this.#offset))
    this.#offset -= 1
  }

  #valueAt(offset: number): number {
    let sum = 0
    for (let index = 0; index < 2 * this.#half; index += 1) {
      const place = Math.abs(index - this.#half + 1 - offset) * steps
      const below = Math.floor(place)
      const first = this.#filter[below] ?? 0
      const value = first + (place - below) * ((this.#filter[below + 1] ?? 0) - first)
      sum += value * (this.#window[this.#next + index] ?? 0)
    }
    return sum
  }
}

/** Makes a sinc with a Blackman window, from its middle to its end. */
function makeFilter(half: number, cutoff: number): Float32Array {
  const filter = new Float32Array(half * steps + 2)
  for (let index = 0; index < half * steps; index += 1) {
    const distance = index / steps
    const angle = Math.PI * cutoff * distance
    const sinc = angle === 0 ? 1 : Math.sin(angle) / angle
    const turn = (Math.PI * distance) / half
    filter[index] = cutoff * sinc * (0.42 + 0.5 * Math.cos(turn) + 0.08 * Math.cos(2 * turn))
  }
  return filter
}
