import * as clock from '../kit/clock.ts'
import type { Db } from '../kit/db.ts'
import { newId } from '../kit/id.ts'
import type { At, Call } from '../kit/operation.ts'
import * as page from '../kit/page.ts'
import { invalid, invalidState, notFound, preconditionFailed } from '../kit/problem.ts'
import { hashOf, newSecret } from '../kit/secret.ts'
import { raw, sql } from '../kit/sql.ts'
import type { FieldMap, Integration, IntegrationChange, NewIntegration } from './schema.ts'

const integrations_max = 100
/** Receipts hold what people said of themselves. */
const kept_ms = 30 * 24 * 60 * 60 * 1000

const columns = raw(`id, name, status, field_map, default_country, crm_system, token, signing_secret,
  (select max(received_at) from integration_receipts as receipt
    where receipt.workspace_id = integrations.workspace_id and integration_id = integrations.id) as last_received_at,
  created_at, updated_at`)

/** As it is kept: what is secret is sealed. */
export interface Kept extends Omit<Integration, 'url' | 'is_signed'> {
  token: string
  signing_secret: string | null
}

/** Makes an address of its own, which is found by its hash and kept sealed to be shown again. */
export async function create(at: At, input: NewIntegration): Promise<Integration> {
  const { db, workspace, now, seal } = at
  const { total } = await db.one<{ total: number }>(
    sql`select count(*) as total from integrations where workspace_id = ${workspace}`,
  )
  if (total >= integrations_max) throw invalidState(`A workspace has at most ${integrations_max} integrations.`)
  const { name, default_country = null, crm_system = null, signing_secret = null } = input
  const field_map = mapOf(input.field_map ?? {})
  assertSystem(field_map, crm_system)
  const token = newSecret()
  const id = newId()
  const created_at = clock.iso(now)
  const secret = signing_secret === null ? null : seal.close(signing_secret)
  await Promise.all([
    db.run(
      sql`insert into integrations (workspace_id, id, name, status, field_map, default_country, crm_system, token,
          signing_secret, created_at, updated_at)
        values (${workspace}, ${id}, ${name}, 'active', ${JSON.stringify(field_map)}, ${default_country}, ${crm_system},
          ${seal.close(token)}, ${secret}, ${created_at}, ${created_at})`,
    ),
    db.run(
      sql`insert into integration_directory (hash, workspace_id, integration_id)
        values (${hashOf(token)}, ${workspace}, ${id})`,
    ),
  ])
  return get(at, id)
}

export async function get(at: At, id: string): Promise<Integration> {
  return shown(at, found(await kept(at.db, at.workspace, id)))
}

export const list = (at: At, query: page.PageQuery): Promise<page.Page<Integration>> =>
  page.read(query, page.newest_first, async ({ clauses }) => {
    const { db, workspace } = at
    const all = sql`select ${columns} from integrations where workspace_id = ${workspace}`
    const [rows, total] = await Promise.all([
      db.many<Kept>(sql`select * from (${all}) as own ${clauses}`),
      page.count(db, sql`select from integrations where workspace_id = ${workspace}`),
    ])
    return { rows: rows.map((row) => shown(at, row)), total }
  })

/** The field map is replaced as a whole. */
export async function update(
  at: At,
  id: string,
  change: IntegrationChange,
  is_current: Call['is_current'],
): Promise<Integration> {
  const { db, workspace, now, seal } = at
  const before = found(await kept(db, workspace, id, raw('for update')))
  if (!is_current(before)) throw preconditionFailed()
  if (Object.keys(change).length === 0) return shown(at, before)
  const { signing_secret, ...said } = change
  const after = {
    ...before,
    ...said,
    field_map: change.field_map ? mapOf(change.field_map) : before.field_map,
    ...(signing_secret !== undefined && { signing_secret: signing_secret && seal.close(signing_secret) }),
    updated_at: clock.iso(Math.max(now, clock.parse(before.updated_at) + 1)),
  }
  assertSystem(after.field_map, after.crm_system)
  await db.run(
    sql`update integrations set name = ${after.name}, status = ${after.status},
        field_map = ${JSON.stringify(after.field_map)}, default_country = ${after.default_country},
        crm_system = ${after.crm_system}, signing_secret = ${after.signing_secret}, updated_at = ${after.updated_at}
      where workspace_id = ${workspace} and id = ${id}`,
  )
  return shown(at, after)
}

/** Its address leads nowhere from then on; its receipts go with it, its contacts stay. */
export async function remove({ db, workspace }: At, id: string, is_current: Call['is_current']) {
  const before = found(await kept(db, workspace, id, raw('for update')))
  if (!is_current(before)) throw preconditionFailed()
  await Promise.all([
    db.run(sql`delete from integrations where workspace_id = ${workspace} and id = ${id}`),
    db.run(sql`delete from integration_directory where workspace_id = ${workspace} and integration_id = ${id}`),
  ])
  return { deleted: true as const }
}

/** Whose address it is. */
export const find = (db: Db, token: string): Promise<{ workspace_id: string; integration_id: string } | undefined> =>
  db.maybe(sql`select workspace_id, integration_id from integration_directory where hash = ${hashOf(token)}`)

/** Stays as it is until the transaction ends. */
export const held = async (db: Db, workspace: string, id: string): Promise<Kept> =>
  found(await kept(db, workspace, id, raw('for share')))

export async function removeOld(db: Db, workspace: string, now: number): Promise<void> {
  const old = sql`workspace_id = ${workspace} and received_at < ${clock.iso(now - kept_ms)}`
  await db.run(sql`delete from integration_receipts where ${old}`)
  await db.run(sql`delete from integration_messages where ${old}`)
}

const kept = (db: Db, workspace: string, id: string, lock = raw('')): Promise<Kept | undefined> =>
  db.maybe<Kept>(sql`select ${columns} from integrations where workspace_id = ${workspace} and id = ${id} ${lock}`)

function found(integration: Kept | undefined): Kept {
  if (!integration) throw notFound()
  return integration
}

const shown = ({ seal, address }: At, { token, signing_secret, ...rest }: Kept): Integration => ({
  ...rest,
  url: `${address()}/in/${seal.open(token)}`,
  is_signed: signing_secret !== null,
})

export const mapOf = (said: Record<string, string | null>): FieldMap =>
  Object.fromEntries(Object.entries(said).filter(([, pointer]) => pointer !== null))

export function assertSystem(field_map: FieldMap, crm_system: string | null): void {
  if (field_map.crm_id === undefined || crm_system !== null) return
  const message = 'crm_system is required when field_map has crm_id.'
  throw invalid([{ path: 'crm_system', code: 'required', message }])
}
