import { hash } from 'node:crypto'
import * as clock from '../clock.ts'
import { isLockTimeout } from '../postgres/errors.ts'
import { type IsStopping, inBatches } from '../postgres/in-batches.ts'
import type { Db } from '../postgres/pool.ts'
import { sql } from '../postgres/sql.ts'
import { idempotencyInProgress, idempotencyKeyReused, invalid, type Problem } from '../problem.ts'
import type { Answer } from './envelope.ts'

/** A key of the workspace, and what the request with it asks for. */
export interface Claim {
  key: string
  fingerprint: string
}

const kept_ms = 24 * 60 * 60 * 1000
const removed_at_once_max = 1_000
/** Longer than a request takes. */
const soon_ms = 60_000

/** Bare, or in the quotes of the IETF draft; 1 to 255 printable ASCII characters. */
export function keyOf(headers: string[]): string {
  const [header = ''] = headers
  const key = /^"(.*)"$/.exec(header)?.[1]?.replace(/\\(["\\])/g, '$1') ?? header
  if (headers.length === 1 && /^[\x20-\x7e]{1,255}$/.test(key)) return key
  const message = 'Idempotency-Key must be given once, with 1 to 255 printable ASCII characters.'
  throw invalid([{ path: 'Idempotency-Key', code: 'format', message }])
}

/** Order of members and white space don't count. */
export const fingerprintOf = (...request: unknown[]): string => hash('sha256', canonical(request), 'base64')

/** As JSON in which lists and objects are told apart, and members are sorted. Written at once: a body may have 100,000 of them. */
function canonical(value: unknown): string {
  if (Array.isArray(value)) return `["list"${value.map((item) => `,${canonical(item)}`).join('')}]`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null'
  const members = value as Record<string, unknown>
  const names = Object.keys(members).sort()
  return `["object"${names.map((name) => `,[${JSON.stringify(name)},${canonical(members[name])}]`).join('')}]`
}

/**
 * Takes the keys for this transaction, waiting for others that hold one. What the taken ones were answered comes
 * back by key: replay it. All others are ours until the transaction ends, and must be answered with `keep`.
 */
export async function claim(
  db: Db,
  workspace: string,
  claims: Claim[],
  now: number,
): Promise<Map<string, Answer | Problem>> {
  if (claims.length === 0) return new Map()
  const keys = claims.map(({ key }) => key).sort()
  const prints = new Map(claims.map(({ key, fingerprint }) => [key, fingerprint]))
  // Sorted, so that two groups which share keys wait for each other instead of locking up.
  const taken = await db
    .many<{ key: string }>(
      sql`insert into idempotency_keys as held (workspace_id, key, fingerprint, expires_at)
        select ${workspace}, key, fingerprint, ${clock.iso(now + kept_ms)}
        from unnest(${keys}::text[], ${keys.map((key) => prints.get(key))}::text[]) as claim (key, fingerprint)
        on conflict (workspace_id, key) do update
          set fingerprint = excluded.fingerprint, expires_at = excluded.expires_at,
            status = null, headers = null, body = null
          where held.expires_at <= ${clock.iso(now)}
        returning key`,
    )
    .catch((error: unknown) => {
      throw isLockTimeout(error) ? idempotencyInProgress() : error
    })
  if (taken.length === keys.length) return new Map()
  const ours = new Set(taken.map(({ key }) => key))
  const held = await db.many<Answer & Claim>(
    sql`select key, fingerprint, status, headers, body from idempotency_keys
      where workspace_id = ${workspace} and key = any(${keys.filter((key) => !ours.has(key))})`,
  )
  return new Map(held.map((answer) => [answer.key, replayOf(answer, prints.get(answer.key))]))
}

/** Whether there is an answer to replay, also a moment from now. */
export async function isKept(db: Db, workspace: string, key: string, now: number): Promise<boolean> {
  const kept = await db.maybe(
    sql`select true from idempotency_keys
      where workspace_id = ${workspace} and key = ${key} and expires_at > ${clock.iso(now + soon_ms)}`,
  )
  return kept !== undefined
}

function replayOf({ fingerprint, status, headers, body }: Answer & Claim, asked: string | undefined) {
  if (fingerprint !== asked) return idempotencyKeyReused()
  return { status, headers: { ...headers, 'idempotent-replayed': 'true' }, body }
}

/** By the index alone: a join that was planned while there were few keys would read all of them when there are many. */
export async function keep(
  db: Db,
  workspace: string,
  answers: { claim: Claim; answer: Answer }[],
  now: number,
): Promise<void> {
  if (answers.length === 0) return
  const column = <T>(pick: (one: (typeof answers)[number]) => T): T[] => answers.map(pick)
  await db.run(
    sql`insert into idempotency_keys (workspace_id, key, fingerprint, expires_at, status, headers, body)
      select ${workspace}, key, fingerprint, ${clock.iso(now + kept_ms)}, status, headers, body
      from unnest(${column(({ claim }) => claim.key)}::text[], ${column(({ claim }) => claim.fingerprint)}::text[],
        ${column(({ answer }) => answer.status)}::smallint[],
        ${column(({ answer }) => JSON.stringify(answer.headers))}::jsonb[],
        ${column(({ answer }) => answer.body)}::text[]) as answered (key, fingerprint, status, headers, body)
      on conflict (workspace_id, key) do update
        set status = excluded.status, headers = excluded.headers, body = excluded.body`,
  )
}

/** Removes what has expired, in small batches, so that nothing waits for it. */
export function removeExpired(db: Db, workspace: string, now: number, isStopping?: IsStopping): Promise<number> {
  const removeSome = () =>
    db.run(
      sql`delete from idempotency_keys where workspace_id = ${workspace} and key = any(array(
      select key from idempotency_keys
      where workspace_id = ${workspace} and expires_at <= ${clock.iso(now)}
      order by expires_at limit ${removed_at_once_max}))`,
    )
  return inBatches(removed_at_once_max, removeSome, isStopping)
}
