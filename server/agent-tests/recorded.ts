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

/** At most this many turns are read: a test has far fewer lines. */
const turns_read_max = 400
/** The rest of a longer line is left out. A test has half of it, after names in it were replaced. */
const line_length_max = 2 * said_max

/** A conversation of the past, of which tests are made and which replays say again. */
export interface RecordedConversation {
  conversation: Conversation
  turns: Turn[]
  contact: Contact | undefined
  time_zone: string
  language: string
}

/** Reads a conversation. Throws a Problem if nothing is left of it. */
export async function readRecorded(at: At, id: string): Promise<RecordedConversation> {
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

/** The words of the contact, and what the agent did then. */
interface Line {
  /** The number of the contact's last turn in the line. */
  seq: number
  text: string
  answer: string
  calls: Call[]
}

export interface Exchanges {
  begins: 'agent' | 'contact'
  /** The words that the agent has said first. */
  opening: string
  lines: Line[]
  /** Whether the lines are complete. False if lines are left out that the agent has answered. */
  is_whole: boolean
  /** How the agent has ended the conversation. It is null if the agent has not, but people or carriers. */
  how: 'agent_ended' | 'handed_over' | 'opted_out' | null
}

/** Reads the exchanges until a person takes over. What the contact has said without an answer between is one line. */
export function exchangesIn({ conversation, turns }: Pick<RecordedConversation, 'conversation' | 'turns'>): Exchanges {
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
  // The last line was said while a person was waited for.
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

/** Whether a run is of a tool that is not built in. What built-in tools do shows in the results and the end. */
export const isReal = ({ name }: { name: string }): boolean => !isBuiltIn(name)

/** Whether the tool was called. The service has refused the other runs. */
export const wasCalled = ({ status }: Pick<Run, 'status'>): boolean => status !== 'refused'

const hasRun = ({ tools }: Turn, tool: string): boolean =>
  tools.some(({ name, status }) => name === tool && status === 'succeeded')

const handsOver = (turn: Turn): boolean => turn.script?.step === '@hand_over' || hasRun(turn, 'hand_over')

/** Says how the script or a tool has ended the conversation. What people, carriers and limits do is not repeated. */
function endOf({
  turns,
  conversation: { close_reason },
}: Pick<RecordedConversation, 'conversation' | 'turns'>): Exchanges['how'] {
  if (close_reason === 'opted_out') return turns.some((turn) => hasRun(turn, 'opt_out')) ? 'opted_out' : null
  if (turns.some(handsOver)) return 'handed_over'
  return close_reason === 'agent_ended' ? 'agent_ended' : null
}

export type Run = Turn['tools'][number]

/** With these statuses, the tool has answered. Runs that were refused or not finished have no answer. */
const answered = ['succeeded', 'failed', 'timeout']

/** Makes answers of a test from what tools have answered. */
export const answersOf = (runs: Run[]): ToolAnswer[] =>
  [
    ...Map.groupBy(
      runs.filter((run) => isReal(run) && answered.includes(run.status)),
      ({ name }) => name,
    ),
  ].flatMap(([tool, runs]) => answersOfTool(tool, runs))

/**
 * Makes the answers of a tool. One that has always answered the same answers any call. Otherwise the answer depends on
 * the arguments, or, if these don't decide, on the order.
 */
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

/** Returns the arguments. Arguments that are no object were refused. */
const argumentsOf = ({ arguments: values }: Run): Record<string, unknown> =>
  typeof values === 'object' && values !== null && !Array.isArray(values) ? (values as Record<string, unknown>) : {}
