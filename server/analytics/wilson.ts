/** The share of a normal distribution within this many deviations is 95 %. */
const deviations = 1.959964

/** Returns a share of `total`, with the limits of Wilson's interval of 95 %. All are null when `total` is 0. */
export function shareOf(
  part: number,
  total: number,
): { value: number | null; low: number | null; high: number | null } {
  if (total === 0) return { value: null, low: null, high: null }
  const value = part / total
  const square = deviations ** 2 / total
  const middle = value + square / 2
  const half = deviations * Math.sqrt((value * (1 - value)) / total + square / (4 * total))
  const limit = (one: number) => rounded(Math.min(1, Math.max(0, one / (1 + square))))
  return { value: rounded(value), low: limit(middle - half), high: limit(middle + half) }
}

const rounded = (share: number): number => Math.round(share * 10_000) / 10_000
