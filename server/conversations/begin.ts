import { chooseVersion } from '../agents/choose-version.ts'
import { type Configuration, withMcpTools } from '../agents/configuration.ts'
import * as agents from '../agents/find.ts'
import { findVersion } from '../agents/find-version.ts'
import type { FoundAgent } from '../agents/schema.ts'
import * as channels from '../channels/store.ts'
import { stamp } from '../contacts/rows.ts'
import * as contacts from '../contacts/store.ts'
import * as events from '../events/store.ts'
import type { At } from '../kit/at.ts'
import * as clock from '../kit/clock.ts'
import { newId } from '../kit/id.ts'
import { type Fault, invalid, invalidState } from '../kit/problem.ts'
import { truncate } from '../kit/text.ts'
import type { KeptMcpTool } from '../tools/mcp-schema.ts'
import * as counts from './counted.ts'
import { reportProgress } from './counted.ts'
import { event_types } from './event-types.ts'
import { insertRows, newRow } from './rows.ts'
import type { Conversation, NewConversation } from './schema.ts'
import { announce, findOpenThread, said, writing_to } from './store.ts'
import { insertTurns, newTurn } from './turns.ts'
import { answer_after_ms } from './waiting.ts'

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
  /** The lease of a call that drives the conversation, which is not due by itself. */
  lease_token?: string
}

/**
 * Inserts conversations, and returns the ids of those that were inserted. A number has one open conversation on a
 * channel.
 */
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
async function insertWithMessage(
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

/** Begins a conversation over the API. With a message the contact begins, else the agent does if it has first words. */
export async function create(at: At, input: NewConversation, mcp_tools: KeptMcpTool[] = []): Promise<Conversation> {
  const id = newId()
  const { agent, version, channel, counterpart } = await findParts(at, input, id)
  const { message = null } = input
  const begun = newConversation(at, {
    id,
    kind: channel ? 'sms' : 'api',
    channel_id: channel?.id ?? null,
    contact_id: input.contact_id ?? null,
    counterpart,
    agent,
    version,
    awaits_answer: channel !== undefined || message !== null || hasFirstWords(version.configuration),
    ...(input.variables && { variables: input.variables }),
    ...(input.metadata && { metadata: input.metadata }),
    is_test: input.is_test ?? false,
  })
  const draft = version.id === null ? withMcpTools(version.configuration, mcp_tools) : null
  const conversation = await insertWithMessage(at, { conversation: begun, message, draft })
  if (!conversation) throw alreadyOpen((await findOpenThread(at, begun)) ?? begun)
  return conversation
}

const alreadyOpen = ({ id: conversation_id, status }: Pick<Conversation, 'id' | 'status'>) =>
  invalidState('There is an open conversation with this contact on this channel.', { status, conversation_id })

/** Shares the agent and the contact, so that neither is deleted before the transaction ends. */
async function findParts(at: At, input: NewConversation, id: string) {
  const { agent_id, contact_id = null, agent_version_id = null, use_draft = false } = input
  const [agent, has_contact, { channel, fault }] = await Promise.all([
    findAgent(at, agent_id),
    contact_id === null || contacts.share(at, contact_id),
    findChannel(at, input),
  ])
  const version_id = agent && (agent_version_id ?? chooseVersion(agent, contact_id ?? id).id)
  const version = version_id && (await findVersion(at, { agent_id, version_id }))
  const faults: Fault[] = [
    ...(agent ? [] : [unknown('agent_id', 'an agent')]),
    ...(has_contact ? [] : [unknown('contact_id', 'a contact')]),
    ...(agent && !version ? [unknown('agent_version_id', 'a version of this agent')] : []),
    ...(use_draft && agent_version_id !== null ? [draftAndVersion] : []),
    ...(fault ? [fault] : []),
    ...(channel && input.is_test ? [trialOnChannel] : []),
    ...memberFaults(input),
  ]
  if (!agent || !version || faults.length > 0) throw invalid(faults)
  const counterpart = channel && contact_id !== null ? await numberOf(at, contact_id) : null
  return { agent, version: use_draft ? asVersion(agent.draft) : version, channel, counterpart }
}

/** By SMS the agent writes first. */
async function findChannel(at: At, { channel_id = null, contact_id = null, message = null }: NewConversation) {
  if (channel_id === null) return {}
  const channel = await channels.find(at, channel_id)
  if (!channel) return { fault: unknown('channel_id', 'a channel') }
  if (channel.kind !== 'sms' || channel.status === 'disabled')
    return {
      fault: {
        path: 'channel_id',
        code: 'invalid',
        message: 'channel_id must be the id of an SMS channel that is not disabled.',
      },
    }
  if (contact_id === null)
    return { fault: { path: 'contact_id', code: 'required', message: 'contact_id is required with channel_id.' } }
  if (message !== null)
    return {
      fault: {
        path: 'message',
        code: 'not_allowed',
        message: "message can't be used with channel_id: the agent writes first.",
      },
    }
  return { channel }
}

/** Throws when nothing may be sent to the contact. */
async function numberOf(at: At, contact_id: string): Promise<string | null> {
  const phone_number = (await contacts.getMany(at, [contact_id])).get(contact_id)?.phone_number ?? null
  if (phone_number !== null) await at.hooks.run(at, writing_to, { phone_number })
  return phone_number
}

const asVersion = (configuration: Configuration) => ({ id: null, version_label: 'draft', configuration })

const trialOnChannel: Fault = {
  path: 'is_test',
  code: 'conflict',
  message: "is_test can't be used together with channel_id: text messages reach real people.",
}

const draftAndVersion: Fault = {
  path: 'use_draft',
  code: 'conflict',
  message: "use_draft can't be used together with agent_version_id.",
}

const members_max = 50
const variable_length_max = 1_000
/** Scripts and prompts look up variables by name, and objects of JavaScript have these. */
const reserved_names = ['__proto__', 'constructor', 'prototype']

/** Returns what is wrong with variables and metadata beyond their schemas. */
export const memberFaults = ({ variables, metadata }: { variables?: object; metadata?: object }): Fault[] => [
  ...nameFaults('variables', variables, variableNameFault),
  ...variableFaults(variables),
  ...nameFaults('metadata', metadata, metadataNameFault),
]

type NameFault = (name: string) => string | undefined

function nameFaults(path: string, members: object = {}, nameFault: NameFault): Fault[] {
  const names = Object.keys(members)
  if (names.length > members_max)
    return [{ path, code: 'too_many', message: `${path} must have at most ${members_max} members.` }]
  const invalid_name = names.find((name) => nameFault(name) !== undefined)
  if (invalid_name === undefined) return []
  const shown = truncate(`${path}.${invalid_name}`, 100)
  return [{ path, code: 'format', message: `${shown} is not an allowed name: ${nameFault(invalid_name)}.` }]
}

function variableNameFault(name: string): string | undefined {
  if (!/^[a-z0-9_]{1,40}$/.test(name)) return 'use 1 to 40 lower-case letters (a to z), digits and "_"'
  return reserved_names.includes(name) ? 'it is reserved' : undefined
}

const metadataNameFault: NameFault = (name) =>
  /^.{1,40}$/u.test(name) && isStorable(name) ? undefined : 'use 1 to 40 characters, and no control characters'

function variableFaults(variables: object = {}): Fault[] {
  return Object.entries(variables).flatMap(([name, value]) => {
    if (typeof value === 'number' || typeof value === 'boolean') return []
    const path = truncate(`variables.${name}`, 100)
    const message = `${path} must be a text, a number or a boolean.`
    if (typeof value !== 'string') return [{ path, code: 'type', message }]
    if ([...value].length > variable_length_max)
      return [{ path, code: 'too_long', message: `${path} must have at most ${variable_length_max} characters.` }]
    return isStorable(value) ? [] : [{ path, code: 'invalid_characters', message: `${path} has invalid characters.` }]
  })
}

const isStorable = (name: string): boolean => name.isWellFormed() && !/\p{Cc}/u.test(name)

/** Makes the fault of a reference to something that doesn't exist in the workspace. */
export const unknown = (path: string, what: string): Fault => ({
  path,
  code: 'unknown',
  message: `${path} must be the id of ${what}.`,
})
