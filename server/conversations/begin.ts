import { chooseVersion } from '../agents/choose-version.ts'
import type { Configuration } from '../agents/configuration.ts'
import * as agents from '../agents/find.ts'
import { findVersion } from '../agents/find-version.ts'
import type { FoundAgent } from '../agents/schema.ts'
import { stamp } from '../contacts/rows.ts'
import * as events from '../events/store.ts'
import type { At } from '../kit/at.ts'
import * as clock from '../kit/clock.ts'
import { newId } from '../kit/id.ts'
import { answer_after_ms } from './answer-time.ts'
import { reportProgress } from './counted.ts'
import * as counts from './counts.ts'
import { event_types } from './event-types.ts'
import { insertRows, newRow } from './rows.ts'
import type { Conversation } from './schema.ts'
import { announce } from './store.ts'
import { said } from './threads.ts'
import { insertTurns, newTurn } from './turns.ts'

/** A conversation that is to begin. */
export interface Beginning
  extends Pick<Conversation, 'kind' | 'channel_id' | 'contact_id' | 'counterpart'>,
    Partial<Pick<Conversation, 'id' | 'variables' | 'metadata' | 'is_test'>> {
  agent: { id: string; name: string }
  version: { id: string | null; version_label: string; configuration: Configuration }
  awaits_answer: boolean
}

export function newConversation({ now }: At, beginning: Beginning): Conversation {
  const { agent, version, awaits_answer, ...given } = beginning
  const created_at = clock.iso(now)
  return {
    id: given.id ?? newId(),
    kind: given.kind,
    status: 'open',
    channel_id: given.channel_id,
    agent_id: agent.id,
    agent_name: agent.name,
    agent_version: { id: version.id, version_label: version.version_label },
    contact_id: given.contact_id,
    counterpart: given.counterpart,
    is_answering: awaits_answer,
    turn_count: 0,
    last_turn_at: null,
    hand_over_reason: null,
    waiting_since: null,
    is_test: given.is_test ?? false,
    close_reason: null,
    results: {},
    summary: null,
    variables: given.variables ?? {},
    metadata: given.metadata ?? {},
    usage: { input_tokens: 0, output_tokens: 0 },
    redacted_at: null,
    created_at,
    updated_at: created_at,
  }
}

interface ToInsert {
  conversation: Conversation
  /** A draft has no version, so its configuration is stored. */
  draft?: Configuration | null
  /** A call has one: it drives the conversation, which is not due by itself. */
  lease_token?: string
}

/** Returns the ids of those that were inserted. A number has one open conversation on a channel. */
export async function insert(at: At, all: ToInsert[]): Promise<Set<string>> {
  const rows = all.map(({ conversation, draft = null, lease_token = null }) => {
    const answer_ms = conversation.turn_count > 0 ? answer_after_ms({ ...conversation, last_answer_seq: 0 }) : 0
    const due_at = lease_token ? null : clock.iso(at.now + answer_ms)
    return { ...newRow(conversation, { due_at, lease_token }), draft }
  })
  const ids = await insertRows(at, rows)
  const new_rows = all.filter(({ conversation }) => ids.has(conversation.id))
  const started = new_rows.map(({ conversation }) => conversation)
  await Promise.all([
    counts.count(
      at,
      started.map(({ is_test }) => ({ from: null, to: 'open' as const, is_test })),
    ),
    reportProgress(
      at,
      started.map((conversation) => ({ conversation, is_new: true, turns: conversation.turn_count })),
    ),
    events.record(
      at,
      event_types.started,
      started.map((data) => ({ data, created_at: data.created_at })),
    ),
  ])
  for (const { conversation, lease_token } of new_rows)
    announce(at, conversation.id, { is_due: lease_token === undefined })
  return ids
}

/** Shares the agent, so that it is not deleted before the transaction ends. Returns undefined if there is none. */
export const findAgent = async (at: At, id: string): Promise<FoundAgent | undefined> =>
  (await agents.share(at, id)) ? agents.get(at, id) : undefined

/** Finds the versions that answer counterparts. Each version is read once. */
export function openVersions(at: At): (agent: FoundAgent, counterpart: string) => Promise<Beginning['version']> {
  const versions = new Map<string, ReturnType<typeof findVersion>>()
  return async (agent, counterpart) => {
    const { id: version_id } = chooseVersion(agent, counterpart)
    const finding = versions.get(version_id) ?? findVersion(at, { agent_id: agent.id, version_id })
    versions.set(version_id, finding)
    const version = await finding
    if (!version) throw new Error('an agent has no such version')
    return version
  }
}

/**
 * Begins a conversation with a visitor of a web chat. The agent speaks first, if it has first words. Returns undefined if there
 * is no such agent.
 */
export async function beginChat(
  at: At,
  { channel_id, agent_id, message }: { channel_id: string; agent_id: string; message: string | null },
): Promise<Conversation | undefined> {
  const id = newId()
  const agent = await findAgent(at, agent_id)
  if (!agent) return undefined
  const version = await openVersions(at)(agent, id)
  const beginning: Beginning = {
    id,
    agent,
    version,
    kind: 'web_chat',
    channel_id,
    contact_id: null,
    counterpart: null,
    awaits_answer: message !== null || hasFirstWords(version.configuration),
  }
  return insertWithMessage(at, { conversation: newConversation(at, beginning), message })
}

export const hasFirstWords = ({ greeting, script }: Configuration): boolean => greeting !== null || script !== null

/**
 * Inserts the contact's first words with the conversation, if there are any, and returns it as it is then. Returns undefined if
 * the number has an open conversation on the channel.
 */
export async function insertWithMessage(
  at: At,
  { conversation: begun, message, draft }: ToInsert & { message: string | null },
): Promise<Conversation | undefined> {
  const { id, contact_id, created_at, is_test } = begun
  const conversation = message === null ? begun : { ...begun, turn_count: 1, last_turn_at: created_at }
  const turns =
    message === null ? [] : [{ id, contact_id, turn: newTurn({ seq: 1, role: 'contact', text: message, created_at }) }]
  const inserted = await insert(at, [{ conversation, draft: draft ?? null }])
  if (inserted.size === 0) return undefined
  await Promise.all([
    insertTurns(at, turns),
    stamp(
      at,
      turns.flatMap(({ contact_id }) => (contact_id === null || is_test ? [] : [{ contact_id, at: at.now }])),
    ),
    events.record(
      at,
      event_types.turn,
      turns.map((data) => ({ data })),
    ),
  ])
  const [changed] = (
    await at.hooks.run(
      at,
      said,
      turns.map((one) => ({ ...one, is_answer: false })),
    )
  ).flat()
  return changed ?? conversation
}
