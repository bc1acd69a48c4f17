import { isDeepStrictEqual } from 'node:util'
import { letOthersRun } from '../kit/let-others-run.ts'
import { counted, truncate } from '../kit/text.ts'
import { type Heard, heard_length_max, languageOf, listen, scorePhrases } from '../models/matching.ts'
import { hasPart } from './matches.ts'
import { own_errors } from './own-errors.ts'
import { isPattern, openPattern, type Pattern } from './patterns.ts'
import type { Expectation, ends } from './schema.ts'

/**
 * Limits the work of all phrases and patterns of a play together, in letters times the size of the pattern. This takes
 * some seconds. Beyond it a play fails.
 */
const work_max = 30_000_000
/** Comparing this many letters of words takes as long as one letter with a pattern of size 1. */
const letters_per_work = 4
const shown_phrase_max = 80
const shown_value_max = 200

/** The part of a play at which an expectation looks: a whole conversation, or the answer to one line. */
export interface Scope {
  /** The turns of the agent, as they were heard. */
  turns: { seq: number; text: string }[]
  /** The number of the last turn. */
  last_seq: number | null
  /** The documents that answers are based on. */
  cited: string[]
  runs: { name: string; arguments: unknown; seq: number | null }[]
  results: Record<string, unknown>
  how: (typeof ends)[number] | null
  end_reason: string | null
  tokens: number
  cost_micros: number
  latency_ms: number | null
}

export interface MissedExpectation {
  sentence: string
  /** The turn at which the failure shows. */
  seq: number | null
}

/** Says that the phrases and patterns of a play would take too long. */
export class TooMuchWork extends Error {}

/** Checks the expectations of one play, which share one limit of work. */
export class Checker {
  readonly #language: ReturnType<typeof languageOf>
  /** The words that were heard, by the number of the turn. */
  readonly #heard = new Map<number, Heard>()
  /** Lists with one phrase each, which are reused so that the words of a list are split once. */
  readonly #lists = new Map<string, [string]>()
  readonly #patterns = new Map<string, Pattern>()
  #work_left = work_max

  constructor(language: string) {
    this.#language = languageOf(language)
  }

  /** Checks an expectation. Returns what is wrong, or undefined if it holds. A `judge` is asked elsewhere. */
  async check(expectation: Expectation, scope: Scope): Promise<MissedExpectation | undefined> {
    const { type } = expectation
    const { last_seq } = scope
    if (type === 'says' || type === 'never_says') return this.#checkWords(expectation, scope)
    if (type === 'calls_tool' || type === 'never_calls_tool') return checkCalls(expectation, scope)
    const sentence =
      type === 'result'
        ? resultFault(expectation, scope)
        : type === 'ends'
          ? endFault(expectation, scope)
          : type === 'at_most'
            ? limitFault(expectation, scope)
            : type === 'cites'
              ? citationFault(expectation, scope)
              : undefined
    return sentence === undefined ? undefined : { sentence, seq: last_seq }
  }

  async #checkWords(
    { type, any_of = [] }: Expectation,
    { turns, last_seq }: Scope,
  ): Promise<MissedExpectation | undefined> {
    for (const turn of turns) {
      for (const phrase of any_of) {
        await letOthersRun()
        if (!(await this.#isSaid(phrase, turn))) continue
        if (type === 'says') return undefined
        return { sentence: `The agent said ${quoted([phrase])}.`, seq: turn.seq }
      }
    }
    if (type === 'never_says') return undefined
    const none = any_of.length === 1 ? 'did not say' : 'said none of'
    return { sentence: `The agent ${none} ${quoted(any_of)}.`, seq: turns.at(-1)?.seq ?? last_seq }
  }

  async #isSaid(phrase: string, { seq, text }: Scope['turns'][number]): Promise<boolean> {
    if (isPattern(phrase)) {
      const pattern = this.#patterns.get(phrase) ?? openPattern(phrase)
      this.#patterns.set(phrase, pattern)
      const said = truncate(text, heard_length_max)
      this.#spend(pattern.size * said.length)
      return pattern.isIn(said)
    }
    const list = this.#lists.get(phrase) ?? [phrase]
    this.#lists.set(phrase, list)
    const heard = this.#heard.get(seq) ?? listen(text, this.#language)
    this.#heard.set(seq, heard)
    // Each phrase may compare all letters, so that what it finds doesn't depend on the phrases before it.
    const own = { ...heard }
    const best = scorePhrases(list, own)
    this.#spend((phrase.length + heard.letters_left - own.letters_left) / letters_per_work)
    return best?.score === 1
  }

  #spend(work: number): void {
    this.#work_left -= work
    if (this.#work_left < 0) throw new TooMuchWork(own_errors.too_much_work)
  }
}

function quoted(phrases: string[]): string {
  const [first = '', second, ...rest] = phrases.map((phrase) => `"${truncate(phrase, shown_phrase_max)}"`)
  if (second === undefined) return first
  return rest.length === 0
    ? `${first} and ${second}`
    : `${first}, ${second} and ${counted(rest.length, 'other phrase', 'other phrases')}`
}

function checkCalls(
  { type, tool = '', arguments: wanted = {}, times }: Expectation,
  { runs, last_seq }: Scope,
): MissedExpectation | undefined {
  const of_tool = runs.filter(({ name }) => name === tool)
  const found = of_tool.filter((run) => hasPart(run.arguments, wanted))
  const has_arguments = Object.keys(wanted).length > 0
  const what = has_arguments ? `${tool} with ${shown(wanted)}` : tool
  if (type === 'never_calls_tool')
    return found[0] && { sentence: `The agent called ${what}.`, seq: found[0].seq ?? last_seq }
  if (times === undefined ? found.length > 0 : found.length === times) return undefined
  if (times !== undefined)
    return {
      sentence: `The agent called ${what} ${timesText(found.length)} instead of ${timesText(times)}.`,
      seq: found.at(-1)?.seq ?? last_seq,
    }
  const other = of_tool.at(-1)
  return other
    ? { sentence: `The agent called ${tool} with ${shown(other.arguments)} only.`, seq: other.seq ?? last_seq }
    : { sentence: `The agent did not call ${what}.`, seq: last_seq }
}

const timesText = (count: number): string => counted(count, 'time', 'times')

const shown = (value: unknown): string => truncate(JSON.stringify(value) ?? 'nothing', shown_value_max)

function resultFault({ name = '', equals = null }: Expectation, { results }: Scope): string | undefined {
  const value = Object.hasOwn(results, name) ? results[name] : null
  if (isDeepStrictEqual(value, equals)) return undefined
  if (value === null) return `The result ${name} was not collected.`
  return equals === null
    ? `The result ${name} was collected: ${shown(value)}.`
    : `The result ${name} is ${shown(value)} and not ${shown(equals)}.`
}

const end_texts: Record<(typeof ends)[number], string> = {
  agent_ended: 'the agent ended it',
  handed_over: 'it was handed over',
  transferred: 'it was transferred',
  opted_out: 'the contact opted out',
  limit: 'it reached a limit',
}

function endFault(expectation: Expectation, { how, end_reason }: Scope): string | undefined {
  const { how: wanted, end_reason: wanted_reason } = expectation
  if (wanted !== undefined && wanted !== how) {
    const was = how === null ? 'it did not end by itself' : end_texts[how]
    return `How it ended: ${was}, and not: ${end_texts[wanted]}.`
  }
  if (wanted_reason !== undefined && wanted_reason !== end_reason)
    return `The call ended with the reason ${end_reason ?? 'none'} and not ${wanted_reason}.`
  return undefined
}

function citationFault({ document_id = '' }: Expectation, { cited }: Scope): string | undefined {
  if (cited.includes(document_id)) return undefined
  return cited.length === 0 ? 'The agent cited no document.' : 'The agent cited other documents only.'
}

function limitFault(expectation: Expectation, scope: Scope): string | undefined {
  const found = {
    turns: [scope.turns.length, 'turns'],
    tokens: [scope.tokens, 'tokens'],
    cost_micros: [scope.cost_micros, 'millionths of cost'],
    latency_ms: [scope.latency_ms ?? 0, 'ms for the slowest answer'],
  } as const
  for (const name of ['turns', 'tokens', 'cost_micros', 'latency_ms'] as const) {
    const most = expectation[name]
    const [value, unit] = found[name]
    if (most !== undefined && value > most) return `It took ${value} ${unit}, and at most ${most} are allowed.`
  }
  return undefined
}
