import type { SpokenTurn } from '../../server/conversations/turns.ts'
import { newTurn } from '../../server/conversations/turns.ts'
import { newId } from '../../server/kit/id.ts'
import type { Pool } from '../../server/kit/postgres/pool.ts'
import { sql } from '../../server/kit/postgres/sql.ts'
import type { SpeechPart } from '../../server/talk/state.ts'
import type { Tenant } from './harness.ts'
import { newAgent } from './samples.ts'

const requests_max = 10

/** Repeats a request for a recording that is still being rendered, as clients do. The server waits a while before it says so. */
export async function untilRendered<A extends { status: number }>(send: () => Promise<A>): Promise<A> {
  let answer = await send()
  for (let requests = 1; answer.status === 409 && requests < requests_max; requests += 1) answer = await send()
  return answer
}

const created_at = '2026-11-15T09:30:00.000Z'

export const spokenTurn = (turn: Partial<SpokenTurn> & Pick<SpokenTurn, 'seq' | 'role'>): SpokenTurn => {
  const speech = turn.speech ?? []
  return { ...newTurn({ text: speech.map(({ text }) => text).join(' '), created_at, ...turn }), speech }
}

const part = (text: string, start_ms: number, end_ms: number): SpeechPart => ({ text, start_ms, end_ms })

/** A short call: the agent is interrupted in its second turn. */
export const short_talk: SpokenTurn[] = [
  spokenTurn({
    seq: 1,
    role: 'agent',
    heard: 'Hello, this is Reception. How can I help you?',
    speech: [part('Hello, this is Reception.', 0, 1_625), part('How can I help you?', 1_625, 2_860)],
  }),
  spokenTurn({ seq: 2, role: 'contact', speech: [part('I would like to book a table for two.', 3_500, 5_905)] }),
  spokenTurn({
    seq: 3,
    role: 'agent',
    text: 'Very good. Shall I take the one at the window, or the one in the garden?',
    heard: 'Very good. Shall I take',
    is_interrupted: true,
    speech: [part('Very good.', 6_500, 7_150), part('Shall I take', 7_150, 7_930)],
  }),
  spokenTurn({ seq: 4, role: 'contact', speech: [part('The window & <thanks>!', 7_500, 9_000)] }),
  spokenTurn({ seq: 5, role: 'system', text: 'The contact hung up.' }),
]

/** A call of one word, whose recording is rendered in a fraction of the time that a talk takes. */
export const one_word = {
  duration_ms: 1_000,
  turns: [spokenTurn({ seq: 1, role: 'agent', heard: 'Yes.', speech: [part('Yes.', 0, 1_000)] })],
}

export interface RecordedCall {
  duration_ms?: number
  turns?: SpokenTurn[]
  is_test?: boolean
  recording_status?: string
  simulate?: string | null
  created_at?: string
}

/** Adds a call that has ended, without a driver: with its conversation and turns. Returns its id. */
export async function addRecordedCall(
  pool: Pool,
  tenant: Pick<Tenant, 'id' | 'call'>,
  fields: RecordedCall = {},
): Promise<string> {
  const {
    duration_ms = 10_000,
    turns = short_talk,
    is_test = true,
    recording_status = 'ready',
    simulate = '00',
  } = fields
  const at = fields.created_at ?? created_at
  const agent = (await tenant.call('POST', '/agents', newAgent())).body.data
  const conversation_id = (await tenant.call('POST', '/conversations', { agent_id: agent.id })).body.data.id
  await tenant.call('POST', `/conversations/${conversation_id}/close`)
  await pool.run(
    sql`update conversations set kind = 'voice' where workspace_id = ${tenant.id} and id = ${conversation_id}`,
  )
  for (const { seq, role, text, heard, is_interrupted, speech } of turns) {
    await pool.run(
      sql`insert into conversation_turns (workspace_id, conversation_id, seq, role, text, heard, is_interrupted, speech, created_at)
        values (${tenant.id}, ${conversation_id}, ${seq}, ${role}, ${text}, ${heard}, ${is_interrupted},
          ${JSON.stringify(speech)}, ${at})`,
    )
  }
  const id = newId()
  await pool.run(
    sql`insert into calls (workspace_id, id, direction, status, outcome, end_reason, ended_by, to_number, conversation_id,
        agent_id, agent_name, version_id, version_label, duration_ms, turn_count, recording_status, recording_format, is_test,
        simulate, started_at, answered_at, ended_at, created_at, updated_at)
      values (${tenant.id}, ${id}, 'outbound', 'completed', 'answered', 'contact_hung_up', 'contact', '+14155550100',
        ${conversation_id}, ${agent.id}, ${agent.name}, ${agent.deployed_version.id}, 'v1', ${duration_ms}, ${turns.length},
        ${recording_status}, 'wav', ${is_test}, ${simulate}, ${at}, ${at}, ${at}, ${at}, ${at})`,
  )
  return id
}
