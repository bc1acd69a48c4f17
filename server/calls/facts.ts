import * as clock from '../kit/clock.ts'
import type { Machine } from '../talk/state.ts'
import { type Call, type Ender, type EndReason, end_reasons, enders, type Outcome, type Status } from './schema.ts'

/** Something that is known of a call. Facts are a set: any order and any repetition of them give the same call. */
export interface Fact {
  /** Facts with the same key are one. */
  key: string
  at: number
  source: 'carrier' | 'contact' | 'agent' | 'human' | 'system'
  fact:
    | { kind: 'dialed' }
    | { kind: 'queued' }
    | { kind: 'ringing' }
    | { kind: 'answered' }
    | { kind: 'machine'; machine: Machine }
    /** How the line has ended, as the carrier says. */
    | { kind: 'final'; final: Final }
    /** How we have ended the call, or seen it end. */
    | { kind: 'ended'; end_reason: EndReason; ended_by: Ender }
}

/** @internal */
export const finals = [
  'completed',
  'no_answer',
  'busy',
  'rejected',
  'invalid_number',
  'unreachable',
  'blocked',
  'canceled',
  'error',
  'unknown',
] as const
export type Final = (typeof finals)[number]

/** What a carrier says of who has answered, in the words of Twilio's `AnsweredBy`. */
export const verdicts = [
  'human',
  'machine_start',
  'machine_end_beep',
  'machine_end_silence',
  'machine_end_other',
  'fax',
  'unknown',
] as const
export type Verdict = (typeof verdicts)[number]

/** The carrier's verdict as a fact. Its key has the carrier's word, which says more than the fact. */
export const verdictFact = (verdict: Exclude<Verdict, 'unknown'>, at: number): Fact => ({
  key: `${verdict_key}${verdict}`,
  at,
  source: 'carrier',
  fact: { kind: 'machine', machine: verdict === 'human' ? 'human' : 'voicemail' },
})

export const verdictsIn = (facts: Fact[]): Verdict[] =>
  facts.flatMap(({ key }) => verdicts.find((verdict) => key === `${verdict_key}${verdict}`) ?? [])

const verdict_key = 'answered_by.'

export const dialedFact = (at: number): Fact => ({ key: 'dialed', at, source: 'system', fact: { kind: 'dialed' } })

/** How we have ended the call. */
export const endedFact = (at: number, end_reason: EndReason, ended_by = ender_of[end_reason]): Fact => ({
  key: 'ended',
  at,
  source: ended_by,
  fact: { kind: 'ended', end_reason, ended_by },
})

/** How the line has ended. `unknown` is our own assumption, and a carrier may still say something else. */
export const finalFact = (at: number, final: Final, given: Partial<Pick<Fact, 'key' | 'source'>> = {}): Fact => ({
  key: final === 'unknown' ? 'unknown' : 'final',
  at,
  source: 'system',
  fact: { kind: 'final', final },
  ...given,
})

/** Someone has answered, and has heard nobody. */
export const unheardFact = (at: number): Fact => ({
  key: unheard_key,
  at,
  source: 'system',
  fact: { kind: 'ended', end_reason: 'system_error', ended_by: 'system' },
})

const unheard_key = 'unheard'

/** Moves facts into a range of time, because the carrier's clock may differ from ours. */
export const timely = (facts: Fact[], { from, to }: { from: number; to: number }): Fact[] =>
  facts.map((fact) => ({ ...fact, at: Math.min(to, Math.max(from, fact.at)) }))

/** Returns the union, in one order. The earliest of the facts with the same key stays. */
export function merge(known: Fact[], more: Fact[]): Fact[] {
  const by_key = new Map<string, Fact>()
  for (const fact of [...known, ...more].map(toCanonical)) {
    const other = by_key.get(fact.key)
    if (!other || compare(fact, other) < 0) by_key.set(fact.key, fact)
  }
  return [...by_key.values()].sort(compare)
}

/**
 * Puts the members of a fact in one order, so that equal facts are equal as JSON: PostgreSQL returns them in another
 * order.
 */
const toCanonical = ({ key, at, source, fact }: Fact): Fact => ({ key, at, source, fact: toCanonicalFact(fact) })

function toCanonicalFact(fact: Fact['fact']): Fact['fact'] {
  if (fact.kind === 'machine') return { kind: fact.kind, machine: fact.machine }
  if (fact.kind === 'final') return { kind: fact.kind, final: fact.final }
  if (fact.kind === 'ended') return { kind: fact.kind, end_reason: fact.end_reason, ended_by: fact.ended_by }
  return { kind: fact.kind }
}

const compare = (left: Fact, right: Fact): number =>
  left.at - right.at || compareText(left.key, right.key) || compareText(JSON.stringify(left), JSON.stringify(right))

const compareText = (left: string, right: string): number => (left === right ? 0 : left < right ? -1 : 1)

type Summary = Pick<
  Call,
  'status' | 'outcome' | 'end_reason' | 'ended_by' | 'started_at' | 'answered_at' | 'ended_at' | 'duration_ms'
>

/** What the facts say of the call. A call without facts is queued, or scheduled. */
export function summarize(facts: Fact[]): Summary {
  const known = readFacts(facts)
  const { dialed_at, answered_at, ended_at, ended, final } = known
  const outcome = outcomeOf(known)
  const is_over = ended_at !== undefined
  return {
    status: is_over
      ? statusAtEnd(outcome)
      : known.is_answered
        ? 'in_progress'
        : known.is_ringing
          ? 'ringing'
          : 'queued',
    outcome,
    ...(ended ?? (final ? end_of_final[final] : { end_reason: null, ended_by: null })),
    started_at: clock.isoOptional(dialed_at),
    answered_at: clock.isoOptional(answered_at),
    ended_at: clock.isoOptional(ended_at),
    duration_ms: is_over && answered_at !== undefined ? Math.max(0, ended_at - answered_at) : null,
  }
}

type End = Pick<Call, 'end_reason' | 'ended_by'>

interface Known {
  dialed_at: number | undefined
  answered_at: number | undefined
  ended_at: number | undefined
  is_ringing: boolean
  /** Whether someone has answered, also when the report of the answer itself was lost. */
  is_answered: boolean
  /** Whoever has answered has heard nobody. */
  is_unheard: boolean
  machine: Machine | undefined
  final: Final | undefined
  ended: End | undefined
}

function readFacts(facts: Fact[]): Known {
  const earliest = (known: Fact[], ...kinds: Kind[]): number | undefined => {
    const times = known.flatMap(({ at, fact }) => (kinds.includes(fact.kind) ? [at] : []))
    return times.length > 0 ? Math.min(...times) : undefined
  }
  const ended_at = earliest(facts, 'ended', 'final')
  const timely = withoutLate(facts, ended_at)
  const machine =
    heardMachines(timely).at(-1) ?? firstOf(timely, 'machine', ({ machine }) => machines.indexOf(machine))?.machine
  const final = firstOf(timely, 'final', ({ final }) => finals.indexOf(final))?.final
  const unheard = timely.find(({ key }) => key === unheard_key)
  const ended = firstOf(unheard ? [unheard] : timely, 'ended', rankOfEnd)
  const answered_at = earliest(timely, 'answered')
  return {
    dialed_at: earliest(facts, 'dialed'),
    answered_at,
    ended_at,
    is_ringing: earliest(facts, 'ringing') !== undefined,
    is_answered: answered_at !== undefined || machine !== undefined || final === 'completed',
    is_unheard: unheard !== undefined,
    machine,
    final,
    ended: ended && { end_reason: ended.end_reason, ended_by: ended.ended_by },
  }
}

/**
 * Leaves out what is reported too late to change the status of a call that is over. A call is given up only when nobody
 * is known to have answered it, so then every report of an answer is late. For other calls an answer after the end is
 * late.
 */
function withoutLate(facts: Fact[], ended_at = Number.POSITIVE_INFINITY): Fact[] {
  const is_given_up = facts.some(({ key, fact }) => isAssumed(fact) || key === given_up_key)
  const is_answered = facts.some(({ at, fact }) => fact.kind === 'answered' && at <= ended_at)
  return facts.filter(({ at, fact }) => {
    if (fact.kind === 'final') return !is_given_up || (fact.final !== 'completed' && fact.final !== 'canceled')
    if (fact.kind === 'answered') return !is_given_up && at <= ended_at
    return fact.kind !== 'machine' || (!is_given_up && (is_answered || at <= ended_at))
  })
}

/** Whether someone or something has answered, as far as is known. */
export const isAnswered = (facts: Fact[]): boolean => readFacts(facts).is_answered

type Kind = Fact['fact']['kind']
type FactOf<K extends Kind> = Extract<Fact['fact'], { kind: K }>

/** The earliest fact of a kind. What is only assumed (`unknown`) gives way to what was reported later. */
function firstOf<K extends Kind>(facts: Fact[], kind: K, rankOf: (fact: FactOf<K>) => number): FactOf<K> | undefined {
  const isOfKind = (fact: Fact['fact']): fact is FactOf<K> => fact.kind === kind
  const found = facts.flatMap(({ at, fact }) => (isOfKind(fact) ? [{ at, fact, is_assumed: isAssumed(fact) }] : []))
  found.sort(
    (left, right) =>
      Number(left.is_assumed) - Number(right.is_assumed) ||
      left.at - right.at ||
      rankOf(left.fact) - rankOf(right.fact),
  )
  return found[0]?.fact
}

/** What has answered, as was heard on the line. It counts more than what the carrier says, and the last of it most. */
export function heardMachines(facts: Fact[]): Machine[] {
  const heard = facts.flatMap(({ at, source, fact }) =>
    source === 'system' && fact.kind === 'machine' ? [{ at, machine: fact.machine }] : [],
  )
  heard.sort((one, other) => one.at - other.at || machines.indexOf(other.machine) - machines.indexOf(one.machine))
  return heard.map(({ machine }) => machine)
}

/** We have ended the call before the carrier has dialled. That the carrier reports this end says nothing more. */
export const given_up_key = 'given_up'

const isAssumed = (fact: Fact['fact']): boolean => fact.kind === 'final' && fact.final === 'unknown'

/** Which fact counts when several of a kind have the same time. */
const machines: Machine[] = ['voicemail', 'screened', 'menu', 'human']
const rankOfEnd = ({ end_reason, ended_by }: FactOf<'ended'>): number =>
  end_reasons.indexOf(end_reason) * enders.length + enders.indexOf(ended_by)

function outcomeOf({ is_answered, is_unheard, machine, final, ended }: Known): Outcome | null {
  if (is_unheard) return 'error'
  if (is_answered) return machine === undefined || machine === 'human' ? 'answered' : machine
  if (final === 'blocked') return final
  if (ended?.end_reason === 'canceled') return 'canceled'
  if (final !== undefined && final !== 'completed') return final
  if (!ended?.end_reason) return null
  return outcome_of_end[ended.end_reason] ?? 'unknown'
}

/** The outcomes of calls that nobody has answered, when the carrier has not said how the line ended. */
const outcome_of_end: Partial<Record<EndReason, Outcome>> = {
  not_answered: 'no_answer',
  carrier_error: 'error',
  system_error: 'error',
}

const answered_outcomes: (Outcome | null)[] = ['answered', 'voicemail', 'screened', 'menu']

function statusAtEnd(outcome: Outcome | null): Status {
  if (answered_outcomes.includes(outcome)) return 'completed'
  return outcome === 'canceled' ? 'canceled' : 'failed'
}

const end_of_final: Record<Final, End> = {
  completed: { end_reason: 'contact_hung_up', ended_by: 'contact' },
  no_answer: { end_reason: 'not_answered', ended_by: 'system' },
  busy: { end_reason: 'not_answered', ended_by: 'contact' },
  rejected: { end_reason: 'not_answered', ended_by: 'contact' },
  invalid_number: { end_reason: 'carrier_error', ended_by: 'system' },
  unreachable: { end_reason: 'carrier_error', ended_by: 'system' },
  blocked: { end_reason: 'carrier_error', ended_by: 'system' },
  error: { end_reason: 'carrier_error', ended_by: 'system' },
  canceled: { end_reason: 'canceled', ended_by: 'system' },
  unknown: { end_reason: 'carrier_silent', ended_by: 'system' },
}

/** The one who ends a call for each reason. */
const ender_of: Record<EndReason, Ender> = {
  contact_hung_up: 'contact',
  agent_hung_up: 'agent',
  human_hung_up: 'human',
  transferred: 'agent',
  opted_out: 'agent',
  goal_reached: 'agent',
  max_duration: 'system',
  silence: 'agent',
  voicemail_left: 'agent',
  voicemail_hung_up: 'agent',
  not_answered: 'system',
  canceled: 'human',
  carrier_error: 'system',
  carrier_silent: 'system',
  system_error: 'system',
}

export interface NewCallEvent {
  seq: number
  dedupe_key: string
  kind: string
  at: string
  source: Fact['source']
}

/** The events of facts that were not known before. Each fact is one event, so the known ones have the numbers up to theirs. */
export function toEvents(facts: Fact[], known: Fact[] = []): NewCallEvent[] {
  const keys = new Set(known.map(({ key }) => key))
  return merge([], facts)
    .filter(({ key }) => !keys.has(key))
    .map(({ key, at, source, fact }, index) => ({
      seq: keys.size + index + 1,
      dedupe_key: key,
      kind: kindOf(fact),
      at: clock.iso(at),
      source,
    }))
}

function kindOf(fact: Fact['fact']): string {
  if (fact.kind === 'machine') return `machine.${fact.machine}`
  if (fact.kind === 'final') return `final.${fact.final}`
  return fact.kind === 'ended' ? `ended.${fact.end_reason}` : fact.kind
}
