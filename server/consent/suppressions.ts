import type { At } from '../kit/at.ts'
import * as clock from '../kit/clock.ts'
import type { IsCurrent } from '../kit/http/operation.ts'
import { newId } from '../kit/id.ts'
import * as page from '../kit/postgres/page.ts'
import { raw, sql } from '../kit/postgres/sql.ts'
import { inUse, notFound, preconditionFailed } from '../kit/problem.ts'
import type { NewSuppression, Suppression, SuppressionQuery } from './schema.ts'
import { spellingsOf } from './spellings.ts'

const columns = raw('id, phone_number, kind, reason, created_at')

export async function create({ db, workspace, now }: At, input: NewSuppression): Promise<Suppression> {
  const { phone_number, kind = 'all', reason = null } = input
  const created = await db.maybe<Suppression>(
    sql`insert into suppressions (workspace_id, id, phone_number, kind, reason, created_at)
      values (${workspace}, ${newId()}, ${phone_number}, ${kind}, ${reason}, ${clock.iso(now)})
      on conflict (workspace_id, phone_number, kind) do nothing returning ${columns}`,
  )
  if (created) return created
  const existing = await db.maybe<{ id: string }>(
    sql`select id from suppressions
      where workspace_id = ${workspace} and phone_number = ${phone_number} and kind = ${kind}`,
  )
  throw inUse('phone_number', 'This phone number is already suppressed for this kind.', existing?.id)
}

export function list({ db, workspace }: At, query: SuppressionQuery): Promise<page.Page<Suppression>> {
  const { phone_number, kind, ...paging } = query
  const of_number =
    phone_number === undefined ? raw('') : sql`and phone_number = any(${spellingsOf(phone_number)}::text[])`
  const of_kind = kind === undefined ? raw('') : sql`and kind = ${kind}`
  const matching = sql`select ${columns} from suppressions where workspace_id = ${workspace} ${of_number} ${of_kind}`
  return page.readSelection(db, paging, page.newest_first, matching)
}

export async function get({ db, workspace }: At, id: string, locking = raw('')): Promise<Suppression> {
  const found = await db.maybe<Suppression>(
    sql`select ${columns} from suppressions where workspace_id = ${workspace} and id = ${id} ${locking}`,
  )
  if (!found) throw notFound()
  return found
}

export async function remove(at: At, { id, isCurrent }: { id: string; isCurrent: IsCurrent }) {
  if (!isCurrent(await get(at, id, raw('for update')))) throw preconditionFailed()
  await at.db.run(sql`delete from suppressions where workspace_id = ${at.workspace} and id = ${id}`)
  return { deleted: true as const }
}

/** Those that are suppressed for this kind, or for all kinds, in any spelling. */
export async function findSuppressed(
  { db, workspace }: At,
  kind: string,
  phone_numbers: string[],
): Promise<Set<string>> {
  const wanted = phone_numbers.map((phone_number) => ({ phone_number, spellings: spellingsOf(phone_number) }))
  const rows = await db.many<{ phone_number: string }>(
    sql`select phone_number from suppressions
      where workspace_id = ${workspace} and phone_number = any(${wanted.flatMap(({ spellings }) => spellings)}::text[])
        and kind in (${kind}, 'all')`,
  )
  const suppressed = new Set(rows.map(({ phone_number }) => phone_number))
  return new Set(
    wanted.flatMap(({ phone_number, spellings }) =>
      spellings.some((spelling) => suppressed.has(spelling)) ? [phone_number] : [],
    ),
  )
}
