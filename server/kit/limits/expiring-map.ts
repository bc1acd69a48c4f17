import { setBounded } from './bounded-map.ts'

interface Entry<Value> {
  value: Value
  until: number
}

/** A bounded map whose entries expire. Times are arguments, and the clock may be set back. */
export class ExpiringMap<Value> {
  readonly #entries = new Map<string, Entry<Value>>()
  readonly #lifetime_ms: number
  readonly #size_max: number

  constructor(lifetime_ms: number, size_max: number) {
    this.#lifetime_ms = lifetime_ms
    this.#size_max = size_max
  }

  get(key: string, now: number): Value | undefined {
    const entry = this.#entries.get(key)
    // An entry that ends more than a lifetime from now was set before the clock was set back.
    return entry && entry.until > now && entry.until <= now + this.#lifetime_ms ? entry.value : undefined
  }

  set(key: string, value: Value, now: number): void {
    setBounded(this.#entries, key, { value, until: now + this.#lifetime_ms }, this.#size_max)
  }
}
