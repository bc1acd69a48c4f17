import type { Settings } from '../workspaces/schema.ts'
import type { Call } from './schema.ts'

const million = 1_000_000n
const minute_ms = 60_000n

/** In millionths of the currency, rounded to the nearest. In whole numbers, so that it is the same everywhere. */
export function costOf(
  { usage, duration_ms, speech_ms = 0 }: Pick<Call, 'usage' | 'duration_ms'> & { speech_ms?: number | undefined },
  prices: Settings['prices'],
): number {
  const tokens =
    BigInt(usage.input_tokens) * BigInt(prices.input_tokens_per_million) +
    BigInt(usage.output_tokens) * BigInt(prices.output_tokens_per_million)
  const minutes =
    BigInt(duration_ms ?? 0) * BigInt(prices.call_minute) + BigInt(Math.round(speech_ms)) * BigInt(prices.speech_minute)
  const parts = million * minute_ms
  return Number((tokens * minute_ms + minutes * million + parts / 2n) / parts)
}
