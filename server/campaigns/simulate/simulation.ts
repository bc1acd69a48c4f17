import * as clock from '../../kit/clock.ts'
import { letOthersRun } from '../../kit/let-others-run.ts'
import { hasRecovered, recent_max, recent_ms, resume_after_ms } from '../plan/breaker.ts'
import type { Candidate, DialedCampaign, EndedAttempt } from '../plan/candidate.ts'
import { limitIn } from '../plan/pacing.ts'
import { type Plan, plan } from '../plan/plan.ts'
import { afterAttempt } from '../plan/retry.ts'

/** The result of an attempt. */
export interface Result extends Omit<EndedAttempt, 'ended_at'> {
  /** When the attempt ends. It is Infinity when it goes on beyond what can be simulated. */
  ended_at: number
  callback_at?: number
  /** When the attempt stops to count as in flight, if that is earlier: a message counts until the carrier has it. */
  in_flight_until?: number
}

interface SimulationOptions<C extends Candidate> {
  campaign: DialedCampaign
  /** The candidates, in the order of `due_at`, `rank` and `id`. */
  due: (C & { due_at: number })[]
  /** Whether more candidates follow than those in `due`. They are not known to the simulation. */
  is_partial: boolean
  recent: EndedAttempt[]
  /** The ends of attempts that are known already, and lie ahead. */
  later: EndedAttempt[]
  /** When calls of the workspace end. The campaigns that run together share this list. */
  ends: { ended_at: number; campaign_id: string | null }[]
  calls_in_flight_max: number
  /** The first second in which to decide. */
  from: number
  attempt: (one: C & { due_at: number }, time: number) => Promise<Result>
  /** Is called before something is decided. */
  onSecond?: (time: number) => void
}

/**
 * Runs campaigns of a workspace together, as far as all of them are known: the earliest second first, and in it one
 * campaign after the other.
 */
export async function runTogether(
  simulations: RunningSimulation[],
  { until, attempts_max, isFull = () => false }: { until: number; attempts_max: number; isFull?: () => boolean },
): Promise<void> {
  for (;;) {
    await letOthersRun()
    const [next] = simulations.filter(({ next_at }) => next_at !== undefined).sort(byTime)
    const attempts = simulations.reduce((sum, one) => sum + one.attempts, 0)
    if (next?.next_at === undefined || next.next_at > until || attempts >= attempts_max || isFull()) return
    if (!(await next.decide(next.next_at))) return
  }
}

type RunningSimulation = Pick<Simulation<Candidate>, 'id' | 'next_at' | 'attempts' | 'decide'>

/** Sorts simulations in the order in which due campaigns are looked at. */
const byTime = (left: RunningSimulation, right: RunningSimulation): number =>
  (left.next_at ?? 0) - (right.next_at ?? 0) || (left.id < right.id ? -1 : 1)

/** Runs a campaign in memory, second by second, with the same functions as the dialer. Seconds without a decision are skipped. */
export class Simulation<C extends Candidate> {
  readonly #options: SimulationOptions<C>
  /** The candidates that wait, in the order of `due_at`, `rank` and `id`. */
  readonly #waiting: (C & { due_at: number })[]
  readonly #last_known: (C & { due_at: number }) | undefined
  readonly changed = new Set<C>()
  #recent: EndedAttempt[]
  #later: EndedAttempt[]
  #campaign: DialedCampaign
  /** When the first of the attempts that began in this second ends: the dialer looks then, too. */
  #first_end = Number.POSITIVE_INFINITY
  attempts = 0
  /** The last second in which something was decided. */
  decided_at: number | undefined
  /** The next second in which something is to be decided, if that is known. */
  next_at: number | undefined
  pause: Plan<C>['pause']

  constructor(options: SimulationOptions<C>) {
    const { due, is_partial, recent, later, campaign } = options
    this.#options = options
    this.#waiting = [...due]
    this.#last_known = is_partial ? due.at(-1) : undefined
    this.#recent = [...recent]
    this.#later = [...later].sort((left, right) => left.ended_at - right.ended_at)
    this.#campaign = campaign
    this.next_at = options.from
  }

  get id(): string {
    return this.#campaign.id
  }

  get is_probing(): boolean {
    return this.#campaign.is_probing
  }

  /** Goes on after the circuit breaker has paused the campaign. */
  resume(): void {
    const from = (this.decided_at ?? this.#options.from) + resume_after_ms
    this.#campaign = { ...this.#campaign, is_probing: true, running_since: from, breaker_since: from }
    this.pause = undefined
    this.next_at = from
  }

  /**
   * Decides in one second. Returns false if nothing can follow: the campaign is paused, or others may be due that are
   * not known here.
   */
  async decide(time: number): Promise<boolean> {
    this.#options.onSecond?.(time)
    const due = this.#takeDue(time)
    if (!due) return false
    const planned = await this.#plan(time, due)
    this.decided_at = time
    this.#first_end = Number.POSITIVE_INFINITY
    await this.#apply(time, planned)
    this.pause = planned.pause
    this.next_at = planned.pause ? undefined : this.#nextTime(time, planned)
    return !planned.pause
  }

  /** Returns the candidates that are due. Returns undefined if there may be others that are due, and not known here. */
  #takeDue(time: number): (C & { due_at: number })[] | undefined {
    const limit = limitIn(this.#campaign, time)
    const isVisible = (one: C & { due_at: number }) =>
      one.due_at <= time && (!this.#last_known || byDue(one, this.#last_known) <= 0)
    const first = this.#waiting.slice(0, limit)
    const count = first.findIndex((one) => !isVisible(one))
    const visible = count < 0 ? first.length : count
    if (this.#last_known && this.#last_known.due_at <= time && visible < limit) return undefined
    return first.slice(0, visible)
  }

  #plan(time: number, due: (C & { due_at: number })[]): Promise<Plan<C & { due_at: number }>> {
    this.#passTo(time)
    const { calls_in_flight_max, ends } = this.#options
    const room = Math.min(calls_in_flight_max - ends.length, this.#campaign.pacing.in_flight_max)
    const load = { in_flight: this.#ownEnds().length, room }
    return plan({ now: time, campaign: this.#campaign, load, due, recent: this.#recent })
  }

  /** Takes over what has ended by this time. */
  #passTo(time: number): void {
    const ended = this.#later.filter(({ ended_at }) => ended_at <= time)
    this.#later = this.#later.slice(ended.length)
    this.#recent = [...this.#recent, ...ended].filter(({ ended_at }) => ended_at > time - recent_ms).slice(-recent_max)
    const { ends } = this.#options
    for (let index = ends.length - 1; index >= 0; index -= 1)
      if ((ends[index]?.ended_at ?? 0) <= time) ends.splice(index, 1)
    const { is_probing, breaker_since } = this.#campaign
    if (is_probing && hasRecovered(this.#recent, breaker_since))
      this.#campaign = { ...this.#campaign, is_probing: false }
  }

  async #apply(time: number, planned: Plan<C & { due_at: number }>): Promise<void> {
    const decided = new Set<C>([
      ...planned.defer.map(({ candidate }) => candidate),
      ...planned.finish.map(({ candidate }) => candidate),
      ...(planned.pause ? [] : planned.dial),
    ])
    if (decided.size > 0) this.#removeFirst(decided)
    for (const { candidate, until } of planned.defer) {
      this.#change(candidate, time, { due_at: until })
      this.#insert(candidate)
    }
    for (const { candidate, status, reason } of planned.finish)
      this.#change(candidate, time, { status, reason, ...never })
    if (!planned.pause) for (const one of planned.dial) await this.#attempt(one, time)
  }

  /** Removes candidates, all of which are among the first ones. */
  #removeFirst(decided: ReadonlySet<C>): void {
    let [seen, found] = [0, 0]
    for (; found < decided.size && seen < this.#waiting.length; seen += 1) {
      const one = this.#waiting[seen]
      if (one && decided.has(one)) found += 1
    }
    const kept = this.#waiting.slice(0, seen).filter((one) => !decided.has(one))
    this.#waiting.splice(0, seen, ...kept)
  }

  async #attempt(one: C & { due_at: number }, time: number): Promise<void> {
    this.attempts += 1
    const result = await this.#options.attempt(one, time)
    const { ended_at, in_flight_until = ended_at } = result
    // The attempt goes on at least until the end of this second.
    this.#options.ends.push({ ended_at: Math.max(in_flight_until, time + 1), campaign_id: this.id })
    const attempts = one.attempts + 1
    const attempted_at = [...one.attempted_at, time]
    const refusal = result.is_opt_out ? 'opted_out' : one.refusal
    this.#change(one, time, { status: 'dialing', attempts, attempted_at, refusal, ...never })
    if (ended_at === Number.POSITIVE_INFINITY) return
    this.#first_end = Math.min(this.#first_end, ended_at)
    insertSorted(this.#later, { ...result, ended_at }, (left, right) => left.ended_at - right.ended_at)
    const after = afterAttempt(this.#campaign, one, result)
    this.#change(one, ended_at, { ...after, due_at: after.next_attempt_at ?? Number.POSITIVE_INFINITY })
    if (after.status === 'waiting') this.#insert(one)
  }

  #change(one: C & { due_at: number }, time: number, changes: object): void {
    Object.assign(one, changes, { updated_at: Math.max(updatedAt(one) + 1, time) })
    this.changed.add(one)
  }

  #insert(one: C & { due_at: number }): void {
    insertSorted(this.#waiting, one, byDue)
  }

  #ownEnds() {
    return this.#options.ends.filter(({ campaign_id }) => campaign_id === this.id)
  }

  /** Returns when the workspace has room for another call, as far as is known: seconds before that need no decision. */
  #roomAt(): number {
    const { ends, calls_in_flight_max } = this.#options
    if (ends.length < calls_in_flight_max) return 0
    const first_end = Math.min(...ends.map(({ ended_at }) => ended_at))
    return Number.isFinite(first_end) ? first_end : 0
  }

  /** Returns the next second in which a decision can differ, or undefined when nothing is left to wait for. */
  #nextTime(time: number, { next_at }: Plan<C>): number | undefined {
    const own = this.#ownEnds()
    const never_at = Number.POSITIVE_INFINITY
    const first_due = Math.min(this.#waiting[0]?.due_at ?? never_at, this.#last_known?.due_at ?? never_at)
    if (first_due === never_at) return undefined
    const is_full = own.length >= this.#campaign.pacing.in_flight_max
    const free_at = is_full ? Math.min(...own.map(({ ended_at }) => ended_at)) : this.#roomAt()
    const wanted = Math.max(next_at ?? first_due, free_at)
    const due_at = Math.max(Math.min(wanted, this.#first_end), time + clock.second_ms)
    return Number.isFinite(due_at) ? clock.ceilTo(due_at, clock.second_ms) : undefined
  }
}

const never = { next_attempt_at: undefined, callback_at: undefined, due_at: Number.POSITIVE_INFINITY }

const updatedAt = (one: object): number =>
  'updated_at' in one && typeof one.updated_at === 'number' ? one.updated_at : 0

interface DueOrder {
  due_at: number
  rank: number
  id: string
}

export const byDue = (left: DueOrder, right: DueOrder): number =>
  left.due_at - right.due_at || left.rank - right.rank || (left.id < right.id ? -1 : Number(left.id > right.id))

function insertSorted<T>(sorted: T[], one: T, order: (left: T, right: T) => number): void {
  let [from, to] = [0, sorted.length]
  while (from < to) {
    const middle = (from + to) >>> 1
    const other = sorted[middle]
    if (other !== undefined && order(other, one) <= 0) from = middle + 1
    else to = middle
  }
  sorted.splice(from, 0, one)
}
