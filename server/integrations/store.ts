import { crm_system } from '../contacts/schema.ts'
import type { At } from '../kit/at.ts'
import * as clock from '../kit/clock.ts'
import type { Seal } from '../kit/crypto/seal.ts'
import { hashOf, newSecret } from '../kit/crypto/secret.ts'
import type { Call } from '../kit/http/operation.ts'
import { newId } from '../kit/id.ts'
import { type IsStopping, inBatches } from '../kit/postgres/in-batches.ts'
import * as page from '../kit/postgres/page.ts'
import { raw, sql } from '../kit/postgres/sql.ts'
import { invalid, invalidState, notFound, type Problem, preconditionFailed } from '../kit/problem.ts'
import { cut } from '../kit/text.ts'
import * as workspaces from '../workspaces/store.ts'
import type { FieldMap, Integration, IntegrationChange, NewIntegration, SaidMap } from './schema.ts'

const integrations_max = 100
const crm_systems_max = 10
const crm_system_form = new RegExp(crm_system.pattern)
/** Receipts hold what people said of themselves. */
const kept_ms = 30 * 24 * 60 * 60 * 1000
const removed_at_once_max = 2_000

const columns = raw(`id, name, status, field_map, default_country, token, signing_secret,
  (select max(received_at) from integration_receipts as receipt
    where receipt.workspace_id = integrations.workspace_id and integration_id = integrations.id) as last_received_at,
  created_at, updated_at`)

/** An integration as stored: its secrets are encrypted. */
export interface StoredIntegration extends Omit<Integration, 'url' | 'is_signed'> {
  token: string
  signing_secret: string | null
}

/** Makes an address of its own, which is found by its hash and kept sealed to be shown again. */
export async function create(at: At, input: NewIntegration): Promise<Integration> {
  const { db, workspace, now } = at
  const { seal } = at.tools
  await workspaces.lock(at)
  const { total } = await db.one<{ total: number }>(
    sql`select count(*) as total from integrations where workspace_id = ${workspace}`,
  )
  if (total >= integrations_max) throw invalidState(`A workspace has at most ${integrations_max} integrations.`)
  const { name, default_country = null, signing_secret = null } = input
  const field_map = mapOf(input.field_map ?? {})
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
  return shown(at, found(await read(at, id)))
}

export async function list(at: At, query: page.PageQuery): Promise<page.Page<Integration>> {
  const own = sql`from integrations where workspace_id = ${at.workspace}`
  const all = sql`select ${columns} ${own}`
  const found = await page.readSelection<StoredIntegration>(at.db, query, page.newest_first, all, sql`select ${own}`)
  return { ...found, data: found.data.map((row) => shown(at, row)) }
}

/** The field map is replaced as a whole. */
export async function update(
  at: At,
  { id, change, is_current }: { id: string; change: IntegrationChange; is_current: Call['is_current'] },
): Promise<Integration> {
  const { db, workspace, now } = at
  const { seal } = at.tools
  const before = found(await read(at, id, raw('for update')))
  if (!is_current(shown(at, before))) throw preconditionFailed()
  if (Object.keys(change).length === 0) return shown(at, before)
  const { signing_secret, ...said } = change
  const after = {
    ...before,
    ...said,
    field_map: change.field_map ? mapOf(change.field_map) : before.field_map,
    ...(signing_secret !== undefined && { signing_secret: signing_secret && seal.close(signing_secret) }),
    updated_at: clock.laterThan(before.updated_at, now),
  }
  await db.run(
    sql`update integrations set name = ${after.name}, status = ${after.status},
        field_map = ${JSON.stringify(after.field_map)}, default_country = ${after.default_country},
        signing_secret = ${after.signing_secret}, updated_at = ${after.updated_at}
      where workspace_id = ${workspace} and id = ${id}`,
  )
  return shown(at, after)
}

/** Its address leads nowhere from then on; its receipts go with it, its contacts stay. */
export async function remove(at: At, { id, is_current }: { id: string; is_current: Call['is_current'] }) {
  const { db, workspace } = at
  const before = found(await read(at, id, raw('for update')))
  if (!is_current(shown(at, before))) throw preconditionFailed()
  await Promise.all([
    db.run(sql`delete from integrations where workspace_id = ${workspace} and id = ${id}`),
    db.run(sql`delete from integration_directory where workspace_id = ${workspace} and integration_id = ${id}`),
  ])
  return { deleted: true as const }
}

export interface Owner {
  workspace_id: string
  integration_id: string
}

/** The integrations that these tokens belong to. */
export async function findByTokens({ db }: Pick<At, 'db'>, tokens: string[]): Promise<(Owner | undefined)[]> {
  const hashes = tokens.map(hashOf)
  const rows = await db.many<Owner & { hash: Buffer }>(
    sql`select hash, workspace_id, integration_id from integration_directory where hash = any(${hashes}::bytea[])`,
  )
  const found = new Map(rows.map(({ hash, ...owner }) => [hash.toString('hex'), owner]))
  return hashes.map((hash) => found.get(hash.toString('hex')))
}

/** Reads the integration and locks it against changes until the transaction ends. */
export const lock = async (at: At, id: string): Promise<StoredIntegration> =>
  found(await read(at, id, raw('for share')))

export async function removeOld({ db, workspace, now }: At, isStopping?: IsStopping): Promise<void> {
  const old = sql`workspace_id = ${workspace} and received_at < ${clock.iso(now - kept_ms)}`
  // At most 50 for each integration.
  await db.run(sql`delete from integration_receipts where ${old}`)
  const oldest = sql`select received_at from integration_messages where ${old}
    order by received_at limit ${raw(String(removed_at_once_max))}`
  const removeSome = () =>
    db.run(
      sql`delete from integration_messages where workspace_id = ${workspace} and received_at = any(array(${oldest}))`,
    )
  await inBatches(removed_at_once_max, removeSome, isStopping)
}

const read = ({ db, workspace }: At, id: string, locking = raw('')): Promise<StoredIntegration | undefined> =>
  db.maybe<StoredIntegration>(
    sql`select ${columns} from integrations where workspace_id = ${workspace} and id = ${id} ${locking}`,
  )

function found(integration: StoredIntegration | undefined): StoredIntegration {
  if (!integration) throw notFound()
  return integration
}

function shown({ tools: { seal, address } }: At, { token, signing_secret, ...rest }: StoredIntegration): Integration {
  const opened = openedBy(seal, token)
  const url = opened === undefined ? null : `${address()}/in/${opened}`
  return { ...rest, url, is_signed: signing_secret !== null }
}

/** Undefined when it was sealed with another key than there is now. */
export function openedBy({ open }: Seal, sealed: string): string | undefined {
  try {
    return open(sealed)
  } catch {
    return undefined
  }
}

/** Without what is mapped to nothing. */
export function mapOf({ crm_ids = {}, ...said }: SaidMap): FieldMap {
  const systems = mapped(crm_ids)
  const unknown = Object.keys(systems).find((system) => !crm_system_form.test(system))
  if (unknown !== undefined) throw badSystem(unknown, `must be ${crm_system.description}`)
  const extra = Object.keys(systems)[crm_systems_max]
  if (extra !== undefined) throw badSystem(extra, `is one more than the ${crm_systems_max} there may be.`)
  return { ...mapped(said), ...(Object.keys(systems).length > 0 && { crm_ids: systems }) }
}

const mapped = (said: Record<string, string | null>): Record<string, string> =>
  Object.fromEntries(Object.entries(said).flatMap(([name, pointer]) => (pointer === null ? [] : [[name, pointer]])))

function badSystem(system: string, rule: string): Problem {
  const path = cut(`field_map.crm_ids.${system}`, 200)
  return invalid([{ path, code: 'format', message: `${path} ${rule}` }])
}
