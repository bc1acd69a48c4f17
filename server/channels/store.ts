import * as agents from '../agents/find.ts'
import { type At, newHook, type Unscoped } from '../kit/at.ts'
import * as clock from '../kit/clock.ts'
import type { IsCurrent } from '../kit/http/operation.ts'
import { isId, newId } from '../kit/id.ts'
import { batchedGetById } from '../kit/postgres/get-by-id.ts'
import * as page from '../kit/postgres/page.ts'
import { raw, sql } from '../kit/postgres/sql.ts'
import { inUse, invalid, invalidState, notFound, preconditionFailed, stillUsed, type Use } from '../kit/problem.ts'
import { truncate } from '../kit/text.ts'
import * as workspaces from '../workspaces/store.ts'
import { assertChange, assertProvision, type Trust, toOrigins } from './check.ts'
import {
  type Channel,
  type ChannelChange,
  type ChannelQuery,
  type ChannelWithSettings,
  channels_max,
  default_api_url,
  type NewChannel,
} from './schema.ts'

const columns = raw(`id, name, kind, provider, address, agent_id, status, origins, account_sid, auth_token, api_url,
  is_api_url_trusted, messages_per_minute_max, messages_per_day_max, tokens_per_day_max, has_voice, error, created_at, updated_at`)

const error_length_max = 500
const web_tokens_per_day_max = 200_000
const default_limits = { messages_per_minute_max: 60, messages_per_day_max: 10_000 }
const simulator_limits = { messages_per_minute_max: 1_000_000, messages_per_day_max: 1_000_000 }

/** A channel as stored. */
export interface StoredChannel
  extends Omit<ChannelWithSettings, 'public_url' | 'inbound_url' | 'capabilities' | 'has_auth_token'> {
  /** The sealed token. */
  auth_token: string | null
  is_api_url_trusted: boolean
}

export async function create(at: At, input: NewChannel & Trust): Promise<ChannelWithSettings> {
  const { db, workspace, now, tools } = at
  assertProvision(input)
  const { name, kind, provider, address = null, agent_id = null, account_sid = null, auth_token } = input
  const origins = toOrigins(input.origins ?? [])
  await workspaces.lock(at)
  await assertRoom(at, { kind, address })
  if (provider === 'twilio' && (await workspaces.get(at)).kind === 'test')
    throw invalidState('Nobody real is reached from a test workspace. Use the provider simulator.')
  await assertAgent(at, agent_id)
  const { messages_per_minute_max, messages_per_day_max } = {
    ...(provider === 'simulator' ? simulator_limits : default_limits),
    ...input,
  }
  const { tokens_per_day_max = provider === 'web' ? web_tokens_per_day_max : null, has_voice = false } = input
  const { api_url = provider === 'twilio' ? default_api_url : null, is_api_url_trusted = false } = input
  const id = newId()
  const created_at = clock.iso(now)
  const [created] = await Promise.all([
    db.one<StoredChannel>(
      sql`insert into channels (workspace_id, id, name, kind, provider, address, agent_id, status, origins, account_sid,
          auth_token, api_url, is_api_url_trusted, messages_per_minute_max, messages_per_day_max, tokens_per_day_max,
          has_voice, created_at, updated_at)
        values (${workspace}, ${id}, ${name}, ${kind}, ${provider}, ${address}, ${agent_id}, 'active', ${origins},
          ${account_sid}, ${auth_token === undefined ? null : tools.seal.close(auth_token)}, ${api_url},
          ${is_api_url_trusted}, ${messages_per_minute_max}, ${messages_per_day_max}, ${tokens_per_day_max},
          ${has_voice}, ${created_at}, ${created_at})
        returning ${columns}`,
    ),
    db.run(sql`insert into channel_directory (channel_id, workspace_id) values (${id}, ${workspace})`),
  ])
  return toChannel(at, created)
}

async function assertRoom(
  { db, workspace }: At,
  { kind, address }: Pick<NewChannel, 'kind'> & { address: string | null },
) {
  const all = await db.many<Pick<Channel, 'id' | 'kind' | 'address'>>(
    sql`select id, kind, address from channels where workspace_id = ${workspace}`,
  )
  if (all.length >= channels_max) throw invalidState(`A workspace can have at most ${channels_max} channels.`)
  const holder = address !== null && all.find((one) => one.kind === kind && one.address === address)
  if (holder) throw inUse('address', `Another ${kind} channel has this phone number.`, holder.id)
}

async function assertAgent(at: At, agent_id: string | null): Promise<void> {
  if (agent_id === null || (await agents.share(at, agent_id))) return
  throw invalid([{ path: 'agent_id', code: 'unknown', message: 'agent_id is not the id of an agent.' }])
}

/** Returns a channel with the settings, which only owners see. */
export const get = async (at: At, id: string): Promise<ChannelWithSettings> =>
  toChannel(at, orNotFound(await find(at, id)))

export async function list(at: At, query: ChannelQuery): Promise<page.Page<ChannelWithSettings>> {
  const { kind, status } = query
  const own = sql`from channels where workspace_id = ${at.workspace}
    ${kind === undefined ? raw('') : sql`and kind = ${kind}`}
    ${status === undefined ? raw('') : sql`and status = ${status}`}`
  const all = sql`select ${columns} ${own}`
  const found = await page.readSelection<StoredChannel>(at.db, query, page.newest_first, all, sql`select ${own}`)
  return { ...found, data: found.data.map((row) => toChannel(at, row)) }
}

const byId = batchedGetById<StoredChannel>(columns, raw('channels'))

/** Finds the channel as stored. Concurrent reads share a statement. */
export const find = async ({ db, workspace }: At, id: string): Promise<StoredChannel | undefined> =>
  isId(id) ? byId(db, workspace, id) : undefined

/** Returns undefined when there is no token, or when it was encrypted with another SECRETS_KEY. */
export function openAuthToken({ tools }: At, { auth_token }: StoredChannel): string | undefined {
  try {
    return auth_token === null ? undefined : tools.seal.open(auth_token)
  } catch {
    return undefined
  }
}

/** Reads the phone numbers of all channels. */
export async function ownNumbers({ db, workspace }: At): Promise<string[]> {
  const rows = await db.many<{ address: string }>(
    sql`select distinct address from channels where workspace_id = ${workspace} and address is not null order by address`,
  )
  return rows.map(({ address }) => address)
}

/** Changes a channel. An empty change doesn't even change `updated_at`. */
export async function update(
  at: At,
  { id, change, isCurrent }: { id: string; change: ChannelChange & Trust; isCurrent: IsCurrent },
): Promise<ChannelWithSettings> {
  await workspaces.lock(at)
  const before = await lock(at, { id, isCurrent })
  if (Object.keys(change).length === 0) return toChannel(at, before)
  assertChange(before, change)
  if (change.agent_id !== undefined) await assertAgent(at, change.agent_id)
  const { origins, ...changed } = change
  const after: StoredChannel = {
    ...before,
    ...changed,
    ...(origins && { origins: toOrigins(origins) }),
    ...credentials(at, before, change),
  }
  return toChannel(at, await save(at, { before, after: withHealth(after, change) }))
}

/** Returns the credentials after a change. A token is sent only to the server that it was entered for. */
function credentials({ tools }: At, before: StoredChannel, change: ChannelChange & Trust) {
  const { auth_token, api_url = before.api_url, is_api_url_trusted = false } = change
  const is_moved = originOf(api_url) !== originOf(before.api_url)
  const kept = is_moved ? null : before.auth_token
  return {
    auth_token: auth_token === undefined ? kept : tools.seal.close(auth_token),
    is_api_url_trusted:
      api_url === before.api_url ? before.is_api_url_trusted || is_api_url_trusted : is_api_url_trusted,
  }
}

/** Ends `failing` if credentials are new, or the channel is turned on or off. */
function withHealth(after: StoredChannel, { status, auth_token, account_sid, api_url }: ChannelChange): StoredChannel {
  const is_tried_again = [status, auth_token, account_sid, api_url].some((value) => value !== undefined)
  if (!is_tried_again) return after
  return { ...after, status: after.status === 'failing' ? 'active' : after.status, error: null }
}

async function save(
  { db, workspace, now }: At,
  { before, after }: { before: StoredChannel; after: StoredChannel },
): Promise<StoredChannel> {
  return db.one<StoredChannel>(
    sql`update channels set name = ${after.name}, agent_id = ${after.agent_id}, status = ${after.status},
        origins = ${after.origins}, account_sid = ${after.account_sid}, auth_token = ${after.auth_token},
        api_url = ${after.api_url}, is_api_url_trusted = ${after.is_api_url_trusted},
        messages_per_minute_max = ${after.messages_per_minute_max}, messages_per_day_max = ${after.messages_per_day_max},
        tokens_per_day_max = ${after.tokens_per_day_max}, has_voice = ${after.has_voice}, error = ${after.error},
        updated_at = ${clock.laterThan(before.updated_at, now)}
      where workspace_id = ${workspace} and id = ${before.id} returning ${columns}`,
  )
}

/** Notes that the carrier refuses to send. A disabled channel stays so. */
export const setFailing = (at: At, { id, error }: { id: string; error: string }): Promise<void> =>
  setHealth(at, { id, status: 'failing', error: truncate(error, error_length_max) })

/** Notes that the carrier sends again. */
export const setWorking = (at: At, id: string): Promise<void> => setHealth(at, { id, status: 'active', error: null })

/** Counts the failing channels of all live workspaces, for the operator. */
export async function countFailing({ db }: Pick<Unscoped, 'db'>): Promise<number> {
  const { total } = await db.one<{ total: number }>(
    sql`select count(*) as total from channels where status = 'failing'
      and not ${workspaces.isTest(raw('channels.workspace_id'))}`,
  )
  return total
}

/**
 * Returns the ids of two live workspaces in which people can call or be called, or of fewer if there aren't two. If a
 * node of a sharded database is down, it may return more.
 */
export const readWithVoice = ({ db }: Pick<Unscoped, 'db'>): Promise<string[]> =>
  workspaces.listToLookInto({ db }, ({ db }) =>
    db.many<{ workspace_id: string }>(
      sql`select distinct workspace_id from channels where (kind = 'voice' or has_voice) and provider <> 'simulator'
        and status <> 'disabled' and not ${workspaces.isTest(raw('channels.workspace_id'))} limit 2`,
    ),
  )

type Health = Pick<StoredChannel, 'id' | 'status' | 'error'>

/** Locks the channel only if something changes, because each message that is sent says how the channel works. */
async function setHealth(at: At, { id, status, error }: Health): Promise<void> {
  const isSame = (channel: StoredChannel | undefined) =>
    !channel || channel.status === 'disabled' || (channel.status === status && channel.error === error)
  if (isSame(await find(at, id))) return
  const before = await findLocked(at, id)
  if (before && !isSame(before)) await save(at, { before, after: { ...before, status, error } })
}

/** A channel is about to be deleted. Reactions return what needs it, which prevents that. */
export const findingUses = newHook<{ channel_id: string }, Use[]>('channels.finding_uses')

/** Deletes a channel. Its conversations stay, and its addresses return 404 from now on. */
export async function remove(
  at: At,
  { id, isCurrent }: { id: string; isCurrent: IsCurrent },
): Promise<{ deleted: true }> {
  const { db, workspace } = at
  await lock(at, { id, isCurrent })
  const used_by = (await at.hooks.run(at, findingUses, { channel_id: id })).flat()
  if (used_by.length > 0)
    throw stillUsed('The channel has calls that are not over. Disable it, and delete it when they are.', used_by)
  await Promise.all([
    db.run(sql`delete from channels where workspace_id = ${workspace} and id = ${id}`),
    db.run(sql`delete from channel_directory where workspace_id = ${workspace} and channel_id = ${id}`),
  ])
  return { deleted: true }
}

async function lock(at: At, { id, isCurrent }: { id: string; isCurrent: IsCurrent }): Promise<StoredChannel> {
  const before = orNotFound(await findLocked(at, id))
  if (!isCurrent(toChannel(at, before))) throw preconditionFailed()
  return before
}

const findLocked = ({ db, workspace }: At, id: string): Promise<StoredChannel | undefined> =>
  db.maybe<StoredChannel>(
    sql`select ${columns} from channels where workspace_id = ${workspace} and id = ${id} for no key update`,
  )

function orNotFound(channel: StoredChannel | undefined): StoredChannel {
  if (!channel) throw notFound()
  return channel
}

function toChannel({ tools }: At, stored: StoredChannel): ChannelWithSettings {
  const { auth_token, is_api_url_trusted: _, ...channel } = stored
  const { id, kind, provider, agent_id } = channel
  return {
    ...channel,
    public_url: provider === 'web' ? `${tools.address()}/${kind === 'voice' ? 'voice' : 'chat'}/${id}` : null,
    inbound_url: provider === 'twilio' ? `${tools.address()}/${kind === 'voice' ? 'phone' : 'sms'}/${id}` : null,
    capabilities: { inbound: agent_id !== null, outbound: provider !== 'web' },
    has_auth_token: auth_token !== null,
  }
}

const originOf = (url: string | null): string | undefined => (url === null ? undefined : URL.parse(url)?.origin)
