import { chooseVersion } from '../agents/choose-version.ts'
import type { Configuration } from '../agents/configuration.ts'
import * as agents from '../agents/find.ts'
import { findVersion } from '../agents/find-version.ts'
import * as contacts from '../contacts/store.ts'
import * as events from '../events/store.ts'
import type { At } from '../kit/at.ts'
import * as clock from '../kit/clock.ts'
import { newId } from '../kit/id.ts'
import { sql } from '../kit/postgres/sql.ts'
import { type Fault, invalid } from '../kit/problem.ts'
import { truncate } from '../kit/text.ts'
import * as counts from './counts.ts'
import { event_types } from './event-types.ts'
import type { Conversation, NewConversation } from './schema.ts'
import { announce } from './store.ts'
import { insertTurns, newTurn } from './turns.ts'

/** Begins a conversation over the API. With a message the contact begins, else the agent does if it has first words. */
export async function create(at: At, input: NewConversation): Promise<Conversation> {
  const { db, workspace, now } = at
  const id = newId()
  const { agent, version } = await findParts(at, input, id)
  const created_at = clock.iso(now)
  const { message = null } = input
  const { configuration } = version
  const awaits_answer = message !== null || configuration.greeting !== null || configuration.script !== null
  const conversation: Conversation = {
    id,
    kind: 'api',
    status: 'open',
    channel_id: null,
    agent_id: agent.id,
    agent_name: agent.name,
    agent_version: { id: version.id, version_label: version.version_label },
    contact_id: input.contact_id ?? null,
    counterpart: null,
    is_answering: awaits_answer,
    turn_count: message === null ? 0 : 1,
    last_turn_at: message === null ? null : created_at,
    hand_over_reason: null,
    close_reason: null,
    results: {},
    summary: null,
    variables: input.variables ?? {},
    metadata: input.metadata ?? {},
    usage: { input_tokens: 0, output_tokens: 0 },
    redacted_at: null,
    created_at,
    updated_at: created_at,
  }
  const first = newTurn({ seq: 1, role: 'contact', text: message ?? '', created_at })
  const turns = message === null ? [] : [{ id, contact_id: conversation.contact_id, turn: first }]
  const draft = version.id === null ? JSON.stringify(configuration) : null
  await Promise.all([
    db.run(
      sql`insert into conversations (workspace_id, id, kind, status, agent_id, agent_name, version_id, version_label, draft,
          contact_id, turn_count, last_turn_at, variables, metadata, awaits_answer, created_at, updated_at, due_at)
        values (${workspace}, ${id}, ${conversation.kind}, ${conversation.status}, ${agent.id}, ${agent.name}, ${version.id},
          ${version.version_label}, ${draft}, ${conversation.contact_id}, ${conversation.turn_count},
          ${conversation.last_turn_at}, ${JSON.stringify(conversation.variables)}, ${JSON.stringify(conversation.metadata)},
          ${awaits_answer}, ${created_at}, ${created_at}, ${created_at})`,
    ),
    insertTurns(at, turns),
    counts.count(at, [{ from: null, to: 'open' }]),
    events.record(at, event_types.started, [{ data: conversation }]),
    events.record(
      at,
      event_types.turn,
      turns.map((data) => ({ data })),
    ),
  ])
  announce(at, id)
  return conversation
}

/** Shares the agent and the contact, so that neither is deleted before the transaction ends. */
async function findParts(at: At, input: NewConversation, id: string) {
  const { agent_id, contact_id = null, agent_version_id = null, use_draft = false } = input
  const [has_agent, has_contact] = await Promise.all([
    agents.share(at, agent_id),
    contact_id === null || contacts.share(at, contact_id),
  ])
  const agent = has_agent ? await agents.get(at, agent_id) : undefined
  const version_id = agent && (agent_version_id ?? chooseVersion(agent, contact_id ?? id).id)
  const version = version_id && (await findVersion(at, { agent_id, version_id }))
  const faults: Fault[] = [
    ...(agent ? [] : [unknown('agent_id', 'an agent')]),
    ...(has_contact ? [] : [unknown('contact_id', 'a contact')]),
    ...(agent && !version ? [unknown('agent_version_id', 'a version of this agent')] : []),
    ...(use_draft && agent_version_id !== null ? [draftAndVersion] : []),
    ...(input.channel_id == null ? [] : [unknown('channel_id', 'a channel')]),
    ...nameFaults('variables', input.variables, /^[a-z0-9_]{1,40}$/),
    ...variableFaults(input.variables),
    ...nameFaults('metadata', input.metadata, /^.{1,40}$/u),
  ]
  if (!agent || !version || faults.length > 0) throw invalid(faults)
  return { agent, version: use_draft ? asVersion(agent.draft) : version }
}

const asVersion = (configuration: Configuration) => ({ id: null, version_label: 'draft', configuration })

const members_max = 50
const variable_length_max = 1_000

function nameFaults(path: string, members: object = {}, name_format: RegExp): Fault[] {
  const names = Object.keys(members)
  if (names.length > members_max)
    return [{ path, code: 'too_many', message: `${path} must have at most ${members_max} members.` }]
  const invalid_name = names.find((name) => !name_format.test(name) || !isStorable(name))
  if (invalid_name === undefined) return []
  return [{ path, code: 'format', message: `${path} has a member whose name is not allowed.` }]
}

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

const unknown = (path: string, what: string): Fault => ({
  path,
  code: 'unknown',
  message: `${path} must be the id of ${what}.`,
})

const draftAndVersion: Fault = {
  path: 'use_draft',
  code: 'conflict',
  message: "use_draft can't be used together with agent_version_id.",
}
