import { isClearYes } from '../consent/spoken.ts'
import { isObject, membersOf } from '../kit/json.ts'
import { scoreIntent } from '../models/intents.ts'
import { languageOf, listen } from '../models/matching.ts'
import { fill, type Values } from '../models/template.ts'
import { lettersOf } from './heard.ts'
import type { Entry, State, ToolCall, ToolQuestion, ToolRun } from './state.ts'
import { isSameCall, type Refusal } from './tool-rules.ts'

/** This is about tools that run only after a clear yes. What the contact was asked is in the turn with the question. */

/** Argument values above this many characters are listed after the sentence instead of being filled into it. */
const value_length_max = 1_000

/** Reads the arguments of a call back, in the tool's sentence if it has one. Those that it doesn't name come after it. */
export function readBack(
  { run, name, arguments: values }: ToolCall,
  sentence: string,
  is_that_right: string,
): ToolQuestion {
  const texts = Object.entries(membersOf(values)).map(([name, value]): [string, string] => [name, textOf(value)])
  const shorter: Values = Object.fromEntries(texts.filter(([, text]) => text.length <= value_length_max))
  const said = sentence === '' ? plainName(name) : oneLine(fill(sentence, shorter))
  const rest = texts.filter(([name, text]) => text !== '' && !(Object.hasOwn(shorter, name) && names(sentence, name)))
  if (rest.length === 0) return { run, sentence: withEnd(said), question: sentence.endsWith('?') ? '' : is_that_right }
  const list = rest.map(([name, text]) => `${plainName(name)}: ${text}`).join(', ')
  return { run, sentence: withEnd(`${said.replace(/[.!?:]+$/, '')}: ${list}`), question: is_that_right }
}

/** Whether the sentence has a placeholder of this name. */
const names = (sentence: string, name: string): boolean => fill(sentence, { [name]: '\0' }).includes('\0')

function textOf(value: unknown): string {
  if (value === null) return ''
  if (Array.isArray(value)) return value.map(textOf).join(', ')
  if (!isObject(value)) return oneLine(String(value))
  return Object.entries(value)
    .map(([name, member]) => `${plainName(name)} ${textOf(member)}`)
    .join(', ')
}

const plainName = (name: string): string => name.replace(/_+/g, ' ').trim()

const oneLine = (text: string): string => text.replace(/\s+/g, ' ').trim()

const withEnd = (text: string): string => (/[.!?]$/.test(text) ? text : `${text}.`)

export const questionOf = ({ sentence, question }: ToolQuestion): string =>
  [sentence, question].filter(Boolean).join(' ')

/** Adds to the run that the contact was asked. */
export const noteAsked = (runs: ToolRun[], { run, sentence }: ToolQuestion): ToolRun[] =>
  withResult(runs, run, {
    reason: 'confirm',
    message:
      'The contact was asked. A clear yes runs it. After any other answer, call it again if the contact wants it.',
    asked: sentence,
  })

export const noteTooLong = (runs: ToolRun[], { run }: ToolQuestion): ToolRun[] =>
  withResult(runs, run, {
    reason: 'confirm',
    message:
      'This was not done: the contact must be asked before, and there is no room for the arguments in one answer.',
  })

const withResult = (runs: ToolRun[], run: string, result: Refusal): ToolRun[] =>
  runs.map((one) => (one.run === run ? { ...one, result } : one))

/**
 * Returns the call that the contact has just confirmed: since the question it has said yes and nothing else, and nobody
 * else has spoken. Returns undefined if the same call has run since.
 */
export function findConfirmed({ history, settings, open_runs, ended_runs }: State): ToolCall | undefined {
  const index = history.findLastIndex(({ role }) => role !== 'contact')
  const question = history[index]
  const words = history.slice(index + 1).map(({ text }) => text)
  const run = question?.runs.findLast((run) => askedIn(run) !== undefined)
  if (!question || !run || !isHeard(question, askedIn(run) ?? '') || !isYes(words.join(' '), settings.language))
    return undefined
  return [...open_runs, ...ended_runs].some((one) => isSameCall(one, run)) ? undefined : run
}

function askedIn({ status, result }: ToolRun): string | undefined {
  const { asked } = membersOf(result)
  return status === 'refused' && typeof asked === 'string' ? asked : undefined
}

/** Whether the contact has heard the whole question, which it may interrupt in a call. */
const isHeard = ({ text }: Entry, sentence: string): boolean => lettersOf(text).includes(lettersOf(sentence))

/**
 * Whether the text is a yes and nothing else. "No more" is a clear yes to the question whether calls should stop, but
 * not to others.
 */
export const isYes = (text: string, language: string): boolean =>
  isClearYes(text, language) && scoreIntent('yes', listen(text, languageOf(language))) !== undefined
