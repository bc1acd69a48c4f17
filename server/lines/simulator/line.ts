import type { CallLine, CallLineEvent } from '../../calls/carrier.ts'
import {
  act,
  awaitAgent,
  endAct,
  hear,
  isSpeaking,
  nextWordsAt,
  noticeWords,
  passWords,
  respond,
  speak,
  stateOf,
  stopSpeaking,
} from './behave.ts'
import { cancel, type LineState, type Plan, plan } from './line-state.ts'
import { personOf } from './people.ts'
import { addWords, emit, endReply, heardOf, playedOf, replyDoneAt, stopReply } from './playback.ts'
import type { Random } from './random.ts'
import { beginningOf, finalFact, machine_after_ms, reportsOf } from './reports.ts'

/** A person says hello this long after the answer, unless the agent speaks. */
const open_after_ms = 700
const react_to_digit_ms = 400
const transfer_ms = { answered: 6_000, unanswered: 20_000 }

export interface NewLine extends Random {
  person: string
  started_at: number
}

/** A call to a simulated person, from the dial on. */
export function newLine({ person: key, started_at, random }: NewLine): CallLine {
  const person = personOf(key)
  const state: LineState = {
    person: key,
    random,
    answered_at: null,
    is_over: false,
    outbox: [],
    reports: [],
    plans: [],
    replies: [],
    speech: null,
    state: 'start',
    heard: '',
    turns: 0,
    agent_turns: 0,
  }
  const { facts, answered_at } = beginningOf(person, state, started_at)
  state.reports = reportsOf(person, state, facts)
  if (answered_at !== null) plan(state, { at: answered_at, type: 'answer' })
  return openLine(state)
}

/** Opens a line that continues where its state was saved. */
export const openLine = (state: LineState): CallLine => ({
  contact_voice: personOf(state.person).voice,
  get next_at() {
    return state.outbox[0]?.at ?? nextStep(state)?.at
  },
  take(now) {
    advance(state, now)
    return state.outbox.splice(0)
  },
  say(now, { reply, text }) {
    advance(state, now)
    if (!isOpen(state) || text.trim() === '') return
    const starts_at = addWords(state, { at: now, reply, text })
    noticeWords(state, { reply, starts_at })
  },
  endReply(now, reply) {
    advance(state, now)
    if (isOpen(state)) endReply(state, { at: now, reply })
  },
  clear(now, reply) {
    advance(state, now)
    if (!isOpen(state)) return
    stopReply(state, { at: now, reply })
    cancel(state, 'leave')
    awaitAgent(state, now)
  },
  readPlayed(now) {
    advance(state, now)
    const [playing] = state.replies
    return playing && heardOf(state, playing, now)
  },
  press(now, digits) {
    advance(state, now)
    if (isOpen(state)) press(state, now, digits)
  },
  transfer(now, to) {
    advance(state, now)
    if (!isOpen(state)) return
    const is_ok = personOf(to.slice(-2)).unanswered === undefined
    plan(state, { at: now + transfer_ms[is_ok ? 'answered' : 'unanswered'], type: 'transferred', is_ok })
  },
  hangUp(now) {
    advance(state, now)
    if (!state.is_over) end(state, now)
  },
  save: () => structuredClone(state),
})

const isOpen = ({ is_over, answered_at }: LineState): boolean => !is_over && answered_at !== null

interface NextStep {
  at: number
  run: () => void
}

/** Takes each step at its own time, so that it doesn't matter how often the line is asked. */
function advance(state: LineState, until: number): void {
  for (let next = nextStep(state); next && next.at <= until; next = nextStep(state)) next.run()
}

/** Returns the next step. Of steps at the same time, the first one in this list is taken. */
function nextStep(state: LineState): NextStep | undefined {
  const report = state.reports[0]
  const done_at = replyDoneAt(state)
  const words_at = nextWordsAt(state)
  const next = state.plans[0]
  const steps: (NextStep | undefined)[] = [
    report && { at: report.at, run: () => passReport(state) },
    done_at === undefined ? undefined : { at: done_at, run: () => finishReply(state, done_at) },
    words_at === undefined ? undefined : { at: words_at, run: () => passWords(state, words_at) },
    next && { at: next.at, run: () => runPlan(state) },
  ]
  let first: NextStep | undefined
  for (const step of steps) if (step && (!first || step.at < first.at)) first = step
  return first
}

function passReport(state: LineState): void {
  const [report] = state.reports.splice(0, 1)
  if (!report) return
  const { at, fact } = report
  state.outbox.push({ at, type: 'fact', fact })
  if (fact.fact.kind === 'final') state.is_over = true
}

function finishReply(state: LineState, at: number): void {
  const [reply] = state.replies.splice(0, 1)
  if (!reply) return
  state.outbox.push(playedOf(state, reply, at), { at, type: 'play_done', reply: reply.id })
  hear(state, at, reply.parts.map(({ text }) => text).join(' '))
}

function runPlan(state: LineState): void {
  const [next] = state.plans.splice(0, 1)
  if (next) run(state, next)
}

function run(state: LineState, next: Plan): void {
  const { at } = next
  switch (next.type) {
    case 'answer':
      answer(state, at)
      break
    case 'machine':
      state.outbox.push({ at, type: 'machine', kind: personOf(state.person).machine ?? 'human' })
      break
    case 'open':
      open(state, at)
      break
    case 'beep':
      state.outbox.push({ at, type: 'beep' })
      break
    case 'respond':
      respond(state, at)
      break
    case 'silence':
    case 'timeout':
      act(state, at, stateOf(state)[next.type] ?? {})
      break
    case 'interrupt':
      if (state.replies[0]?.id === next.reply && !isSpeaking(state)) act(state, at, stateOf(state).interruption ?? {})
      break
    case 'digit':
      act(state, at, stateOf(state).digits?.[next.digit] ?? stateOf(state).timeout ?? {})
      break
    case 'go_on': {
      const [text = '', ...rest] = next.rest
      speak(state, at, { text, rest, ending: next.ending })
      break
    }
    case 'transferred':
      state.outbox.push({ at, type: 'transferred', is_ok: next.is_ok })
      if (next.is_ok) end(state, at)
      break
    case 'hang_up':
    case 'leave':
      emit(state, { at, type: 'hung_up' })
      end(state, at)
  }
}

function answer(state: LineState, at: number): void {
  state.answered_at = at
  state.outbox.push({ at, type: 'answered' })
  if (personOf(state.person).machine) plan(state, { at: at + machine_after_ms, type: 'machine' })
  plan(state, { at: at + open_after_ms, type: 'open' })
}

/** Lets a person listen when the agent speaks first. A machine doesn't. */
function open(state: LineState, at: number): void {
  const { machine, opening } = personOf(state.person)
  if (opening && (machine || state.replies.length === 0)) act(state, at, opening)
  else endAct(state, at)
}

function press(state: LineState, at: number, digits: string): void {
  const { digits: acts } = stateOf(state)
  const digit = [...digits].find((one) => acts?.[one]) ?? digits[0]
  if (!acts || digit === undefined) return
  stopSpeaking(state, at)
  cancel(state, 'timeout', 'digit')
  plan(state, { at: at + react_to_digit_ms, type: 'digit', digit })
}

/** Ends the call. The carrier reports the end, and what it has not reported before. */
function end(state: LineState, at: number): void {
  const person = personOf(state.person)
  const final = finalFact(state.answered_at === null ? 'canceled' : 'completed', at)
  const known = state.reports.filter(({ fact }) => fact.at <= at).map(({ fact }) => fact)
  const facts = [final, ...(person.has_repeated_reports ? [...known, final] : [])]
  if (!person.has_no_reports) state.outbox.push(...facts.map((fact): CallLineEvent => ({ at, type: 'fact', fact })))
  Object.assign(state, { is_over: true, reports: [], plans: [], replies: [], speech: null })
}
