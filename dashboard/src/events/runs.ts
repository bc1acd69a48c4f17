import type { Event } from '../../../server/events/schema.ts'

/** Events of the same type about the same thing, newest first. */
export type Run = [Event, ...Event[]]

/** Groups events that follow each other and differ only in what was said or counted, to be shown as one: "Turn ×9". */
export function toRuns(events: Event[]): Run[] {
  const runs: Run[] = []
  for (const event of events) {
    const last = runs.at(-1)
    if (last && isAlike(last[0], event)) last.push(event)
    else runs.push([event])
  }
  return runs
}

/** Joins runs. The older ones stay as they are, so that their rows are not rendered again. */
export function joinRuns(newer: Run[], older: Run[]): Run[] {
  const [last, first] = [newer.at(-1), older[0]]
  if (!last || !first || !isAlike(last[0], first[0])) return [...newer, ...older]
  return [...newer.slice(0, -1), [...last, ...first], ...older.slice(1)]
}

const isAlike = (one: Event, other: Event): boolean => one.type === other.type && one.resource_id === other.resource_id
