import type { Fact, Final } from '../../calls/facts.ts'
import type { Machine } from '../../talk/state.ts'
import type { Person, Wait } from './person.ts'
import { drawFrom, type Random } from './random.ts'

const queued_after_ms = 100
const ringing_after_ms = 600
/** The carrier tells a machine from a person this long after the answer. */
export const machine_after_ms = 1_500
/** How late a repeated report is at most. */
const late_ms = [0, 3_000] as const

/** A fact, and when it is reported. */
export interface Report {
  at: number
  fact: Fact
}

export interface Beginning {
  /** The facts in order, up to the answer, or to the end if nobody answers. */
  facts: Fact[]
  answered_at: number | null
}

export const waitOf = (random: Random, wait: Wait): number => (typeof wait === 'number' ? wait : drawFrom(random, wait))

/** Returns what happens on the line before someone answers. The same seed always gives the same. */
export function beginningOf(person: Person, random: Random, started_at: number): Beginning {
  const { unanswered, rings_ms = 0, machine } = person
  if (person.has_no_reports) return { facts: [], answered_at: null }
  const ringing_at = started_at + ringing_after_ms
  if (!unanswered) {
    const answered_at = ringing_at + waitOf(random, rings_ms)
    const facts = [
      factOf({ kind: 'queued' }, started_at + queued_after_ms),
      factOf({ kind: 'ringing' }, ringing_at),
      factOf({ kind: 'answered' }, answered_at),
      ...(machine ? [machineFact(machine, answered_at + machine_after_ms)] : []),
    ]
    return { facts, answered_at }
  }
  const { final, after_ms, is_ringing } = unanswered
  const ended_at = started_at + waitOf(random, after_ms)
  const facts = [
    factOf({ kind: 'queued' }, started_at + queued_after_ms),
    ...(is_ringing ? [factOf({ kind: 'ringing' }, ringing_at)] : []),
  ].filter(({ at }) => at < ended_at)
  return { facts: [...facts, finalFact(final, ended_at)], answered_at: null }
}

/** Returns when the carrier reports the facts: at once, or twice and late. */
export function reportsOf(person: Person, random: Random, facts: Fact[]): Report[] {
  if (!person.has_repeated_reports) return facts.map((fact) => ({ at: fact.at, fact }))
  return facts
    .flatMap((fact) => [fact, fact].map(() => ({ at: fact.at + drawFrom(random, late_ms), fact })))
    .sort((left, right) => left.at - right.at)
}

export const finalFact = (final: Final, at: number): Fact => factOf({ kind: 'final', final }, at, final)

const machineFact = (machine: Machine, at: number): Fact => factOf({ kind: 'machine', machine }, at, machine)

function factOf(fact: Fact['fact'], at: number, value?: string): Fact {
  return { key: value === undefined ? fact.kind : `${fact.kind}.${value}`, at, source: 'carrier', fact }
}
