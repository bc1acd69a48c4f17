export const isSame = (one: unknown, other: unknown): boolean => JSON.stringify(one) === JSON.stringify(other)

/** Three-way merge: applies the additions and removals between `before` and `wanted` to `current`. */
export function mergeList(before: string[], wanted: string[], current: string[]): string[] {
  if (isSame(before, current)) return wanted
  const kept = current.filter((one) => wanted.includes(one) || !before.includes(one))
  return [...kept, ...wanted.filter((one) => !before.includes(one) && !kept.includes(one))]
}

/** Three-way merge of the members that differ between `before` and `wanted` into `current`. */
export function mergeMembers<Value>(
  before: Record<string, Value>,
  wanted: Record<string, Value>,
  current: Record<string, Value>,
): Record<string, Value> {
  const names = new Set([...Object.keys(current), ...Object.keys(before), ...Object.keys(wanted)])
  const from = (name: string) => (isSame(before[name], wanted[name]) ? current[name] : wanted[name])
  return Object.fromEntries(
    [...names].flatMap((name) => {
      const value = from(name)
      return value === undefined ? [] : [[name, value]]
    }),
  )
}

/** Only the fields that differ, so that a patch leaves other people's changes alone. */
export function changedFields<Values extends object>(before: Values, wanted: Values): Partial<Values> {
  const names = Object.keys(wanted) as (keyof Values)[]
  return Object.fromEntries(
    names.filter((name) => !isSame(before[name], wanted[name])).map((name) => [name, wanted[name]]),
  ) as Partial<Values>
}
