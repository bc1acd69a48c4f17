import { second_ms } from '../../kit/clock.ts'
import { letOthersRun, type Urgency } from '../../kit/let-others-run.ts'
import type { RuleName } from '../explain-schema.ts'
import type { Candidate } from './candidate.ts'
import { type Context, contextOf, type Fault, type Situation } from './context.ts'
import { nextStart } from './pacing.ts'
import { firstFault } from './rules.ts'

export interface Plan<C extends Candidate> {
  dial: C[]
  defer: { candidate: C; until: number; rule: RuleName }[]
  finish: { candidate: C; status: 'skipped' | 'failed' | 'expired'; reason: string }[]
  pause?: 'circuit_breaker'
  /** The next second, if some of the due candidates were left for it. */
  next_at: number | undefined
}

const finished = { skip: 'skipped', fail: 'failed', expire: 'expired' } as const

/**
 * Plans what the dialer does in the second that begins at `now`. Goes through `due` in order, until no further attempt
 * may begin. Candidates that are in no list stay due. While nobody is due, the circuit breaker has nothing to stop.
 * Other work runs in between, because it can take long to find out when people in many zones can be reached.
 */
export async function plan<C extends Candidate>(
  { due, ...situation }: Situation & { due: readonly C[] },
  urgency: Urgency = {},
): Promise<Plan<C>> {
  const { now, campaign } = situation
  const planned: Plan<C> = { dial: [], defer: [], finish: [], next_at: undefined }
  if (campaign.status !== 'running') return planned
  const context = contextOf(situation)
  const has_ended = campaign.ends_at !== undefined && campaign.ends_at <= now
  if (context.is_broken && !has_ended && due.length > 0) return { ...planned, pause: 'circuit_breaker' }
  for (const candidate of due) {
    await letOthersRun(urgency)
    const fault = firstFault(candidate, context)
    if (!fault) dial(planned, context, candidate)
    else if (fault.rule === 'breaker' || fault.rule === 'pacing')
      return { ...planned, next_at: context.starts_left > 0 ? now + second_ms : nextStart(campaign, now) }
    else keep(planned, candidate, fault)
  }
  return planned
}

function dial<C extends Candidate>(planned: Plan<C>, context: Context, candidate: C): void {
  planned.dial.push(candidate)
  context.in_flight += 1
  context.room -= 1
  context.starts_left -= 1
}

function keep<C extends Candidate>(planned: Plan<C>, candidate: C, fault: Fault): void {
  if (fault.verdict === 'done') return
  if (fault.verdict !== 'defer') {
    planned.finish.push({ candidate, status: finished[fault.verdict], reason: fault.reason })
  } else if (fault.until !== undefined) {
    planned.defer.push({ candidate, until: fault.until, rule: fault.rule })
  }
}
