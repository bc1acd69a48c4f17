import type { Turn } from '../../sdk/src/index.ts'
import { asEntry } from '../start/shell.ts'
import { findAgent } from './agent-actions.ts'
import { ApiError, takeFirst } from './api-client.ts'
import type { Target } from './ask.ts'
import { follow } from './events-actions.ts'
import { stopSignal } from './stop-signal.ts'

const type = 'conversation.turn'
/** This many events are looked at for the last answers of an agent. */
const scanned_max = 1_000
const remembered_max = 1_000

export interface LogOptions {
  workspace?: string
  limit: number
  follow?: boolean
}

interface Speaker {
  id: string
  name: string
}

export async function printLogs(
  target: Target,
  agent_name: string | undefined,
  { limit, follow: goes_on = false }: LogOptions,
): Promise<undefined> {
  const { api, shell } = target
  const only = agent_name === undefined ? undefined : (await findAgent(target, agent_name)).id
  const signal = stopSignal(shell)
  const findSpeaker = openSpeakers(target)
  const lineOf = async (event: { data: object }): Promise<string | undefined> => {
    // Events of this type have a turn.
    const { id, turn } = event.data as { id: string; turn: Turn }
    if (turn.role !== 'agent') return undefined
    const speaker = await findSpeaker(id)
    return only === undefined || speaker?.id === only ? format(target, id, turn, speaker) : undefined
  }
  const newest = limit > 0 ? await takeFirst(api.events.list({ type }, { signal }), scanned_max) : []
  const lines: string[] = []
  for (const event of newest) {
    const line = lines.length < limit ? await lineOf(event) : undefined
    if (line !== undefined) lines.push(line)
  }
  shell.stdout.write(lines.reverse().join(''))
  if (!goes_on) return undefined
  const [last] = newest
  await follow(target, { type, ...(last && { after: last.id }) }, signal, async (event) => {
    shell.stdout.write((await lineOf(event)) ?? '')
  })
}

/** Finds the agents of conversations. Returns undefined for a conversation that was deleted. */
function openSpeakers({ api }: Target): (conversation_id: string) => Promise<Speaker | undefined> {
  const known = new Map<string, Speaker | undefined>()
  return async (id) => {
    if (known.has(id)) return known.get(id)
    const speaker = await api.conversations.get(id).then(
      ({ agent_id, agent_name }) => ({ id: agent_id, name: agent_name }),
      (error: unknown) => {
        if (!(error instanceof ApiError) || error.code !== 'NOT_FOUND') throw error
        return undefined
      },
    )
    if (known.size >= remembered_max) known.clear()
    known.set(id, speaker)
    return speaker
  }
}

function format({ is_json }: Target, conversation_id: string, turn: Turn, speaker: Speaker | undefined): string {
  if (is_json) return `${JSON.stringify({ conversation_id, agent_id: speaker?.id ?? null, ...turn })}\n`
  const { created_at, seq, latency, usage, finish_reason, tools, error, text } = turn
  const parts = [
    created_at,
    speaker?.name ?? '-',
    `${conversation_id} ${seq}`,
    latency.turn_ms === null ? '-' : `${latency.turn_ms} ms`,
    `${usage.input_tokens}+${usage.output_tokens} tokens`,
    finish_reason ?? '-',
    ...(tools.length > 0 ? [`tools: ${tools.map(({ name }) => name).join(', ')}`] : []),
    ...(error === null ? [] : [`error: ${error}`]),
    text,
  ]
  return asEntry(parts.join('  '))
}
