/** The encodings in order of preference: the first that a client accepts as much as any other is used. */
export const encodings = ['br', 'gzip'] as const
export type Encoding = (typeof encodings)[number]

/** Chooses by the q-values of an Accept-Encoding header. Undefined: the content is sent as it is. */
export function chooseEncoding(header: string | undefined, available: readonly Encoding[]): Encoding | undefined {
  if (header === undefined) return undefined
  const weights = new Map(header.split(',').map(toWeight))
  const weightOf = (name: string): number | undefined => weights.get(name) ?? weights.get('*')
  const best = available.toSorted((one, other) => (weightOf(other) ?? 0) - (weightOf(one) ?? 0))[0]
  const weight = best === undefined ? 0 : (weightOf(best) ?? 0)
  return weight > 0 && weight >= (weights.get('identity') ?? 0) ? best : undefined
}

function toWeight(part: string): [name: string, weight: number] {
  const [name = '', ...parameters] = part.split(';').map((one) => one.trim().toLowerCase())
  const q = parameters.find((one) => one.startsWith('q='))
  const weight = q === undefined ? 1 : Number(q.slice('q='.length))
  // An encoding whose weight can't be read is not accepted.
  return [name, weight >= 0 && weight <= 1 ? weight : 0]
}
