import { createHash } from 'node:crypto'
import { chooseVersion } from '../agents/choose-version.ts'
import { type Configuration, withMcpTools } from '../agents/configuration.ts'
import * as agents from '../agents/find.ts'
import { findVersion } from '../agents/find-version.ts'
import type { FoundAgent } from '../agents/schema.ts'
import * as contacts from '../contacts/store.ts'
import { findAgent, memberFaults, unknown } from '../conversations/begin.ts'
import { isOverLimit } from '../conversations/store.ts'
import { type At, type AtOutside, simulatesPeople } from '../kit/at.ts'
import * as clock from '../kit/clock.ts'
import { isId, newId } from '../kit/id.ts'
import { sql } from '../kit/postgres/sql.ts'
import { type Fault, ignoreProblem, invalid, invalidState, Problem } from '../kit/problem.ts'
import type { KeptMcpTool } from '../tools/mcp-schema.ts'
import { speechFinder } from './carrier.ts'
import { admitAll } from './change/create.ts'
import { newSocketToken, open_within_ms } from './claim.ts'
import { liveCalls, newLiveCall, noRoom } from './live-calls.ts'
import { insert, newCall } from './queue.ts'
import { shownOf } from './rows.ts'
import type { NewWebCall, WebCall } from './schema.ts'

const open_per_network_max = 2
const open_per_channel_max = 10
const retry_after_seconds = 30

/** A visitor of a web channel. */
export interface Visitor {
  channel_id: string
  network: string
}

/** A visitor calls the agent of a channel, from a page of this origin. */
export const createVisitorCall = (
  at: At,
  { agent_id, origin, ...visitor }: Visitor & { agent_id: string; origin: string | null },
): Promise<WebCall> => createWebCall(at, { agent_id, origin }, { visitor })

/**
 * Checks before the transaction, because it takes long, whether the agent can hear and speak here. It takes no room:
 * the socket does.
 */
export async function checkSpeech(
  at: AtOutside,
  input: Pick<NewWebCall, Choosing> & Partial<Pick<Visitor, 'channel_id'>>,
): Promise<void> {
  if (simulatesPeople(at)) throw inTestWorkspace()
  const configuration = await findConfiguration(at, input)
  // `createWebCall` reports what is unknown.
  if (!configuration) return
  const speech = await speechFinder.of(at)(at, configuration)
  const { channel_id: web_channel_id = null } = input
  const refusal = await liveCalls.of(at).check(at, newLiveCall(at, speech, web_channel_id))
  if (refusal) throw noRoom(refusal)
}

type Choosing = 'agent_id' | 'agent_version_id' | 'contact_id' | 'use_draft'

async function findConfiguration(at: At, input: Pick<NewWebCall, Choosing>): Promise<Configuration | undefined> {
  const { agent_id, agent_version_id = null, contact_id = null, use_draft = false } = input
  const agent = isId(agent_id) ? await agents.get(at, agent_id).catch(ignoreProblem) : undefined
  if (!agent) return undefined
  if (use_draft) return agent.draft
  const version_id = agent_version_id ?? chooseVersion(agent, contact_id ?? '').id
  return isId(version_id) ? (await findVersion(at, { agent_id, version_id }))?.configuration : undefined
}

const inTestWorkspace = () =>
  invalidState('In a test workspace time stands still, so nobody can speak there. Use a live workspace.', {
    reason: 'test_workspace',
  })

/**
 * Creates a call that begins when its socket is opened. The consent ledger is not asked, because the other side calls.
 */
export async function createWebCall(
  at: At,
  input: NewWebCall,
  { visitor, mcp_tools = [] }: { visitor?: Visitor; mcp_tools?: KeptMcpTool[] } = {},
): Promise<WebCall> {
  if (simulatesPeople(at)) throw inTestWorkspace()
  const id = newId()
  const { agent, version } = await findParts(at, input, id)
  const token = newSocketToken(at.workspace, id)
  const expires_at = clock.iso(at.now + open_within_ms)
  const row = newCall(at, {
    id,
    direction: 'inbound',
    line: 'browser',
    agent,
    version,
    draft: version.id === null ? withMcpTools(version.configuration, mcp_tools) : null,
    channel: visitor ? { id: visitor.channel_id, address: null } : null,
    to: null,
    contact_id: input.contact_id ?? null,
    attempt: 1,
    status: 'queued',
    is_test: input.is_test ?? false,
    metadata: input.metadata ?? {},
    variables: input.variables ?? {},
    socket_token: token.hash,
    socket_origin: toOrigin(input.origin ?? null),
    visitor_network: visitor ? hashNetwork(at, visitor) : null,
    due_at: expires_at,
  })
  // `admitAll` locks the workspace, so that the number of open calls can't grow meanwhile.
  const [admitted] = await admitAll(at, [row])
  if (!admitted || admitted instanceof Problem) throw admitted
  if (visitor) await assertRoom(at, visitor)
  await insert(at, [admitted])
  return { call: shownOf(admitted), url: socketUrl(at), token: token.text, expires_at }
}

const socketUrl = ({ tools }: At): string => `${tools.address().replace(/^http/, 'ws')}/voice`

/** Shares the agent and the contact, so that neither is deleted before the transaction ends. */
async function findParts(at: At, input: NewWebCall, id: string) {
  const { agent_id, contact_id = null, agent_version_id = null, use_draft = false, origin = null } = input
  const [agent, has_contact] = await Promise.all([
    findAgent(at, agent_id),
    contact_id === null || contacts.share(at, contact_id),
  ])
  const version = agent && (await findUsed(at, agent, { use_draft, agent_version_id, counterpart: contact_id ?? id }))
  const faults: Fault[] = [
    ...(agent ? [] : [unknown('agent_id', 'an agent')]),
    ...(has_contact ? [] : [unknown('contact_id', 'a contact')]),
    ...(agent && !version ? [unknown('agent_version_id', 'a version of this agent')] : []),
    ...(use_draft && agent_version_id !== null ? [draft_and_version] : []),
    ...(origin === null || isOrigin(origin) ? [] : [not_an_origin]),
    ...memberFaults(input),
  ]
  if (!agent || !version || faults.length > 0) throw invalid(faults)
  return { agent, version }
}

interface Wanted {
  use_draft: boolean
  agent_version_id: string | null
  counterpart: string
}

async function findUsed(at: At, agent: FoundAgent, { use_draft, agent_version_id, counterpart }: Wanted) {
  if (use_draft) return { id: null, version_label: 'draft', configuration: agent.draft }
  const version_id = agent_version_id ?? chooseVersion(agent, counterpart).id
  return isId(version_id) ? findVersion(at, { agent_id: agent.id, version_id }) : undefined
}

const draft_and_version: Fault = {
  path: 'use_draft',
  code: 'conflict',
  message: "use_draft can't be used together with agent_version_id.",
}

const not_an_origin: Fault = {
  path: 'origin',
  code: 'format',
  message: 'origin must be an origin such as https://example.com, without a path.',
}

const isOrigin = (text: string): boolean => {
  const url = URL.parse(text)
  return url !== null && /^https?:$/.test(url.protocol) && url.href === `${url.origin}/`
}

/** Returns the origin in the form in which browsers send it. */
const toOrigin = (text: string | null): string | null => (text === null ? null : new URL(text).origin)

/** Hashes the network, so that it can be compared without being stored. The hash is deleted at the end of the call. */
const hashNetwork = ({ workspace }: At, { network }: Visitor): string =>
  createHash('sha256').update(`${workspace} ${network}`).digest('hex')

/**
 * Throws if the channel or the network of the visitor has as many open calls as it may have, or if no more tokens may
 * be used today. The workspace must be locked.
 */
async function assertRoom(at: At, visitor: Visitor): Promise<void> {
  const { db, workspace } = at
  const { channel_id } = visitor
  const [open, is_over] = await Promise.all([
    db.one<{ on_channel: number; on_network: number }>(
      sql`select count(*) filter (where channel_id = ${channel_id}) as on_channel,
          count(*) filter (where visitor_network = ${hashNetwork(at, visitor)}) as on_network
        from calls where workspace_id = ${workspace} and status in ('queued', 'ringing', 'in_progress')`,
    ),
    isOverLimit(at, { channel_id }),
  ])
  if (is_over)
    throw invalidState('This channel has used all the tokens that it may use today.', { reason: 'tokens_per_day_max' })
  if (open.on_network >= open_per_network_max || open.on_channel >= open_per_channel_max)
    throw new Problem(
      'RATE_LIMITED',
      open.on_network >= open_per_network_max
        ? `At most ${open_per_network_max} calls can be open at a time. End one first.`
        : 'All lines are busy. Try again in a moment.',
      {},
      { 'retry-after': String(retry_after_seconds) },
    )
}
