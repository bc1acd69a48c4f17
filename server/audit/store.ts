import { createHash } from 'node:crypto'
import type { ActorType } from '../events/actors.ts'
import { type Reader, readNamesFor } from '../events/named.ts'
import type { At } from '../kit/at.ts'
import * as clock from '../kit/clock.ts'
import { firstIdOf, isId, newId } from '../kit/id.ts'
import { parseAddress } from '../kit/network.ts'
import { type IsStopping, inBatches } from '../kit/postgres/in-batches.ts'
import type { Reference } from '../kit/postgres/names.ts'
import * as page from '../kit/postgres/page.ts'
import { raw, type Sql, sql } from '../kit/postgres/sql.ts'
import type { AuditEntry, AuditQuery } from './schema.ts'

const kept_ms = 365 * clock.day_ms
const delete_batch_rows = 2_000
const minute_ms = 60_000
const recorded_ms = 60 * minute_ms

export interface NewEntry {
  /** The name of the operation. */
  action: string
  subject?: Reference | null
  /** Counts the entry in the one of the same actor, action and subject in this minute, if there is one. */
  is_counted?: boolean
}

export type Acting = Pick<At, 'db' | 'workspace' | 'actor' | 'request'>

const columns = raw('id, at, actor_type, actor_id, action, subject_type, subject_id, ip, request_id')
const count_again = raw('on conflict (workspace_id, id) do update set count = audit_log.count + 1')

/** Adds an entry, in the transaction of the change. */
export async function record({ db, workspace, ...acting }: Acting, entry: NewEntry): Promise<void> {
  await db.run(
    sql`insert into audit_log (workspace_id, ${columns}) values (${workspace}, ${valuesOf(acting, entry)}) ${count_again}`,
  )
}

/** Whether an entry of the same actor, action, subject and address is younger than an hour. */
export async function isRecorded(
  { db, workspace, actor, request }: Acting,
  { action, subject }: Pick<NewEntry, 'action' | 'subject'>,
): Promise<boolean> {
  const since = clock.iso(clock.wall() - recorded_ms)
  const found = await db.maybe(
    sql`select 1 from audit_log where workspace_id = ${workspace} and subject_id = ${subject?.id ?? null} and at > ${since}
      and action = ${action} and actor_id = ${actor.id} and ip = ${request ? plainAddress(request.ip) : null} limit 1`,
  )
  return found !== undefined
}

/** Adds an entry in each of these workspaces, as `record` does. A sharded database takes only one workspace. */
export async function recordInEach(
  { db, ...acting }: Omit<Acting, 'workspace'>,
  workspaces: string[],
  entry: NewEntry,
): Promise<void> {
  const [workspace, second] = workspaces
  if (workspace !== undefined && second === undefined) return record({ ...acting, db, workspace }, entry)
  await db.run(
    sql`insert into audit_log (workspace_id, ${columns})
      select workspace_id, ${valuesOf(acting, entry)} from unnest(${workspaces}::uuid[]) as each (workspace_id) ${count_again}`,
  )
}

function valuesOf(
  { actor, request }: Pick<Acting, 'actor' | 'request'>,
  { action, subject = null, is_counted = false }: NewEntry,
): Sql {
  const now = clock.wall()
  const id = is_counted ? minuteId(now, [actor.type, actor.id, action, subject?.type, subject?.id]) : newId()
  return sql`${id}, ${clock.iso(now)}, ${actor.type}, ${actor.id}, ${action}, ${subject?.type ?? null},
    ${subject?.id ?? null}, ${request ? plainAddress(request.ip) : null}, ${request?.id ?? null}`
}

/** Returns an address as it is shown. An IPv4 address that was mapped to IPv6 is shown as IPv4. */
const plainAddress = (ip: string): string => parseAddress(ip)?.toString() ?? ip

/** Returns an id that is the same for the same parts within a minute, on every process. */
function minuteId(now: number, parts: unknown[]): string {
  const hash = createHash('sha256').update(JSON.stringify(parts)).digest('hex')
  const [time_high, time_low] = firstIdOf(now - (now % minute_ms)).split('-')
  return `${time_high}-${time_low}-7${hash.slice(0, 3)}-8${hash.slice(3, 6)}-${hash.slice(6, 18)}`
}

const newest_first: page.Sort = { name: '-at', column: 'at', is_descending: true, is_nullable: false }

interface Row extends Omit<AuditEntry, 'actor' | 'subject'> {
  /** The type is true because `record` stores no others. */
  actor_type: ActorType
  actor_id: string | null
  subject_type: string | null
  subject_id: string | null
}

/** Lists entries, with the names of now. */
export async function list(at: At, query: AuditQuery, reader: Reader): Promise<page.Page<AuditEntry>> {
  const { db, workspace } = at
  const all = sql`from audit_log where workspace_id = ${workspace} ${conditions(query)}`
  const found = await page.readSelection<Row>(
    db,
    query,
    newest_first,
    sql`select ${columns}, count ${all}`,
    sql`select ${all}`,
  )
  const entries = found.data.map(({ actor_type, actor_id, subject_type, subject_id, ...entry }) => ({
    ...entry,
    actor: { type: actor_type, id: actor_id },
    subject: subject_type === null ? null : { type: subject_type, id: subject_id },
  }))
  const addName = await readNamesFor(
    at,
    reader,
    entries.flatMap(({ actor, subject }) => [actor, subject]),
  )
  const data = entries.map(({ actor, subject, ...entry }) => ({
    ...entry,
    actor: addName(actor),
    subject: subject && addName(subject),
  }))
  return { ...found, data }
}

function conditions({ actor_id, subject_id, action, from, to }: AuditQuery): Sql {
  const pieces = [
    actor_id === undefined ? raw('') : withId(raw('actor_id'), actor_id),
    subject_id === undefined ? raw('') : withId(raw('subject_id'), subject_id),
    action === undefined ? raw('') : sql` and action = ${action}`,
    from === undefined ? raw('') : sql` and at >= ${from}`,
    to === undefined ? raw('') : sql` and at < ${to}`,
  ]
  return pieces.reduce((left, right) => sql`${left}${right}`)
}

/** An SQL condition for an id. A text that is no id matches nothing. */
const withId = (column: Sql, id: string): Sql => (isId(id) ? sql` and ${column} = ${id}` : raw(' and false'))

/** Removes old entries, by wall time. */
export async function removeOld({ db, workspace, now }: At, isStopping?: IsStopping): Promise<void> {
  const before = clock.iso(now - kept_ms)
  const removeBatch = () =>
    db.run(
      sql`delete from audit_log where workspace_id = ${workspace} and id = any(array(
        select id from audit_log where workspace_id = ${workspace} and at < ${before} order by at
        limit ${raw(String(delete_batch_rows))}))`,
    )
  await inBatches(delete_batch_rows, removeBatch, isStopping)
}
