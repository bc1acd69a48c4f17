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

/** Returns only the fields that differ, so that a patch leaves other people's changes alone. */
export function changedFields<Values extends object>(before: Values, wanted: Values): Partial<Values> {
  const names = Object.keys(wanted) as (keyof Values)[]
  return Object.fromEntries(
    names.filter((name) => !isSame(before[name], wanted[name])).map((name) => [name, wanted[name]]),
  ) as Partial<Values>
}

/** A field that two people have changed to different values. */
export interface FieldConflict {
  path: string[]
  mine: unknown
  theirs: unknown
}

/** Finds fields that both have changed to different values. Looks into objects, and compares lists as a whole. */
export function findConflicts(before: object, mine: object, theirs: object): FieldConflict[] {
  const [from, wanted, current] = [before, mine, theirs] as Record<string, unknown>[]
  const names = new Set([before, mine, theirs].flatMap((fields) => Object.keys(fields)))
  return [...names].flatMap((name) => {
    const [was, want, is] = [from?.[name], wanted?.[name], current?.[name]]
    if (isSame(was, want) || isSame(was, is) || isSame(want, is)) return []
    if (isMembers(was) && isMembers(want) && isMembers(is))
      return findConflicts(was, want, is).map((conflict) => ({ ...conflict, path: [name, ...conflict.path] }))
    return [{ path: [name], mine: want, theirs: is }]
  })
}

const isMembers = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Returns the same values, with the other person's in the fields that are in conflict. */
export function withTheirs<Values extends object>(mine: Values, conflicts: FieldConflict[]): Values {
  const values = structuredClone(mine)
  for (const { path, theirs } of conflicts) {
    const parent = path.slice(0, -1).reduce((at, name) => at[name] as Members, values as Members)
    parent[path.at(-1) ?? ''] = theirs
  }
  return values
}

type Members = Record<string, unknown>
