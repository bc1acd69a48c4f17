import type { Claimed, Progress } from './queue.ts'

/** What this process has under way of one workspace. */
export interface Line {
  workspace: string
  /** Until then no other process sends anything of it. */
  lease_until: number
  /** Another one does, as far as is known. */
  is_elsewhere: boolean
  is_claiming: boolean
  /** Until it is noted what became of them. */
  claimed: Set<Claimed>
  flying: number
  /** Of these, to endpoints that fail. */
  failing: number
  by_endpoint: Map<string, Progress>
  /** What was committed late may be due before what was claimed since. */
  is_to_look_back: boolean
  /** Endpoints of which some was, and there may be more for which there was no room. */
  late: Set<string>
  /** More is claimed when no more than so many are left: while these fly, and what has landed is noted. */
  few: number
  /** And a little after an endpoint has none left, which others that are slow must not keep waiting. */
  asking: NodeJS.Timeout | undefined
}

export const newLine = (workspace: string): Line => ({
  workspace,
  lease_until: 0,
  is_elsewhere: false,
  is_claiming: false,
  claimed: new Set(),
  flying: 0,
  failing: 0,
  by_endpoint: new Map(),
  is_to_look_back: false,
  late: new Set(),
  few: 0,
  asking: undefined,
})

export const isFailing = ({ failing_since }: Claimed): boolean => failing_since !== null

/** One more is on its way, or one less. */
export function count(line: Line, delivery: Claimed, one: 1 | -1): void {
  const { webhook_id, due_at, id } = delivery
  line.flying += one
  if (isFailing(delivery)) line.failing += one
  const progress = line.by_endpoint.get(webhook_id) ?? { flying: 0, due_at, id }
  line.by_endpoint.set(webhook_id, progress)
  progress.flying += one
  if (isBefore(delivery, progress)) return
  progress.due_at = due_at
  progress.id = id
}

/** Whether it is due before the last that was claimed of its endpoint. */
export const isLate = (line: Line, delivery: Claimed): boolean =>
  isBefore(delivery, line.by_endpoint.get(delivery.webhook_id))

type Place = Pick<Progress, 'due_at' | 'id'>

const isBefore = (one: Place, other: Place = one): boolean =>
  one.due_at < other.due_at || (one.due_at === other.due_at && one.id < other.id)
