import type { At } from '../kit/at.ts'
import { selectRows } from '../kit/postgres/citus/tenants.ts'
import { onUniqueViolation } from '../kit/postgres/errors.ts'
import { raw, sql } from '../kit/postgres/sql.ts'
import { inUse, invalid, type Problem } from '../kit/problem.ts'
import { type CrmIds, crm_ids_max } from './schema.ts'

/*
 * The CRM ids of a contact are shown from its row. The table `contact_crm_ids` has the same ids: contacts are found by them, and
 * one contact has each.
 */

interface OfContact {
  id: string
  crm_ids: CrmIds
}

interface CrmId {
  contact_id: string
  system: string
  crm_id: string
}

/** The ids of contacts by the CRM ids that they have, as `keyOf` writes them. */
export type CrmIdHolders = Map<string, string>

/** Writes a CRM id as one text. The names of systems have no spaces. */
const keyOf = (system: string, crm_id: string): string => `${system} ${crm_id}`

export const keysOf = (crm_ids: CrmIds): string[] => Object.entries(crm_ids).map(([system, id]) => keyOf(system, id))

/** Finds the contacts that have any of these CRM ids. */
export async function findHolders({ db, workspace }: At, wanted: CrmIds[]): Promise<CrmIdHolders> {
  const pairs = wanted.flatMap((crm_ids) => Object.entries(crm_ids))
  if (pairs.length === 0) return new Map()
  const systems = pairs.map(([system]) => system)
  const crm_ids = pairs.map(([, crm_id]) => crm_id)
  // The range and the order let PostgreSQL use the index of CRM ids: see `rowByKey`.
  const rows = await db.many<CrmId>(
    sql`select holder.contact_id, holder.system, holder.crm_id
      from unnest(${systems}::text[], ${crm_ids}::text[]) as wanted (system, crm_id)
      cross join lateral (select * from contact_crm_ids as stored
        where stored.workspace_id = ${workspace} and stored.system = wanted.system
          and stored.crm_id between wanted.crm_id and wanted.crm_id
        order by stored.crm_id limit 1) as holder`,
  )
  return new Map(rows.map(({ system, crm_id, contact_id }) => [keyOf(system, crm_id), contact_id]))
}

/** Returns the Problem that another contact has one of the CRM ids. */
export function crmIdProblem(holders: CrmIdHolders, { id, crm_ids }: OfContact): Problem | undefined {
  for (const [system, crm_id] of Object.entries(crm_ids)) {
    const holder = holders.get(keyOf(system, crm_id))
    if (holder !== undefined && holder !== id) return crmIdInUse(`crm_ids.${system}`, holder)
  }
  return undefined
}

/** Returns the Problem that a contact would have too many CRM ids. A contact that has more already may keep them. */
export function crmIdsProblem(crm_ids: CrmIds = {}, before: CrmIds = {}): Problem | undefined {
  const count = Object.keys(crm_ids).length
  if (count <= crm_ids_max || count <= Object.keys(before).length) return undefined
  const message = `crm_ids: a contact may have at most ${crm_ids_max}.`
  return invalid([{ path: 'crm_ids', code: 'too_many', message }])
}

export const crmIdInUse = (field: string, holder: string | undefined) =>
  inUse(field, 'Another contact has this id in the same CRM system.', holder)

interface CrmIdsChange {
  id: string
  before: CrmIds
  after: CrmIds
}

/**
 * Writes the CRM ids by which contacts are found, of contacts that the transaction has locked or created. Send no
 * statements beside this: if another transaction takes one of the ids in the meantime, they would fail before the
 * Problem is made.
 */
export async function write(at: At, changes: CrmIdsChange[]): Promise<void> {
  const removed = changes.flatMap(({ id, before, after }) => onlyIn(id, before, after))
  const added = changes.flatMap(({ id, before, after }) => onlyIn(id, after, before))
  // A connection runs statements in the order they are sent, so one contact can take what another one gives up.
  await Promise.all([deleteRows(at, removed), insertRows(at, added)])
}

const onlyIn = (contact_id: string, crm_ids: CrmIds, other: CrmIds): CrmId[] =>
  Object.entries(crm_ids).flatMap(([system, crm_id]) =>
    Object.hasOwn(other, system) && other[system] === crm_id ? [] : [{ contact_id, system, crm_id }],
  )

async function deleteRows({ db, workspace }: At, rows: CrmId[]): Promise<void> {
  if (rows.length === 0) return
  await db.run(
    sql`delete from contact_crm_ids as stored using
      unnest(${rows.map(({ contact_id }) => contact_id)}::uuid[], ${rows.map(({ system }) => system)}::text[])
        as row (contact_id, system)
      where stored.workspace_id = ${workspace} and stored.contact_id = row.contact_id and stored.system = row.system`,
  )
}

async function insertRows(at: At, rows: CrmId[]): Promise<void> {
  if (rows.length === 0) return
  // Sorted, so that concurrent transactions wait for each other instead of deadlocking.
  const sorted = rows.toSorted((left, right) =>
    keyOf(left.system, left.crm_id) < keyOf(right.system, right.crm_id) ? -1 : 1,
  )
  const selected = selectRows(at, {
    columns: raw('contact_id, system, crm_id'),
    from: sql`unnest(${sorted.map(({ contact_id }) => contact_id)}::uuid[], ${sorted.map(({ system }) => system)}::text[],
      ${sorted.map(({ crm_id }) => crm_id)}::text[]) as row (contact_id, system, crm_id)`,
  })
  await at.db
    .run(sql`insert into contact_crm_ids (workspace_id, contact_id, system, crm_id) ${selected}`)
    .catch(onUniqueViolation(() => crmIdInUse('crm_ids', undefined)))
}
