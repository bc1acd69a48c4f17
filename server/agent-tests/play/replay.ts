import { isDeepStrictEqual } from 'node:util'
import { contentHash } from '../../agents/configuration.ts'
import type { Contact } from '../../contacts/schema.ts'
import type { PlayedConversation } from '../../conversations/tool-runs.ts'
import { truncate } from '../../kit/text.ts'
import { no_usage } from '../../talk/state.ts'
import {
  answersOf,
  type Call,
  type Exchanges,
  exchangesIn,
  isReal,
  joined,
  type RecordedConversation,
  wasCalled,
} from '../recorded.ts'
import type { ReplayDifference } from '../schema.ts'
import { completeContent } from '../store.ts'
import { isRepeatable, play } from './play.ts'
import { bounded, keep, type NewResult, withinTime } from './results.ts'
import type { PlayedTest, PlayRecord, Scene } from './scene.ts'

const differences_max = 100
/** Limits the differences of a result, as JSON. */
const differences_bytes_max = 64 * 1024
const shown_length_max = 2_000

export interface ReplayOutcome extends NewResult {
  kept: PlayedConversation[]
}

/** The versions that the contact's words are said to again. */
export interface ReplayScenes {
  tested: Scene
  deployed: Scene
}

/**
 * Says again what the contact has said, to the tested and to the deployed version, and compares what they do with what
 * was recorded.
 */
export function replay(
  { tested, deployed }: ReplayScenes,
  recorded: RecordedConversation,
  ids: object,
): Promise<ReplayOutcome> {
  return withinTime(
    tested,
    ids,
    async (scene) => {
      const test = testOf(recorded)
      const one = await play(scene, test)
      // The same script does the same, so it is played once.
      const is_same = isSameScript(tested, deployed)
      const other = is_same ? one : await play({ ...deployed, signal: scene.signal, spend: scene.spend }, test)
      const kept = [keep(tested, one, ids), ...(is_same ? [] : [keep(deployed, other, ids)])]
      const conversation_ids = kept.map(({ conversation }) => conversation.id)
      const result = {
        runs: 1,
        is_repeatable:
          isRepeatable(tested, test) && isRepeatable(deployed, test) && !one.has_called && !other.has_called,
        conversation_id: conversation_ids[0] ?? null,
        conversation_ids,
        kept,
      }
      const error =
        one.error ?? (other.error === null ? null : `The deployed version could not be played: ${other.error}`)
      if (error !== null) return { ...failedReplay(error), ...result }
      return { ...result, ...compared(recorded, one, other) }
    },
    failedReplay,
  )
}

const isSameScript = (tested: Scene, deployed: Scene): boolean =>
  tested.configuration.script !== null && contentHash(tested.configuration) === contentHash(deployed.configuration)

/** Makes the result of a replay that could not be played. */
export const failedReplay = (error: string): ReplayOutcome => ({
  status: 'error',
  passes: 0,
  runs: 0,
  is_repeatable: true,
  failures: [],
  differences: [],
  error,
  conversation_id: null,
  conversation_ids: [],
  usage: no_usage,
  kept: [],
})

function testOf(recorded: RecordedConversation): PlayedTest {
  const { conversation, turns, contact, time_zone } = recorded
  const { begins, lines } = exchangesIn(recorded)
  const content = completeContent({
    begins,
    steps: lines.map(({ text }) => ({ says: text })),
    now: conversation.created_at,
    variables: conversation.variables,
    contact: contact ? { ...fieldsOf(contact), time_zone } : null,
    tool_answers: answersOf(turns.flatMap(({ tools }) => tools)),
  })
  return { kind: 'conversation', ...content }
}

/** Returns the fields of the contact as it is today. */
const fieldsOf = ({
  first_name,
  last_name,
  display_name,
  email,
  company,
  phone_number,
  notes,
  tags,
  custom_fields,
}: Contact) => ({
  first_name,
  last_name,
  display_name,
  email,
  company,
  phone_number,
  notes,
  tags,
  custom_fields,
})

/**
 * What happened in a conversation, as far as it is compared. An answer is undefined if the line could not be said any
 * more.
 */
interface Side {
  opening: string
  answers: (string | undefined)[]
  calls: Call[][]
  how: string | null
  results: Record<string, unknown>
}

const recordedSide = ({ opening, lines, how }: Exchanges, { conversation }: RecordedConversation): Side => ({
  opening,
  answers: lines.map(({ answer }) => answer),
  calls: lines.map(({ calls }) => calls.map(({ name, arguments: values }) => ({ name, arguments: values }))),
  how,
  results: conversation.results,
})

function playedSide({ conversation, turns, runs, marks, how }: PlayRecord, lines: number): Side {
  const within = (seq: number, index: number) =>
    seq > (marks[index]?.seq ?? 0) && seq < (marks[index + 1]?.seq ?? Number.POSITIVE_INFINITY)
  const said = turns.flatMap(({ turn }) => (turn.role === 'agent' ? turn : []))
  const answer = (index: number) =>
    said
      .filter(({ seq }) => within(seq, index))
      .map(({ text }) => text)
      .reduce(joined, '')
  return {
    opening: answer(-1),
    answers: Array.from({ length: lines }, (_, index) => (marks[index] ? answer(index) : undefined)),
    calls: Array.from({ length: lines }, (_, index) =>
      marks[index]
        ? runs
            .filter((run) => isReal(run) && wasCalled(run) && within(run.seq ?? 0, index))
            .map(({ name, arguments: values }) => ({ name, arguments: values }))
        : [],
    ),
    how: how === 'limit' || how === 'transferred' ? null : how,
    results: conversation.results,
  }
}

function compared(
  recorded: RecordedConversation,
  one: PlayRecord,
  other: PlayRecord,
): Pick<NewResult, 'status' | 'passes' | 'failures' | 'differences' | 'error'> {
  const exchanges = exchangesIn(recorded)
  const { lines, begins, is_whole } = exchanges
  const sides: Sides = {
    recorded: recordedSide(exchanges, recorded),
    replayed: playedSide(one, lines.length),
    deployed: playedSide(other, lines.length),
  }
  const found: ReplayDifference[] = []
  const compare = (what: ReplayDifference['what'], seq: number | null, valueIn: (side: Side) => unknown) => {
    const difference = differenceOf(sides, what, seq, valueIn)
    if (difference) found.push(difference)
  }
  if (begins === 'agent') compare('answer', null, ({ opening }) => spaced(opening))
  for (const [index, { seq }] of lines.entries()) {
    compare('answer', seq, ({ answers }) => spaced(answers[index]))
    if (sides.replayed.answers[index] === undefined) break
    compare('tools', seq, ({ calls }) => calls[index] ?? [])
  }
  // Nobody knows how a conversation would have ended of which lines are left out, so the end is not compared.
  if (is_whole) {
    compare('results', null, ({ results }) => results)
    compare('end', null, ({ how }) => how)
  }
  const real = found.filter(({ is_by_chance }) => !is_by_chance)
  return {
    status: real.length > 0 ? 'failed' : 'passed',
    passes: real.length > 0 ? 0 : 1,
    failures: real.length > 0 ? [failureOf(real)] : [],
    differences: bounded(found, { items_max: differences_max, bytes_max: differences_bytes_max }),
    error: null,
  }
}

type Sides = Record<'recorded' | 'replayed' | 'deployed', Side>

function differenceOf(
  { recorded, replayed, deployed }: Sides,
  what: ReplayDifference['what'],
  seq: number | null,
  valueIn: (side: Side) => unknown,
): ReplayDifference | undefined {
  const before = valueIn(recorded)
  if (isDeepStrictEqual(valueIn(replayed), before)) return undefined
  return {
    what,
    seq,
    recorded: shown(before),
    replayed: shown(valueIn(replayed)),
    deployed: shown(valueIn(deployed)),
    is_by_chance: !isDeepStrictEqual(valueIn(deployed), before),
  }
}

const spaced = (text: string | undefined) => text?.replace(/\s+/g, ' ').trim()

/** Returns a value as a difference shows it. A line that could not be said has no answer. */
function shown(value: unknown): unknown {
  if (value === undefined) return null
  if (typeof value === 'string') return truncate(value, shown_length_max)
  const text = JSON.stringify(value)
  return text.length <= shown_length_max ? value : truncate(text, shown_length_max)
}

const nouns: Record<ReplayDifference['what'], string> = {
  answer: 'an answer',
  tools: 'the tools that it calls',
  results: 'the results',
  end: 'how it ends',
}

/** Makes a failure without the words, which are in the differences. */
function failureOf(differences: ReplayDifference[]): NewResult['failures'][number] {
  const what = [...new Set(differences.map(({ what }) => nouns[what]))].join(', ')
  const seq = differences.find((one) => one.seq !== null)?.seq ?? null
  const at = seq === null ? '' : ` First after turn ${seq} of the stored conversation.`
  return { expectation: null, sentence: `It differs in ${what}.${at}`, step: null, seq: null, conversation_id: null }
}
