const isSame = (one: unknown, other: unknown): boolean => JSON.stringify(one) === JSON.stringify(other)

/** The list as it is now, with what was added to it and taken from it here since `before`. */
export function mergeList(before: string[], wanted: string[], now: string[]): string[] {
  if (isSame(before, now)) return wanted
  const kept = now.filter((one) => wanted.includes(one) || !before.includes(one))
  return [...kept, ...wanted.filter((one) => !before.includes(one) && !kept.includes(one))]
}

/** The members as they are now, with those that were changed here since `before`. */
export function mergeMembers<Value>(
  before: Record<string, Value>,
  wanted: Record<string, Value>,
  now: Record<string, Value>,
): Record<string, Value> {
  const names = new Set([...Object.keys(now), ...Object.keys(before), ...Object.keys(wanted)])
  const from = (name: string) => (isSame(before[name], wanted[name]) ? now[name] : wanted[name])
  return Object.fromEntries(
    [...names].flatMap((name) => {
      const value = from(name)
      return value === undefined ? [] : [[name, value]]
    }),
  )
}

/** Only the fields that were changed here, so that what others changed meanwhile stays. */
export function changedFields<Values extends object>(before: Values, wanted: Values): Partial<Values> {
  const names = Object.keys(wanted) as (keyof Values)[]
  return Object.fromEntries(
    names.filter((name) => !isSame(before[name], wanted[name])).map((name) => [name, wanted[name]]),
  ) as Partial<Values>
}
