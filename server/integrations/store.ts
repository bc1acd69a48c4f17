import { crm_system } from '../contacts/schema.ts'
import type { At } from '../kit/at.ts'
import * as clock from '../kit/clock.ts'
import type { Seal } from '../kit/crypto/seal.ts'
import { hashOf, newSecret } from '../kit/crypto/secret.ts'
import type { IsCurrent } from '../kit/http/operation.ts'
import { newId } from '../kit/id.ts'
import { type IsStopping, inBatches } from '../kit/postgres/in-batches.ts'
import * as page from '../kit/postgres/page.ts'
import { raw, type Sql, sql } from '../kit/postgres/sql.ts'
import { invalid, invalidState, notFound, type Problem, preconditionFailed } from '../kit/problem.ts'
import { truncate } from '../kit/text.ts'
import * as workspaces from '../workspaces/store.ts'
import type { FieldMap, FieldMapInput, Integration, IntegrationChange, NewIntegration } from './schema.ts'

const integrations_max = 100
const crm_systems_max = 10
const crm_system_pattern = new RegExp(crm_system.pattern)
/** Receipts are kept this long, because they contain personal data. */
const kept_ms = 30 * clock.day_ms
const delete_batch_max = 2_000

const columnsOf = (workspace: string): Sql =>
  sql`id, name, status, field_map, default_country, token, signing_secret,
    (select max(received_at) from integration_receipts as receipt
      where receipt.workspace_id = ${workspace} and integration_id = integrations.id) as last_received_at,
    created_at, updated_at`

/** An integration as stored: its secrets are encrypted. */
export interface StoredIntegration extends Omit<Integration, 'url' | 'is_signed'> {
  token: string
  signing_secret: string | null
}

/**
 * Adds an integration. The token of its URL is stored twice: as a hash to find it by, and encrypted to show the URL
 * again.
 */
export async function create(at: At, input: NewIntegration): Promise<Integration> {
  const { db, workspace, now } = at
  const { seal } = at.tools
  await workspaces.lock(at)
  const { total } = await db.one<{ total: number }>(
    sql`select count(*) as total from integrations where workspace_id = ${workspace}`,
  )
  if (total >= integrations_max) throw invalidState(`A workspace can have at most ${integrations_max} integrations.`)
  const { name, default_country = null, signing_secret = null } = input
  const field_map = toFieldMap(input.field_map ?? {})
  const token = newSecret()
  const id = newId()
  const created_at = clock.iso(now)
  const secret = signing_secret === null ? null : seal.close(signing_secret)
  await Promise.all([
    db.run(
      sql`insert into integrations (workspace_id, id, name, status, field_map, default_country, token,
          signing_secret, created_at, updated_at)
        values (${workspace}, ${id}, ${name}, 'active', ${JSON.stringify(field_map)}, ${default_country},
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
  return toIntegration(at, orNotFound(await find(at, id)))
}

export async function list(at: At, query: page.PageQuery): Promise<page.Page<Integration>> {
  const own = sql`from integrations where workspace_id = ${at.workspace}`
  const all = sql`select ${columnsOf(at.workspace)} ${own}`
  const found = await page.readSelection<StoredIntegration>(at.db, query, page.newest_first, all, sql`select ${own}`)
  return { ...found, data: found.data.map((row) => toIntegration(at, row)) }
}

/** Changes an integration. Replaces the field map as a whole. */
export async function update(
  at: At,
  { id, change, isCurrent }: { id: string; change: IntegrationChange; isCurrent: IsCurrent },
): Promise<Integration> {
  const { db, workspace, now } = at
  const { seal } = at.tools
  const before = orNotFound(await find(at, id, raw('for update')))
  if (!isCurrent(toIntegration(at, before))) throw preconditionFailed()
  if (Object.keys(change).length === 0) return toIntegration(at, before)
  const { signing_secret, ...changed } = change
  const after = {
    ...before,
    ...changed,
    field_map: change.field_map ? toFieldMap(change.field_map) : before.field_map,
    ...(signing_secret !== undefined && { signing_secret: signing_secret && seal.close(signing_secret) }),
    updated_at: clock.laterThan(before.updated_at, now),
  }
  await db.run(
    sql`update integrations set name = ${after.name}, status = ${after.status},
        field_map = ${JSON.stringify(after.field_map)}, default_country = ${after.default_country},
        signing_secret = ${after.signing_secret}, updated_at = ${after.updated_at}
      where workspace_id = ${workspace} and id = ${id}`,
  )
  return toIntegration(at, after)
}

/** Deletes an integration with its receipts. The contacts stay, and the URL returns 404 from now on. */
export async function remove(at: At, { id, isCurrent }: { id: string; isCurrent: IsCurrent }) {
  const { db, workspace } = at
  const before = orNotFound(await find(at, id, raw('for update')))
  if (!isCurrent(toIntegration(at, before))) throw preconditionFailed()
  await Promise.all([
    db.run(sql`delete from integrations where workspace_id = ${workspace} and id = ${id}`),
    db.run(sql`delete from integration_directory where workspace_id = ${workspace} and integration_id = ${id}`),
  ])
  return { deleted: true as const }
}

export interface Owner {
  workspace_id: string
  integration_id: string
  is_test: boolean
}

/** Returns the integrations that these tokens belong to. */
export async function findByTokens({ db }: Pick<At, 'db'>, tokens: string[]): Promise<(Owner | undefined)[]> {
  const hashes = tokens.map(hashOf)
  const rows = await db.many<Owner & { hash: Buffer }>(
    sql`select hash, workspace_id, integration_id, ${workspaces.isTest(raw('workspace_id'))} as is_test
      from integration_directory where hash = any(${hashes}::bytea[])`,
  )
  const found = new Map(rows.map(({ hash, ...owner }) => [hash.toString('hex'), owner]))
  return hashes.map((hash) => found.get(hash.toString('hex')))
}

/** Reads the integration and locks it against changes until the transaction ends. */
export const lockShared = async (at: At, id: string): Promise<StoredIntegration> =>
  orNotFound(await find(at, id, raw('for share')))

export async function removeOld({ db, workspace, now }: At, isStopping?: IsStopping): Promise<void> {
  const is_old = sql`workspace_id = ${workspace} and received_at < ${clock.iso(now - kept_ms)}`
  // One statement is enough: there are at most 50 per integration.
  await db.run(sql`delete from integration_receipts where ${is_old}`)
  const oldest = sql`select received_at from integration_messages where ${is_old}
    order by received_at limit ${raw(String(delete_batch_max))}`
  const removeBatch = () =>
    db.run(
      sql`delete from integration_messages where workspace_id = ${workspace} and received_at = any(array(${oldest}))`,
    )
  await inBatches(delete_batch_max, removeBatch, isStopping)
}

const find = ({ db, workspace }: At, id: string, locking = raw('')): Promise<StoredIntegration | undefined> =>
  db.maybe<StoredIntegration>(
    sql`select ${columnsOf(workspace)} from integrations where workspace_id = ${workspace} and id = ${id} ${locking}`,
  )

function orNotFound(integration: StoredIntegration | undefined): StoredIntegration {
  if (!integration) throw notFound()
  return integration
}

function toIntegration(
  { tools: { seal, address } }: At,
  { token, signing_secret, ...rest }: StoredIntegration,
): Integration {
  const opened = openSealed(seal, token)
  const url = opened === undefined ? null : `${address()}/in/${opened}`
  return { ...rest, url, is_signed: signing_secret !== null }
}

/** Returns undefined when the text was encrypted with another SECRETS_KEY. */
export function openSealed({ open }: Seal, sealed: string): string | undefined {
  try {
    return open(sealed)
  } catch {
    return undefined
  }
}

/** Makes a field map of a client's one: drops fields that are mapped to `null`. */
export function toFieldMap({ crm_ids = {}, custom_fields = {}, ...pointers }: FieldMapInput): FieldMap {
  const custom = withoutNulls(custom_fields)
  const systems = withoutNulls(crm_ids)
  const misnamed = Object.keys(systems).find((system) => !crm_system_pattern.test(system))
  if (misnamed !== undefined) throw invalidSystem(misnamed, `must be ${crm_system.description}`)
  const extra = Object.keys(systems)[crm_systems_max]
  if (extra !== undefined)
    throw invalidSystem(extra, `is too many: a field map may name at most ${crm_systems_max} CRM systems.`)
  return {
    ...withoutNulls(pointers),
    ...(Object.keys(custom).length > 0 && { custom_fields: custom }),
    ...(Object.keys(systems).length > 0 && { crm_ids: systems }),
  }
}

const withoutNulls = (map: Record<string, string | null>): Record<string, string> =>
  Object.fromEntries(Object.entries(map).flatMap(([name, pointer]) => (pointer === null ? [] : [[name, pointer]])))

function invalidSystem(system: string, rule: string): Problem {
  const path = truncate(`field_map.crm_ids.${system}`, 200)
  return invalid([{ path, code: 'format', message: `${path} ${rule}` }])
}
