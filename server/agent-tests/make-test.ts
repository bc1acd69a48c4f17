import * as agents from '../agents/find.ts'
import { findConfiguration } from '../agents/find-version.ts'
import type { Contact } from '../contacts/schema.ts'
import * as contacts from '../contacts/store.ts'
import { timeZoneOf } from '../contacts/zones.ts'
import type { Conversation, Turn } from '../conversations/schema.ts'
import * as conversations from '../conversations/store.ts'
import * as turns from '../conversations/turns.ts'
import { isBuiltIn } from '../drivers/built-in-tools.ts'
import type { At } from '../kit/at.ts'
import { letOthersRun } from '../kit/let-others-run.ts'
import { ignoreProblem, invalidState } from '../kit/problem.ts'
import { truncate } from '../kit/text.ts'
import { languageOf } from '../models/matching.ts'
import * as workspaces from '../workspaces/store.ts'
import { type MadeUp, openMadeUp } from './made-up.ts'
import { personIn } from './person-in.ts'
import {
  type Expectation,
  type NewAgentTest,
  said_max,
  steps_max,
  type ToolAnswer,
  tool_answers_bytes_max,
  tool_answers_max,
} from './schema.ts'

/** More are not read: a test has far fewer lines. */
const turns_read_max = 400
const name_length_max = 80
const result_expectations_max = 30

export interface MadeTest {
  agent_id: string
  input: NewAgentTest
}

/** Makes a test of what was said in a conversation, with another person in the place of the contact. Nothing in it refers to the conversation. */
export async function makeTest(at: At, conversation_id: string): Promise<MadeTest> {
  const recorded = await read(at, conversation_id)
  return { agent_id: recorded.conversation.agent_id, input: await testOf(recorded) }
}

interface Recorded {
  conversation: Conversation
  turns: Turn[]
  contact: Contact | undefined
  time_zone: string
  language: string
}

async function read(at: At, id: string): Promise<Recorded> {
  const conversation = await conversations.get(at, id)
  const { agent_id, agent_version, contact_id, redacted_at } = conversation
  if (redacted_at !== null) throw invalidState('The conversation was redacted: nothing is left to make a test of.')
  const [agent, said, known, { time_zone }] = await Promise.all([
    agents.get(at, agent_id).catch(ignoreProblem),
    turns.list(at, { conversation_id: id, after: 0, limit: turns_read_max }),
    contacts.getMany(at, contact_id === null ? [] : [contact_id]),
    workspaces.readSettings(at),
  ])
  if (!agent) throw invalidState('The agent of the conversation was deleted.')
  const version_id = agent_version.id
  const version = version_id === null ? undefined : await findConfiguration(at, { agent_id, version_id })
  const contact = known.get(contact_id ?? '')
  return {
    conversation,
    turns: said,
    contact,
    time_zone: timeZoneOf(contact, { now: at.now, workspace_time_zone: time_zone }),
    language: (version ?? agent.draft).language,
  }
}

/** Throws a Problem if no test can be made. */
async function testOf({ conversation, turns, contact, time_zone, language }: Recorded): Promise<NewAgentTest> {
  const { variables, results, created_at } = conversation
  const { lines, is_whole } = linesIn(conversation, turns)
  if (lines.length === 0)
    throw invalidState('The contact has said nothing in this conversation that the agent could answer.')
  const runs = turns.flatMap(({ tools }) => tools)
  const person = personIn({ contact, conversation, lines, runs, language: languageOf(language) })
  const made_up = openMadeUp(person, languageOf(language))
  const steps: { says: string }[] = []
  for (const line of lines) {
    steps.push({ says: truncate(made_up.text(line), said_max) })
    await letOthersRun({ is_urgent: true })
  }
  return {
    name: truncate((steps[0]?.says ?? '').replace(/\s+/g, ' ').trim(), name_length_max),
    kind: 'conversation',
    begins: turns[0]?.role === 'agent' ? 'agent' : 'contact',
    steps,
    // Dates that were said count from that day.
    now: created_at,
    variables: membersOf(variables, (value) => made_up.json(value)) as Conversation['variables'],
    contact: contact ? { ...contactOf(contact, made_up), time_zone } : null,
    tool_answers: answersOf(runs, made_up),
    expect: is_whole ? expectationsOf({ turns, results, close_reason: conversation.close_reason }, made_up) : [],
  }
}

/**
 * What the contact has said to the agent: until a person takes over. What it has said without an answer between is one line.
 * `is_whole` is false if lines are left out that the agent has answered.
 */
function linesIn({ kind, status }: Conversation, turns: Turn[]): { lines: string[]; is_whole: boolean } {
  const end = turns.findIndex((turn) => turn.role === 'human' || handsOver(turn))
  const to_agent = end === -1 ? turns : turns.slice(0, end + 1)
  const is_handed_over = end !== -1 || status === 'handed_over'
  const groups: string[][] = []
  let is_open = false
  for (const { role, text } of to_agent) {
    if (role === 'agent') is_open = false
    if (role !== 'contact' || text.trim() === '') continue
    if (!is_open) groups.push([])
    is_open = true
    groups.at(-1)?.push(text)
  }
  // Said while a person was waited for.
  if (is_handed_over && is_open) groups.pop()
  const lines = groups.map((texts) => texts.join(kind === 'voice' ? ' ' : '\n'))
  return { lines: lines.slice(0, steps_max), is_whole: lines.length <= steps_max }
}

const handsOver = ({ script, tools }: Turn): boolean =>
  script?.step === '@hand_over' || tools.some(({ name, status }) => name === 'hand_over' && status === 'succeeded')

const membersOf = (object: Record<string, unknown>, change: (value: unknown) => unknown): Record<string, unknown> =>
  Object.fromEntries(Object.entries(object).map(([name, value]) => [name, change(value)]))

/** Without notes, which are about the person. */
function contactOf(contact: Contact, made_up: MadeUp): Record<string, unknown> {
  const { custom_fields = {}, ...fields } = made_up.contact ?? {}
  const known = Object.entries(fields).filter(([, value]) => value !== null)
  return {
    ...Object.fromEntries(known),
    ...(contact.tags.length > 0 && { tags: contact.tags.map(made_up.text) }),
    ...(Object.keys(custom_fields).length > 0 && { custom_fields }),
  }
}

type Run = Turn['tools'][number]

/** Its answer is what the tool has answered. Runs that were refused or not finished have none. */
const answered = ['succeeded', 'failed', 'timeout']

function answersOf(runs: Run[], made_up: MadeUp): ToolAnswer[] {
  const real = runs.filter(({ name, status }) => !isBuiltIn(name) && answered.includes(status))
  if (Buffer.byteLength(JSON.stringify(real)) > 4 * tool_answers_bytes_max) throw tooLarge()
  const answers = [...Map.groupBy(real, ({ name }) => name)].flatMap(([tool, runs]) =>
    answersOfTool(tool, runs, made_up),
  )
  if (answers.length > tool_answers_max || Buffer.byteLength(JSON.stringify(answers)) > tool_answers_bytes_max)
    throw tooLarge()
  return answers
}

const tooLarge = () =>
  invalidState("The answers of the conversation's tools are too large for a test: it has at most 32 kB.")

/** A tool that has always answered the same answers any call. Otherwise it depends on the arguments, or at last on the order. */
function answersOfTool(tool: string, runs: Run[], made_up: MadeUp): ToolAnswer[] {
  const all = runs.map((run) => ({ values: JSON.stringify(run.arguments), answer: answerOf(run, made_up), run }))
  const differ = (some: typeof all) => new Set(some.map(({ answer }) => JSON.stringify(answer))).size > 1
  if (!differ(all)) return all.slice(0, 1).map(({ answer }) => ({ tool, ...answer }))
  return [...Map.groupBy(all, ({ values }) => values).values()].flatMap((same) => {
    const kept = differ(same) ? same : same.slice(0, 1)
    return kept.map(({ answer, run }, index) => ({
      tool,
      arguments: membersOf(argumentsOf(run), (value) => made_up.json(value)),
      ...answer,
      ...(index < kept.length - 1 && { once: true }),
    }))
  })
}

function answerOf({ status, result }: Run, made_up: MadeUp): Pick<ToolAnswer, 'result' | 'error'> {
  if (status === 'succeeded') return { result: made_up.json(result) ?? null }
  const text = typeof result === 'string' && result.trim() !== '' ? result : 'The tool has failed.'
  return { error: truncate(made_up.text(text).replace(/\s+/g, ' '), 500) }
}

/** Arguments that are no object were refused. */
const argumentsOf = ({ arguments: values }: Run): Record<string, unknown> =>
  typeof values === 'object' && values !== null && !Array.isArray(values) ? (values as Record<string, unknown>) : {}

const iso_date = /^\d{4}-\d{2}-\d{2}$/

/** What the agent did, where the same is right each time: not its words, and no text that a model has worded. */
function expectationsOf(
  { turns, results, close_reason }: Pick<Conversation, 'results' | 'close_reason'> & { turns: Turn[] },
  made_up: MadeUp,
): Expectation[] {
  const runs = turns.flatMap(({ tools }) => tools).filter(({ status }) => status === 'succeeded')
  const is_scripted = turns.some(({ script }) => script !== null)
  const tools = new Set(runs.flatMap(({ name }) => (isBuiltIn(name) ? [] : name)))
  const facts = Object.entries(results).filter(
    ([, value]) =>
      typeof value === 'boolean' ||
      typeof value === 'number' ||
      (typeof value === 'string' && (is_scripted || iso_date.test(value))),
  )
  const how = endOf({ turns, close_reason, runs })
  return [
    ...[...tools].map((tool): Expectation => ({ type: 'calls_tool', tool })),
    ...facts.slice(0, result_expectations_max).map(
      ([name, value]): Expectation => ({
        type: 'result',
        name,
        equals: made_up.json(value) as string | number | boolean,
      }),
    ),
    ...(how === undefined ? [] : [{ type: 'ends' as const, how }]),
  ]
}

interface Ended extends Pick<Conversation, 'close_reason'> {
  turns: Turn[]
  runs: Run[]
}

/** Only if the agent has ended it, by its script or a tool: what people, carriers and limits do is not repeated in a test. */
function endOf({ turns, close_reason, runs }: Ended): Expectation['how'] {
  if (close_reason === 'opted_out') return runs.some(({ name }) => name === 'opt_out') ? 'opted_out' : undefined
  if (turns.some(handsOver)) return 'handed_over'
  return close_reason === 'agent_ended' ? 'agent_ended' : undefined
}
