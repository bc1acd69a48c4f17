import type { At, InWorkspace } from '../kit/at.ts'
import * as clock from '../kit/clock.ts'
import { redactAnswers } from '../kit/http/idempotency.ts'
import type { IsCurrent } from '../kit/http/operation.ts'
import { newId } from '../kit/id.ts'
import { distinctTexts } from '../kit/postgres/distinct-texts.ts'
import * as page from '../kit/postgres/page.ts'
import { type IdRange, pageById } from '../kit/postgres/page-by-id.ts'
import { raw, type Sql, sql } from '../kit/postgres/sql.ts'
import { inUse, notFound, preconditionFailed } from '../kit/problem.ts'
import { openKeys, type Person } from './person.ts'
import type { NewSuppression, Suppression, SuppressionQuery } from './schema.ts'
import { readHmac } from './secret.ts'
import { firstSpellingOf, spellingsOf } from './spellings.ts'

const columns = raw('id, phone_number, phone_hmac is not null as is_erased, kind, reason, created_at')

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

export async function list(at: At, query: SuppressionQuery): Promise<page.Page<Suppression>> {
  const { db, workspace } = at
  const { phone_number, kind, ...paging } = query
  const of_number = phone_number === undefined ? raw('') : await ofNumber(at, phone_number)
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

/**
 * Returns the numbers that are suppressed for this kind, or for all kinds, in any spelling. Throws if the ledger can't
 * be read: then nothing may go out.
 */
export async function findSuppressed(at: At, kind: string, phone_numbers: string[]): Promise<Set<string>> {
  const { db, workspace } = at
  const keyOf = await readKeys(at)
  const wanted = phone_numbers.map((phone_number) => ({
    phone_number,
    spellings: spellingsOf(phone_number),
    key: keyOf(phone_number),
  }))
  const rows = await db.many<{ phone_number: string | null; phone_hmac: Buffer | null }>(
    sql`select phone_number, phone_hmac from suppressions
      where workspace_id = ${workspace} and kind in (${kind}, 'all')
        and (phone_number = any(${wanted.flatMap(({ spellings }) => spellings)}::text[])
          or phone_hmac = any(${wanted.map(({ key }) => key)}::bytea[]))`,
  )
  const suppressed = new Set(rows.map(({ phone_number }) => phone_number))
  const erased = new Set(rows.map(({ phone_hmac }) => phone_hmac?.toString('hex')))
  return new Set(
    wanted.flatMap(({ phone_number, spellings, key }) =>
      spellings.some((spelling) => suppressed.has(spelling)) || (key && erased.has(key.toString('hex')))
        ? [phone_number]
        : [],
    ),
  )
}

async function ofNumber(at: At, phone_number: string): Promise<Sql> {
  const keyOf = await readKeys(at)
  return sql`and (phone_number = any(${spellingsOf(phone_number)}::text[]) or phone_hmac = ${keyOf(phone_number)})`
}

/**
 * Returns what stands for the numbers of persons who were erased. It gives null before the workspace has a ledger: then
 * nobody was erased.
 */
async function readKeys(at: At): Promise<(phone_number: string) => Buffer | null> {
  const hmacOf = await readHmac(at)
  return (phone_number) => hmacOf?.(firstSpellingOf(phone_number)) ?? null
}

/** An SQL condition on `suppressions` for those of a person. */
const ofPerson = ({ phone_numbers, keys }: Person): Sql =>
  sql`(phone_number = any(${phone_numbers}::text[]) or phone_hmac = any(${keys}::bytea[]))`

/** Lists the person's suppressions, in the order of their ids. */
export const listOfPerson = ({ db, workspace }: InWorkspace, person: Person, range: IdRange): Promise<Suppression[]> =>
  db.many<Suppression>(pageById('suppressions', workspace, { columns, where: ofPerson(person), ...range }))

/** Erases the person's numbers. The person stays suppressed: what stands for the number is kept, and nothing else. */
export async function eraseNumbers(at: At, person: Person): Promise<void> {
  const { db, workspace } = at
  const keyOf = await openKeys(at)
  const found = await db.many<{ id: string; phone_number: string }>(
    sql`select id, phone_number from suppressions
      where workspace_id = ${workspace} and phone_number = any(${person.phone_numbers}::text[]) order by id for update`,
  )
  if (found.length === 0) return
  const ids = found.map(({ id }) => id)
  const keys = found.map(({ phone_number }) => keyOf(phone_number))
  await Promise.all([
    db.run(
      sql`update suppressions set phone_number = null, reason = null, phone_hmac = (${keys}::bytea[])[array_position(${ids}::uuid[], id)]
        where workspace_id = ${workspace} and id = any(${ids}::uuid[])`,
    ),
    redactAnswers(at, ids),
  ])
}

/** Yields the numbers of all suppressions that have one. */
export const numbersIn = (at: At): AsyncGenerator<string> =>
  distinctTexts(at, { table: 'suppressions', column: 'phone_number' })
