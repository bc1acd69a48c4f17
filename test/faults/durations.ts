export interface DurationSummary {
  median: number
  p99: number
  max: number
  text: string
}

/** Durations are in milliseconds. */
export function summarizeDurations(durations: number[]): DurationSummary {
  const sorted = durations.toSorted((left, right) => left - right)
  const at = (share: number) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0
  const [median, p99, max] = [at(0.5), at(0.99), at(1)]
  const text = `median ${median.toFixed(1)} ms, 99th percentile ${p99.toFixed(1)} ms, max ${max.toFixed(1)} ms`
  return { median, p99, max, text }
}

export const formatMegabytes = (bytes: number): string => `${(bytes / 1024 / 1024).toFixed(1)} MB`
