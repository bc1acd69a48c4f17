import { hash, randomBytes, randomUUID } from 'node:crypto'
import { type Configuration, complete } from '../agents/configuration.ts'
import { findConfiguration } from '../agents/find-version.ts'
import * as channels from '../channels/store.ts'
import * as clocks from '../clocks/store.ts'
import type { Rule } from '../consent/refusals.ts'
import type { Contact } from '../contacts/schema.ts'
import * as contacts from '../contacts/store.ts'
import { timeZoneOf } from '../contacts/zones.ts'
import { type At, inTransaction, timeStands } from '../kit/at.ts'
import * as clock from '../kit/clock.ts'
import { isId } from '../kit/id.ts'
import { sql } from '../kit/postgres/sql.ts'
import type { RowOf } from '../kit/postgres/table.ts'
import type { DueKind } from '../kit/work/due.ts'
import { dueRows } from '../kit/work/rows.ts'
import type { ClaimRequest } from '../kit/work/work.ts'
import * as workspaces from '../workspaces/store.ts'
import type { Connection } from './carrier.ts'
import * as counts from './change/counts.ts'
import { withoutQuiet } from './change/quiet-hours.ts'
import { countInFlight } from './queue.ts'
import {
  findOpened,
  isUndialed,
  leaseDue,
  type Opening,
  queueScheduled,
  releaseUntil,
  select,
  takeOpened,
} from './rows.ts'
import { findRules, table } from './store.ts'

const claims_max = 250
/** While time stands still, all that is due runs at once, and is held in memory until it is written. */
const held_max = 200
/** A scheduled call for which there is no room is tried again after this long. */
const retry_ms = 5_000
/** After a crash a browser, or the stream of a telephone, may come back for this long. */
export const come_back_within_ms = 60_000

export const due_calls: DueKind = {
  ...dueRows(table),
  nextFree: (workspace) => sql`select least(
    (select min(due_at) from calls where workspace_id = ${workspace} and lease_until is null and due_at is not null),
    (select min(greatest(due_at, lease_until)) from calls
      where workspace_id = ${workspace} and lease_until is not null and due_at is not null))`,
}

/** A call that this process drives, as it was when the process leased it. */
export interface ClaimedCall extends LeasedRow {
  token: string
  contact: Contact | undefined
  /** The contact names dates and times in this zone. */
  time_zone: string
  /** Undefined when the agent was deleted. */
  configuration: Configuration | undefined
  /** Why the number must not be called. */
  refusal: Rule | 'no_channel' | undefined
  /** Up to when the call may run ahead, while time stands still. */
  horizon: number | undefined
  /** The connection that this process has to the other side. Calls that a carrier dials have none. */
  connection?: Connection
}

const columns = select([
  'id',
  'due_at',
  'direction',
  'status',
  'to',
  'from',
  'contact_id',
  'conversation_id',
  'agent_id',
  'agent_name',
  'version_id',
  'version_label',
  'channel_id',
  'attempt',
  'metadata',
  'is_test',
  'started_at',
  'created_at',
  'recording_status',
  'variables',
  'simulate',
  'leaves_voicemail',
  'keeps_quiet_hours',
  'dial_before',
  'facts',
  'state',
  'request',
  'claims',
  'line',
  'carrier_id',
  'is_dialing',
  'draft',
  'socket_origin',
  'lease_token',
  'speech_ms',
])

interface LeasedRow extends RowOf<typeof columns> {
  due_at: string
}

/**
 * Leases due calls, and reads what is needed to drive them. Consent is asked here, because they are dialled at once.
 */
export async function claim(at: At, { slots, claimed }: Pick<ClaimRequest<ClaimedCall>, 'slots' | 'claimed'>) {
  const free = timeStands(at) ? held_max - claimed.size : claims_max
  return free > 0 ? claimSome(at, Math.min(slots, free)) : []
}

async function claimSome(at: At, limit: number): Promise<ClaimedCall[]> {
  const { db, workspace } = at
  const token = randomUUID()
  const leased = await leaseDue(at, { token, limit, returning: columns })
  // More calls may be due.
  if (leased.length === claims_max) db.notify({ topic: table, workspace })
  return withParts(at, await withoutWaiting(at, await withoutQuiet(at, leased, token), token), token)
}

/** Reads what is needed to drive calls. */
async function withParts(at: At, rows: LeasedRow[], token: string): Promise<ClaimedCall[]> {
  const { now } = at
  if (rows.length === 0) return []
  const contact_ids = rows.flatMap(({ contact_id }) => contact_id ?? [])
  const [known, settings, configurations, rules, horizon] = await Promise.all([
    contacts.getMany(at, contact_ids),
    workspaces.readSettings(at),
    Promise.all(rows.map((row) => configurationOf(at, row))),
    rulesFor(at, rows),
    clocks.readHorizon(at),
  ])
  return rows
    .map((row, index) => ({
      ...row,
      token,
      contact: known.get(row.contact_id ?? ''),
      time_zone: timeZoneOf(known.get(row.contact_id ?? ''), { now, workspace_time_zone: settings.time_zone }),
      configuration: configurations[index],
      refusal: rules.get(row.id),
      horizon,
    }))
    .sort((left, right) => (left.id < right.id ? -1 : 1))
}

async function configurationOf(
  at: At,
  { agent_id, version_id, draft }: Pick<LeasedRow, 'agent_id' | 'version_id' | 'draft'>,
): Promise<Configuration | undefined> {
  if (version_id === null) return draft ? complete(draft) : undefined
  return findConfiguration(at, { agent_id, version_id })
}

/** Reads what a call would be held with, before it is taken. Undefined if the token doesn't open it. */
export async function findToTake(
  at: At,
  opening: Pick<Opening, 'line' | 'id' | 'token' | 'origin'>,
): Promise<
  (Pick<ClaimedCall, 'configuration' | 'carrier_id' | 'channel_id'> & { lease_token: string | null }) | undefined
> {
  const found = await findOpened(at, opening, columns)
  if (!found) return undefined
  const { carrier_id, channel_id, lease_token } = found
  return { configuration: await configurationOf(at, found), carrier_id, channel_id, lease_token }
}

/** Leases a call for the process that has the socket. Undefined if the token doesn't open it. */
export async function take(at: At, opening: Omit<Opening, 'lease_token' | 'due_at'>): Promise<ClaimedCall | undefined> {
  const due_at = clock.iso(at.now + come_back_within_ms)
  const wanted = { ...opening, lease_token: randomUUID(), due_at }
  const taken = await takeOpened(at, wanted, columns)
  return taken && (await withParts(at, [taken], taken.lease_token))[0]
}

/** Whether the token may open the socket when the lease of a process ends that was perhaps killed. */
export async function isAwaited(
  { db, workspace }: At,
  { id, token, origin }: Pick<Opening, 'id' | 'token' | 'origin'>,
): Promise<boolean> {
  const found = await db.maybe(
    sql`select id from calls where workspace_id = ${workspace} and id = ${id} and line = 'browser' and ended_at is null
      and socket_token_before = ${token} and (socket_origin is null or socket_origin = ${origin})`,
  )
  return found !== undefined
}

/** Leaves out scheduled calls for which there is no room: they wait. */
async function withoutWaiting(at: At, rows: LeasedRow[], token: string): Promise<LeasedRow[]> {
  const isScheduled = ({ status, request }: LeasedRow) => status === 'scheduled' && request === null
  const scheduled = rows.filter(isScheduled).sort(byDue)
  if (scheduled.length === 0) return rows
  const admitted = await admit(at, { ids: scheduled.map(({ id }) => id), token })
  return rows.filter((row) => !isScheduled(row) || admitted.has(row.id))
}

/** Orders calls by when they are due, and then by id, because an update returns its rows in any order. */
const byDue = (left: LeasedRow, right: LeasedRow): number =>
  clock.parse(left.due_at) - clock.parse(right.due_at) || (left.id < right.id ? -1 : 1)

/** Lets scheduled calls that are due begin, as long as there is room for calls in flight. Returns the ids of those that may. */
const admit = (at: At, { ids, token }: { ids: string[]; token: string }): Promise<Set<string>> =>
  inTransaction(at, async (at) => {
    await workspaces.lock(at)
    const { calls_in_flight_max } = await workspaces.readSettings(at)
    const room = calls_in_flight_max - (await countInFlight(at, calls_in_flight_max))
    const [admitted, waiting] = [ids.slice(0, room), ids.slice(room)]
    const [queued] = await Promise.all([
      queueScheduled(at, { ids: admitted, token }),
      releaseUntil(at, { ids: waiting, token }, clock.iso(at.now + retry_ms)),
    ])
    await counts.count(
      at,
      Array.from({ length: queued }, () => ({ from: 'scheduled' as const, to: 'queued' as const })),
    )
    return new Set(admitted)
  })

/** Finds why calls must not be dialled. Only calls that are about to be dialled are asked about. */
async function rulesFor(at: At, rows: LeasedRow[]): Promise<Map<string, ClaimedCall['refusal']>> {
  const to_dial = rows.flatMap((row) => {
    const { id, direction, to, is_test, channel_id } = row
    return direction === 'inbound' || to === null || !isUndialed(row) ? [] : [{ id, to, is_test, channel_id }]
  })
  const channel_ids = [...new Set(to_dial.flatMap(({ channel_id }) => channel_id ?? []))]
  const [rules, found] = await Promise.all([
    findRules(at, to_dial),
    Promise.all(channel_ids.map((id) => channels.find(at, id))),
  ])
  const usable = new Set(found.flatMap((channel) => (channel && channel.status !== 'disabled' ? [channel.id] : [])))
  return new Map(
    to_dial.map(({ id, channel_id }, index) => [
      id,
      rules[index] ?? (channel_id === null || usable.has(channel_id) ? undefined : 'no_channel'),
    ]),
  )
}

/** A socket or stream must be open by then, or its call ends. */
export const open_within_ms = 60_000
const id_bytes = 16
const secret_bytes = 32

export interface SocketToken {
  workspace: string
  call_id: string
  /** Only the hash is stored. It needs no salt, because 32 random bytes can't be guessed. */
  hash: string
}

/**
 * Makes a token that opens the socket of a call. The token says whose call it is, so that the call is found in its
 * workspace.
 */
export function newSocketToken(workspace: string, call_id: string): { text: string; hash: string } {
  const bytes = Buffer.concat([bytesOf(workspace), bytesOf(call_id), randomBytes(secret_bytes)])
  const text = bytes.toString('base64url')
  return { text, hash: hash('sha256', text) }
}

/** Reads a token. Undefined if the text is none. */
export function parseSocketToken(text: string): SocketToken | undefined {
  if (!/^[\w-]{86}$/.test(text)) return undefined
  const bytes = Buffer.from(text, 'base64url')
  const [workspace, call_id] = [0, id_bytes].map((start) => idOf(bytes.subarray(start, start + id_bytes)))
  if (!workspace || !call_id || !isId(workspace) || !isId(call_id)) return undefined
  return { workspace, call_id, hash: hash('sha256', text) }
}

const bytesOf = (id: string): Buffer => Buffer.from(id.replaceAll('-', ''), 'hex')

const idOf = (bytes: Buffer): string =>
  bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')
