import { hash } from 'node:crypto'
import { type At, timeStands } from '../at.ts'
import * as clock from '../clock.ts'
import type { SealedColumn } from '../crypto/reseal.ts'
import { canonicalJson } from '../json.ts'
import { selectRows } from '../postgres/citus/tenants.ts'
import { isLockTimeout } from '../postgres/errors.ts'
import { type IsStopping, inBatches } from '../postgres/in-batches.ts'
import { raw, sql } from '../postgres/sql.ts'
import { idempotencyInProgress, idempotencyKeyReused, invalid, outcomeUnknown, type Problem } from '../problem.ts'
import type { Answer } from './envelope.ts'

/** An idempotency key and the fingerprint of the request that was sent with it. */
export interface KeyedRequest {
  key: string
  fingerprint: string
  /** The resource that the request is about, if its path says so. */
  resource_id?: string | undefined
}

const stored_ms = clock.day_ms
const stored_interval = raw(`interval '${stored_ms} milliseconds'`)
/** A key that was reserved before its request ran, and that has no answer after this long, was left by a process that died. */
const unanswered_max_ms = 60_000
const batch_rows = 1_000
/** A stored answer must last longer than a request takes. */
const request_max_ms = 60_000

/** Reads Idempotency-Key: bare, or quoted as in the IETF draft. */
export function readKey(headers: string[]): string {
  const [header = ''] = headers
  const key = /^"(.*)"$/.exec(header)?.[1]?.replace(/\\(["\\])/g, '$1') ?? header
  if (headers.length === 1 && /^[\x20-\x7e]{1,255}$/.test(key)) return key
  const message = 'Idempotency-Key must be given once, with 1 to 255 printable ASCII characters.'
  throw invalid([{ path: 'Idempotency-Key', code: 'format', message }])
}

/** Ignores the order of fields and white space. */
export const fingerprintOf = (...request: unknown[]): string => hash('sha256', canonicalJson(request), 'base64')

/** While time stands still, an answer expires by wall time too. */
const wallExpiry = (at: At): string | null => (timeStands(at) ? clock.iso(clock.wall() + stored_ms) : null)

/**
 * Reserves the keys for this transaction and waits for other transactions that hold one. Returns the stored answers of keys
 * that were used before, by key. All others must be answered with `storeAnswers`.
 */
export async function reserveKeys(at: At, requests: KeyedRequest[]): Promise<Map<string, Answer | Problem>> {
  if (requests.length === 0) return new Map()
  const { db, workspace, now } = at
  const keys = requests.map(({ key }) => key).sort()
  const prints = new Map(requests.map(({ key, fingerprint }) => [key, fingerprint]))
  // The keys are sorted, so that transactions which share keys wait for each other instead of deadlocking.
  const selected = selectRows(at, {
    columns: sql`key, fingerprint, ${clock.iso(now + stored_ms)}, ${wallExpiry(at)}`,
    from: sql`unnest(${keys}::text[], ${keys.map((key) => prints.get(key))}::text[]) as request (key, fingerprint)`,
  })
  const taken = await db
    .many<{ key: string }>(
      sql`insert into idempotency_keys as held (workspace_id, key, fingerprint, expires_at, wall_expires_at)
        ${selected}
        on conflict (workspace_id, key) do update
          set fingerprint = excluded.fingerprint, expires_at = excluded.expires_at,
            wall_expires_at = excluded.wall_expires_at, status = null, headers = null, body = null
          where held.expires_at at time zone 'UTC' <= excluded.expires_at at time zone 'UTC' - ${stored_interval}
            or held.wall_expires_at at time zone 'UTC'
              <= excluded.wall_expires_at at time zone 'UTC' - ${stored_interval}
        returning key`,
    )
    .catch((error: unknown) => {
      throw isLockTimeout(error) ? idempotencyInProgress() : error
    })
  if (taken.length === keys.length) return new Map()
  const ours = new Set(taken.map(({ key }) => key))
  const running_since = clock.iso(clock.wall() + stored_ms - unanswered_max_ms)
  const held = await db.many<HeldKey>(
    sql`select key, fingerprint, status, headers, body,
        coalesce(wall_expires_at, expires_at) > ${running_since} as may_be_running
      from idempotency_keys
      where workspace_id = ${workspace} and key = any(${keys.filter((key) => !ours.has(key))})`,
  )
  return new Map(held.map((answer) => [answer.key, toReplay(answer, prints.get(answer.key))]))
}

/** The stored answers of these keys, in their order. Throws if one is no longer stored. */
export async function readAnswers({ db, workspace }: At, keys: string[]): Promise<Answer[]> {
  const rows = await db.many<Answer & { key: string }>(
    sql`select key, status, headers, body from idempotency_keys where workspace_id = ${workspace} and key = any(${keys})`,
  )
  const by_key = new Map(rows.map(({ key, ...answer }) => [key, answer]))
  return keys.map((key) => {
    const { status, headers, body } = by_key.get(key) ?? {}
    if (status === undefined || body === undefined) throw outcomeUnknown()
    return { status, headers: { ...headers, 'idempotent-replayed': 'true' }, body }
  })
}

/** Whether the key has an answer that will still be stored when the request runs. */
export async function hasStoredAnswer({ db, workspace, now }: At, key: string): Promise<boolean> {
  const stored = await db.maybe(
    sql`select true from idempotency_keys
      where workspace_id = ${workspace} and key = ${key} and expires_at > ${clock.iso(now + request_max_ms)}
        and (wall_expires_at is null or wall_expires_at > ${clock.iso(clock.wall() + request_max_ms)})`,
  )
  return stored !== undefined
}

interface HeldKey extends Omit<Answer, 'status'>, KeyedRequest {
  /** Null while there is no answer, which others see only if the key was reserved in a transaction of its own. */
  status: number | null
  may_be_running: boolean
}

function toReplay({ fingerprint, status, headers, body, may_be_running }: HeldKey, requested: string | undefined) {
  if (fingerprint !== requested) return idempotencyKeyReused()
  if (status === null) return may_be_running ? idempotencyInProgress() : outcomeUnknown()
  return { status, headers: { ...headers, 'idempotent-replayed': 'true' }, body }
}

/** Gives up a key without an answer, so that the request can be repeated with it. */
export const releaseKey = ({ db, workspace }: At, { key }: KeyedRequest): Promise<number> =>
  db.run(sql`delete from idempotency_keys where workspace_id = ${workspace} and key = ${key} and status is null`)

/**
 * Stores answers with an upsert, which uses the primary key. A join planned while there were few keys would scan the
 * table when there are many.
 */
export async function storeAnswers(at: At, answers: { keyed: KeyedRequest; answer: Answer }[]): Promise<void> {
  if (answers.length === 0) return
  const { db, now } = at
  const column = <T>(pick: (one: (typeof answers)[number]) => T): T[] => answers.map(pick)
  const [only] = answers.length === 1 ? answers : []
  // The body of a batch may be long. In an array each of its quotes is escaped, which would pause the process for a second.
  const body = only ? sql`${only.answer.body}::text` : raw('body')
  const selected = selectRows(at, {
    columns: sql`key, fingerprint, ${clock.iso(now + stored_ms)}, ${wallExpiry(at)}, status, headers, ${body}, resource_id`,
    from: sql`unnest(${column(({ keyed }) => keyed.key)}::text[], ${column(({ keyed }) => keyed.fingerprint)}::text[],
      ${column(({ answer }) => answer.status)}::smallint[],
      ${column(({ answer }) => JSON.stringify(answer.headers))}::jsonb[],
      ${column(({ answer }) => (only ? '' : answer.body))}::text[], ${column(resourceOf)}::uuid[])
      as answered (key, fingerprint, status, headers, body, resource_id)`,
  })
  await db.run(
    sql`insert into idempotency_keys (workspace_id, key, fingerprint, expires_at, wall_expires_at, status, headers, body,
        resource_id)
      ${selected}
      on conflict (workspace_id, key) do update
        set status = excluded.status, headers = excluded.headers, body = excluded.body, resource_id = excluded.resource_id`,
  )
}

/** A resource that was created is named by its Location, any other by the first field of the answer. */
const resourceOf = ({ keyed, answer }: { keyed: KeyedRequest; answer: Answer }): string | null =>
  keyed.resource_id ??
  answer.headers.location?.match(/[0-9a-f-]{36}/)?.[0] ??
  /^\{"success":true,"data":\{"id":"([0-9a-f-]{36})"/.exec(answer.body)?.[1] ??
  null

/**
 * Removes all but the id from the stored answers about these resources. An answer keeps its own id, because it may be
 * about something else.
 */
export async function redactAnswers({ db, workspace }: At, resource_ids: string[]): Promise<void> {
  await db.run(
    sql`update idempotency_keys
      set body = '{"success":true,"data":{"id":"' ||
        coalesce(substring(body from '^[{]"success":true,"data":[{]"id":"([0-9a-f-]{36})"'), resource_id::text) || '"}}'
      where workspace_id = ${workspace} and resource_id = any(${resource_ids}::uuid[]) and status < 300`,
  )
}

export function removeExpired(at: At, isStopping?: IsStopping): Promise<number> {
  const { db, workspace, now } = at
  const by_wall = timeStands(at) ? sql`or wall_expires_at <= ${clock.iso(clock.wall())}` : raw('')
  const removeSome = () =>
    db.run(
      sql`delete from idempotency_keys where workspace_id = ${workspace} and key = any(array(
      select key from idempotency_keys
      where workspace_id = ${workspace} and (expires_at <= ${clock.iso(now)} ${by_wall})
      order by expires_at limit ${batch_rows}))`,
    )
  return inBatches(batch_rows, removeSome, isStopping)
}

/** Only answers that contain a secret are sealed; all others are JSON objects. */
export const sealed_column: SealedColumn = {
  name: 'idempotency_keys.body',
  list: ({ db, workspace }, after = '', limit) =>
    db.many(
      sql`select key, case when body like '{%' then null else body end as sealed from idempotency_keys
        where workspace_id = ${workspace} and key > ${after} order by key limit ${limit}`,
    ),
  replace: ({ db, workspace }, replacements) =>
    db.run(
      sql`update idempotency_keys as held set body = replacement.after
        from unnest(${replacements.map(({ key }) => key)}::text[], ${replacements.map(({ before }) => before)}::text[],
          ${replacements.map(({ after }) => after)}::text[]) as replacement (key, before, after)
        where workspace_id = ${workspace} and held.key = replacement.key and body = replacement.before`,
    ),
}
