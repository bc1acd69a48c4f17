import { canonicalJson } from '../kit/json.ts'
import { truncate } from '../kit/text.ts'
import type { Entry, State, ToolCall, ToolRule, ToolRun } from './state.ts'

/** A result that the model is told again is cut after this many characters. */
const told_again_max = 2_000

/** Why a tool was not run. `asked` has what the contact was asked, and `result` that of the run that is not repeated. */
export interface Refusal {
  reason: 'repeated' | 'calls_max' | 'confirm'
  message: string
  asked?: string
  result?: unknown
}

export interface SortedCalls {
  allowed: ToolCall[]
  refused: ToolRun[]
  /** One of the refused calls: the contact is asked whether it is to run. */
  asks: { call: ToolCall; sentence: string } | undefined
}

/** Says which calls of an answer run. At most `max` do. */
export function sortCalls(state: State, calls: ToolCall[], max: number): SortedCalls {
  const before = [...runsSinceWords(state.history), ...state.ended_runs]
  const sorted: SortedCalls = { allowed: [], refused: [], asks: undefined }
  for (const call of calls) {
    const refusal = refusalFor(call, { rule: ruleOf(state, call.name), before, sorted, max })
    if (refusal) sorted.refused.push(refuse(call, refusal))
    else sorted.allowed.push(call)
  }
  return sorted
}

const ruleOf = ({ settings: { tool_rules = {} } }: State, name: string): ToolRule | undefined =>
  Object.hasOwn(tool_rules, name) ? tool_rules[name] : undefined

/** The runs of turns since the contact has last spoken. */
const runsSinceWords = (history: Entry[]): ToolRun[] =>
  history.slice(history.findLastIndex(({ role }) => role === 'contact') + 1).flatMap(({ runs }) => runs)

const refuse = (call: ToolCall, result: Refusal): ToolRun => ({ ...call, status: 'refused', result })

interface RefusalGrounds {
  rule: ToolRule | undefined
  before: ToolRun[]
  sorted: SortedCalls
  max: number
}

function refusalFor(call: ToolCall, { rule, before, sorted, max }: RefusalGrounds): Refusal | undefined {
  const { allowed, asks } = sorted
  if (rule && !rule.may_repeat) {
    const first = before.find((run) => isDone(run) && isSameCall(run, call))
    if (first) return repeated(first)
    if ([...allowed, ...(asks ? [asks.call] : [])].some((one) => isSameCall(one, call))) return called_twice
  }
  if (rule && rule.calls_max !== null) {
    const runs = before.filter(isOfThisAnswer).concat(allowed.map(asRun))
    if (runs.filter(({ name }) => name === call.name).length >= rule.calls_max) return beyond(rule.calls_max)
  }
  if (allowed.length >= max) return too_many
  if (rule?.confirm == null || call.is_invalid) return undefined
  if (asks) return one_at_a_time
  sorted.asks = { call, sentence: rule.confirm }
  return not_asked
}

/** Whether two calls have the same tool and arguments. The order of members makes no difference. */
export const isSameCall = (one: NamedCall, other: NamedCall): boolean =>
  one.name === other.name && canonicalJson(one.arguments) === canonicalJson(other.arguments)

type NamedCall = Pick<ToolCall, 'name' | 'arguments'>

/** Whether the run has succeeded, and the contact has not spoken since. */
const isDone = ({ status, before_words }: ToolRun): boolean => status === 'succeeded' && before_words !== 'ended'

const isOfThisAnswer = ({ status, before_words }: ToolRun): boolean =>
  status !== 'refused' && status !== 'invalid_arguments' && before_words === undefined

const asRun = (call: ToolCall): ToolRun => ({ ...call, status: 'unknown', result: null })

function repeated({ result }: ToolRun): Refusal {
  const text = JSON.stringify(result) ?? ''
  return {
    reason: 'repeated',
    message:
      'This was done already with the same arguments, and was not done again. It can be done again when the contact has said something.',
    result: text.length <= told_again_max ? result : truncate(text, told_again_max),
  }
}

const called_twice: Refusal = {
  reason: 'repeated',
  message: 'It was called twice at once with the same arguments, and is done once.',
}

const beyond = (calls_max: number): Refusal => ({
  reason: 'calls_max',
  message: `This was not done: in one answer this tool runs ${calls_max === 1 ? 'once' : `${calls_max} times`} at most. Tell the contact what was done.`,
})

const too_many: Refusal = { reason: 'calls_max', message: 'This tool was not run: too many were called.' }

const one_at_a_time: Refusal = {
  reason: 'confirm',
  message: 'This was not done: the contact is asked about one thing at a time. Call it again after that.',
}

const not_asked: Refusal = { reason: 'confirm', message: 'This was not done: the contact was not asked before.' }
