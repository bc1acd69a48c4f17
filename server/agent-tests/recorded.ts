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
import { ignoreProblem, invalidState } from '../kit/problem.ts'
import { truncate } from '../kit/text.ts'
import * as workspaces from '../workspaces/store.ts'
import { said_max, steps_max, type ToolAnswer } from './schema.ts'

/** More are not read: a test has far fewer lines. */
const turns_read_max = 400
/** More of a line is left out. A test has half of it, after names in it were replaced. */
const line_length_max = 2 * said_max

/** A conversation of the past, as tests are made of it and replays say it again. */
export interface Recorded {
  conversation: Conversation
  turns: Turn[]
  contact: Contact | undefined
  time_zone: string
  language: string
}

/** Throws a Problem if nothing is left of it. */
export async function readRecorded(at: At, id: string): Promise<Recorded> {
  const conversation = await conversations.get(at, id)
  const { agent_id, agent_version, contact_id, redacted_at } = conversation
  if (redacted_at !== null) throw invalidState('The conversation was redacted: nothing is left of what was said.')
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

export interface Call {
  name: string
  arguments: unknown
}

/** What the contact has said, and what the agent did then. */
export interface Line {
  /** The number of the contact's last turn in it. */
  seq: number
  text: string
  answer: string
  calls: Call[]
}

export interface Exchanges {
  begins: 'agent' | 'contact'
  /** What the agent has said first. */
  opening: string
  lines: Line[]
  /** False if lines are left out that the agent has answered. */
  is_whole: boolean
  /** How the agent has ended it. Null: it has not, or people and carriers have. */
  how: 'agent_ended' | 'handed_over' | 'opted_out' | null
}

/** Until a person takes over. What the contact has said without an answer between is one line. */
export function exchangesIn({ conversation, turns }: Pick<Recorded, 'conversation' | 'turns'>): Exchanges {
  const { kind, status } = conversation
  const end = turns.findIndex((turn) => turn.role === 'human' || handsOver(turn))
  const to_agent = end === -1 ? turns : turns.slice(0, end + 1)
  const is_handed_over = end !== -1 || status === 'handed_over'
  const separator = kind === 'voice' ? ' ' : '\n'
  const lines: Line[] = []
  let [opening, is_answered] = ['', true]
  for (const { seq, role, text, tools } of to_agent) {
    const line = lines.at(-1)
    if (role === 'agent') {
      is_answered = true
      if (line)
        Object.assign(line, {
          answer: joined(line.answer, text),
          calls: [...line.calls, ...tools.filter((run) => isReal(run) && wasCalled(run))],
        })
      else opening = joined(opening, text)
    } else if (role === 'contact' && text.trim() !== '') {
      if (line && !is_answered)
        Object.assign(line, { seq, text: truncate(`${line.text}${separator}${text}`, line_length_max) })
      else lines.push({ seq, text, answer: '', calls: [] })
      is_answered = false
    }
  }
  // Said while a person was waited for.
  if (is_handed_over && !is_answered) lines.pop()
  return {
    begins: turns[0]?.role === 'agent' ? 'agent' : 'contact',
    opening,
    lines: lines.slice(0, steps_max),
    is_whole: lines.length <= steps_max,
    how: endOf({ turns, conversation }),
  }
}

export const joined = (before: string, text: string): string => [before, text].filter(Boolean).join(' ')

/** Not built in: what these do shows in the results and the end. */
export const isReal = ({ name }: { name: string }): boolean => !isBuiltIn(name)

/** The service has refused others: the tool was not called. */
export const wasCalled = ({ status }: Pick<Run, 'status'>): boolean => status !== 'refused'

const hasRun = ({ tools }: Turn, tool: string): boolean =>
  tools.some(({ name, status }) => name === tool && status === 'succeeded')

const handsOver = (turn: Turn): boolean => turn.script?.step === '@hand_over' || hasRun(turn, 'hand_over')

/** By its script or a tool: what people, carriers and limits do is not repeated. */
function endOf({ turns, conversation: { close_reason } }: Pick<Recorded, 'conversation' | 'turns'>): Exchanges['how'] {
  if (close_reason === 'opted_out') return turns.some((turn) => hasRun(turn, 'opt_out')) ? 'opted_out' : null
  if (turns.some(handsOver)) return 'handed_over'
  return close_reason === 'agent_ended' ? 'agent_ended' : null
}

export type Run = Turn['tools'][number]

/** Their answer is what the tool has answered. Runs that were refused or not finished have none. */
const answered = ['succeeded', 'failed', 'timeout']

/** What tools have answered, as answers of a test. */
export const answersOf = (runs: Run[]): ToolAnswer[] =>
  [
    ...Map.groupBy(
      runs.filter((run) => isReal(run) && answered.includes(run.status)),
      ({ name }) => name,
    ),
  ].flatMap(([tool, runs]) => answersOfTool(tool, runs))

/** A tool that has always answered the same answers any call. Otherwise it depends on the arguments, or at last on the order. */
function answersOfTool(tool: string, runs: Run[]): ToolAnswer[] {
  const all = runs.map((run) => ({ values: JSON.stringify(run.arguments), answer: answerOf(run), run }))
  const differ = (some: typeof all) => new Set(some.map(({ answer }) => JSON.stringify(answer))).size > 1
  if (!differ(all)) return all.slice(0, 1).map(({ answer }) => ({ tool, ...answer }))
  return [...Map.groupBy(all, ({ values }) => values).values()].flatMap((same) => {
    const kept = differ(same) ? same : same.slice(0, 1)
    return kept.map(({ answer, run }, index) => ({
      tool,
      arguments: argumentsOf(run),
      ...answer,
      ...(index < kept.length - 1 && { once: true }),
    }))
  })
}

function answerOf({ status, result }: Run): Pick<ToolAnswer, 'result' | 'error'> {
  if (status === 'succeeded') return { result: result ?? null }
  const text = typeof result === 'string' && result.trim() !== '' ? result : 'The tool has failed.'
  return { error: truncate(text.replace(/\s+/g, ' ').trim(), 500) }
}

/** Arguments that are no object were refused. */
const argumentsOf = ({ arguments: values }: Run): Record<string, unknown> =>
  typeof values === 'object' && values !== null && !Array.isArray(values) ? (values as Record<string, unknown>) : {}
