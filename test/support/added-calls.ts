import { complete } from '../../server/agents/configuration.ts'
import * as counts from '../../server/calls/change/counts.ts'
import { insertEvents } from '../../server/calls/change/end.ts'
import { type Fact, merge, summarize, toEvents } from '../../server/calls/facts.ts'
import { insert, newCall } from '../../server/calls/queue.ts'
import type { Row } from '../../server/calls/rows.ts'
import type { Call } from '../../server/calls/schema.ts'
import * as calls from '../../server/calls/store.ts'
import * as conversations from '../../server/conversations/begin.ts'
import { close } from '../../server/conversations/people.ts'
import { insertTurns, newTurn } from '../../server/conversations/turns.ts'
import { type At, inTransaction } from '../../server/kit/at.ts'
import * as clock from '../../server/kit/clock.ts'
import { newId } from '../../server/kit/id.ts'
import { sql } from '../../server/kit/postgres/sql.ts'
import { normalizeText } from '../../server/kit/text.ts'
import { phoneNumber } from './samples.ts'

export interface CallFields
  extends Partial<Pick<Call, 'agent_id' | 'to' | 'contact_id' | 'direction' | 'campaign_id'>> {
  /** The call is in progress by default. With `is_over` the contact has hung up. */
  is_ringing?: boolean
  is_over?: boolean
  /** What the contact and the agent have said in turn. */
  said?: string[]
  /** Wall time. */
  lease_until?: number
}

/** Adds a call that was dialled at `at.now`, with its conversation, as the process that drives it would. */
export const addCall = (at: At, fields: CallFields = {}): Promise<Call> =>
  inTransaction(at, async (at) => {
    const { said = ['Hello?', 'Good morning.'], is_over = false, is_ringing = false } = fields
    const { agent_id = newId(), contact_id = null, to = phoneNumber(), direction = 'outbound' } = fields
    const agent = { id: agent_id, name: 'Reception' }
    const version = { id: newId(), version_label: 'v1' }
    const call: Row = {
      ...newCall(at, {
        agent,
        version,
        channel: null,
        to: to ?? '',
        contact_id,
        status: 'queued',
        scheduled_at: null,
        campaign_id: fields.campaign_id ?? null,
        attempt: 1,
        metadata: {},
        is_test: true,
        simulate: '00',
        variables: { name: 'Ada' },
      }),
      direction,
    }
    await insert(at, [call])
    const conversation = conversations.newConversation(at, {
      kind: 'voice',
      channel_id: null,
      contact_id,
      counterpart: to,
      agent,
      awaits_answer: false,
      version: { ...version, configuration: complete({}) },
    })
    conversation.turn_count = said.length
    await conversations.insert(at, [{ conversation }])
    await insertTurns(
      at,
      said.map((text, index) => {
        const role = index % 2 === 0 ? 'contact' : 'agent'
        return { id: conversation.id, turn: newTurn({ seq: index + 1, role, text, created_at: clock.iso(at.now) }) }
      }),
    )
    if (is_over) await close(at, { id: conversation.id, reason: 'api' })
    const facts = merge([], factsOf(at.now, { is_over, is_ringing }))
    const summary = summarize(facts)
    await at.db.run(
      sql`update calls set status = ${summary.status}, outcome = ${summary.outcome}, end_reason = ${summary.end_reason},
          ended_by = ${summary.ended_by}, started_at = ${summary.started_at}, answered_at = ${summary.answered_at},
          ended_at = ${summary.ended_at}, duration_ms = ${summary.duration_ms}, facts = ${JSON.stringify(facts)},
          conversation_id = ${conversation.id}, turn_count = ${said.length},
          search_text = ${is_over ? normalizeText(said.join('\n')) : null},
          recording_status = ${is_over ? 'ready' : 'none'}, recording_format = ${is_over ? 'wav' : null},
          due_at = ${is_over ? null : clock.iso(at.now)},
          lease_until = ${fields.lease_until === undefined ? null : clock.iso(fields.lease_until)}
        where workspace_id = ${at.workspace} and id = ${call.id}`,
    )
    await insertEvents(
      at,
      toEvents(facts).map((event) => ({ ...event, call_id: call.id })),
    )
    await counts.count(at, [{ from: 'queued', to: summary.status }])
    return calls.get(at, call.id)
  })

function factsOf(now: number, { is_over, is_ringing }: { is_over: boolean; is_ringing: boolean }): Fact[] {
  const dialed: Fact = { key: 'dialed', at: now, source: 'system', fact: { kind: 'dialed' } }
  const ringing: Fact = { key: 'ringing', at: now + 1_000, source: 'carrier', fact: { kind: 'ringing' } }
  if (is_ringing) return [dialed, ringing]
  const answered: Fact = { key: 'answered', at: now + 3_000, source: 'carrier', fact: { kind: 'answered' } }
  const final: Fact = { key: 'final', at: now + 63_000, source: 'carrier', fact: { kind: 'final', final: 'completed' } }
  return [dialed, ringing, answered, ...(is_over ? [final] : [])]
}
