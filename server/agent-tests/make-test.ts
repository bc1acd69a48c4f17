import type { Contact } from '../contacts/schema.ts'
import type { Conversation } from '../conversations/schema.ts'
import type { At } from '../kit/at.ts'
import { letOthersRun } from '../kit/let-others-run.ts'
import { invalidState } from '../kit/problem.ts'
import { truncate } from '../kit/text.ts'
import { languageOf } from '../models/matching.ts'
import { type MadeUp, openMadeUp } from './made-up.ts'
import { personIn } from './person-in.ts'
import {
  answersOf,
  type Exchanges,
  exchangesIn,
  isReal,
  type RecordedConversation,
  type Run,
  readRecorded,
} from './recorded.ts'
import {
  type Expectation,
  type NewAgentTest,
  said_max,
  type ToolAnswer,
  test_defaults,
  tool_answers_bytes_max,
  tool_answers_max,
} from './schema.ts'
import { testFaults } from './test-faults.ts'

const name_length_max = 80
const error_length_max = 500
const result_expectations_max = 30

export interface MadeTest {
  agent_id: string
  input: NewAgentTest
}

/**
 * Makes a test of what was said in a conversation, with another person in the place of the contact. Nothing in it refers to the
 * conversation. Throws a Problem if no test can be made.
 */
export async function makeTest(at: At, conversation_id: string): Promise<MadeTest> {
  const recorded = await readRecorded(at, conversation_id)
  const input = await testOf(recorded)
  // The error is one of state, because the caller has sent no test that it could correct.
  const [fault] = await testFaults({ ...test_defaults, ...input })
  if (fault) throw invalidState(`No test can be made of this conversation: ${fault.message}`)
  return { agent_id: recorded.conversation.agent_id, input }
}

/** The pause is urgent, because a person waits for the test. */
const pause = () => letOthersRun({ is_urgent: true })

async function testOf(recorded: RecordedConversation): Promise<NewAgentTest> {
  const { conversation, turns, contact, time_zone } = recorded
  const { variables, results, created_at } = conversation
  const exchanges = exchangesIn(recorded)
  const lines = exchanges.lines.map(({ text }) => text)
  if (lines.length === 0)
    throw invalidState('The contact has said nothing in this conversation that the agent could answer.')
  const runs = turns.flatMap(({ tools }) => tools)
  assertNotTooLarge(runs.filter(isReal), 4 * tool_answers_bytes_max)
  const language = languageOf(recorded.language)
  const person = personIn({ contact, conversation, lines, runs, language })
  await pause()
  const made_up = openMadeUp(person, language)
  await pause()
  const steps: { says: string }[] = []
  for (const line of lines) {
    steps.push({ says: truncate(made_up.text(line), said_max) })
    await pause()
  }
  const made_up_variables = membersOf(variables, made_up) as Conversation['variables']
  await pause()
  const tool_answers = await madeUpAnswers(runs, made_up)
  return {
    name: truncate((steps[0]?.says ?? '').replace(/\s+/g, ' ').trim(), name_length_max),
    kind: 'conversation',
    begins: exchanges.begins,
    steps,
    // The test takes place on the day of the conversation, because dates that were said count from it.
    now: created_at,
    variables: made_up_variables,
    contact: contact ? { ...contactOf(contact, made_up), time_zone } : null,
    tool_answers,
    expect: exchanges.is_whole
      ? expectationsOf({ runs, results, exchanges, is_scripted: isScripted(recorded) }, made_up)
      : [],
  }
}

const isScripted = ({ turns }: RecordedConversation): boolean => turns.some(({ script }) => script !== null)

const membersOf = (object: Record<string, unknown>, made_up: MadeUp): Record<string, unknown> =>
  Object.fromEntries(Object.entries(object).map(([name, value]) => [name, made_up.json(value)]))

/** Returns the contact of the test, without notes, which are about the person. */
function contactOf(contact: Contact, made_up: MadeUp): Record<string, unknown> {
  const { custom_fields = {}, ...fields } = made_up.contact ?? {}
  const known = Object.entries(fields).filter(([, value]) => value !== null)
  return {
    ...Object.fromEntries(known),
    ...(contact.tags.length > 0 && { tags: contact.tags.map(made_up.text) }),
    ...(Object.keys(custom_fields).length > 0 && { custom_fields }),
  }
}

async function madeUpAnswers(runs: Run[], made_up: MadeUp): Promise<ToolAnswer[]> {
  const recorded = answersOf(runs)
  if (recorded.length > tool_answers_max) throw tooLarge()
  assertNotTooLarge(recorded, 2 * tool_answers_bytes_max)
  const answers: ToolAnswer[] = []
  for (const { arguments: values, result, error, ...answer } of recorded) {
    answers.push({
      ...answer,
      ...(values && { arguments: membersOf(values, made_up) }),
      ...(error === undefined
        ? { result: made_up.json(result) }
        : { error: truncate(made_up.text(error), error_length_max) }),
    })
    await pause()
  }
  assertNotTooLarge(answers, tool_answers_bytes_max)
  return answers
}

/** Fails if the values are too large as a JSON array. Values that are far too large are not read to their end. */
function assertNotTooLarge(values: unknown[], bytes_max: number): void {
  let bytes = '['.length
  for (const value of values) {
    bytes += Buffer.byteLength(JSON.stringify(value)) + ','.length
    if (bytes > bytes_max) throw tooLarge()
  }
}

const tooLarge = () =>
  invalidState("The answers of the conversation's tools are too large for a test: it has at most 32 kB.")

const iso_date = /^\d{4}-\d{2}-\d{2}$/

interface Done extends Pick<Conversation, 'results'> {
  runs: Run[]
  exchanges: Exchanges
  is_scripted: boolean
}

/**
 * Returns expectations of what the agent did, where the same is right each time: not of its words, and of no text that
 * a model has worded.
 */
function expectationsOf({ runs, results, exchanges: { how }, is_scripted }: Done, made_up: MadeUp): Expectation[] {
  const called = runs.filter((run) => isReal(run) && run.status === 'succeeded')
  const tools = new Set(called.map(({ name }) => name))
  const isSound = (value: unknown) =>
    ['boolean', 'number'].includes(typeof value) || (typeof value === 'string' && (is_scripted || iso_date.test(value)))
  const facts = Object.entries(results).filter(([, value]) => isSound(value))
  return [
    ...[...tools].map((tool): Expectation => ({ type: 'calls_tool', tool })),
    ...facts.slice(0, result_expectations_max).map(
      // The check above leaves only these types of values.
      ([name, value]): Expectation => ({
        type: 'result',
        name,
        equals: made_up.json(value) as string | number | boolean,
      }),
    ),
    ...(how === null ? [] : [{ type: 'ends' as const, how }]),
  ]
}
