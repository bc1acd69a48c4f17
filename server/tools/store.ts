import { type At, type AtOutside, newHook } from '../kit/at.ts'
import * as clock from '../kit/clock.ts'
import { newSigningSecret } from '../kit/crypto/signing.ts'
import { overlap_ms, type SealedSecrets } from '../kit/crypto/signing-secrets.ts'
import { fingerprintOf } from '../kit/http/idempotency.ts'
import type { IsCurrent } from '../kit/http/operation.ts'
import { newId } from '../kit/id.ts'
import * as page from '../kit/postgres/page.ts'
import { raw, sql } from '../kit/postgres/sql.ts'
import {
  type Fault,
  inUse,
  invalid,
  invalidState,
  notFound,
  preconditionFailed,
  stillUsed,
  type Use,
} from '../kit/problem.ts'
import * as workspaces from '../workspaces/store.ts'
import { headerFaults, keepValues, openHeaders } from './headers.ts'
import { parameterFaults } from './parameters.ts'
import {
  built_in_names,
  type NewTool,
  type Tool,
  type ToolChange,
  type ToolMethod,
  type ToolWithSecret,
  tools_max,
} from './schema.ts'

/** A tool is about to be deleted. Reactions return what names it, which prevents that. */
export const findingUses = newHook<Pick<Tool, 'name' | 'kind'>, Use[]>('tools.finding_uses')

const columns =
  raw(`id, kind, name, description, parameters, url, method, header_names, headers, timeout_ms, has_side_effects,
  say_while, calls_max, may_repeat, confirm, secret, previous_secret, previous_secret_until, created_at, updated_at`)

const no_parameters = { type: 'object', properties: {} }
const no_arguments = { parameters: no_parameters, method: 'POST' as const }
/** A longer name would leave less than half of the length to the names of the server's tools. */
const server_name_length_max = 30
const default_timeout_ms = 8_000

/** A tool as stored. */
export interface StoredTool extends SealedSecrets, Omit<Tool, 'headers' | 'url'> {
  url: string
  method: ToolMethod
  header_names: string[]
  /** The sealed headers. */
  headers: string | null
}

function toTool({ header_names, headers: _, secret: _secret, previous_secret: _previous, ...tool }: StoredTool): Tool {
  return { ...tool, headers: Object.fromEntries(header_names.map((name) => [name, null])) }
}

/** Checks what a schema can't say, and resolves the host name, so it runs before the transaction. */
export async function check({ tools }: AtOutside, input: Partial<NewTool>): Promise<void> {
  const faults: Fault[] = []
  if (input.name !== undefined && built_in_names.includes(input.name))
    faults.push({ path: 'name', code: 'reserved', message: `name must not be that of a built-in tool: ${input.name}.` })
  if (input.kind === 'mcp' && input.name !== undefined)
    faults.push(...serverNameFaults(input.name), ...kindFaults(input))
  if (input.parameters !== undefined) faults.push(...parameterFaults(input.parameters))
  if (input.headers !== undefined) faults.push(...headerFaults(input.headers))
  const refusal = input.url === undefined ? undefined : await tools.outbound.refusal(input.url)
  if (refusal) faults.push({ path: 'url', code: 'format', message: `url ${refusal}` })
  if (faults.length > 0) throw invalid(faults)
}

/**
 * Returns what is wrong with the name of a server. An agent's `crm__search` is the tool `search` of the server `crm`.
 */
function serverNameFaults(name: string): Fault[] {
  if (name.length > server_name_length_max)
    return [{ path: 'name', code: 'too_long', message: `name must have at most ${server_name_length_max} characters.` }]
  const is_clear = !name.includes('__') && !name.endsWith('_')
  return is_clear ? [] : [{ path: 'name', code: 'format', message: 'name must not contain __ or end with _.' }]
}

/** Rejects parameters and a method for a tool of kind `mcp`: its server says what its tools take. */
const kindFaults = (input: Partial<NewTool>, before: Pick<Tool, 'parameters' | 'method'> = no_arguments): Fault[] =>
  (['parameters', 'method'] as const).flatMap((path) => {
    const is_same = input[path] === undefined || fingerprintOf(input[path]) === fingerprintOf(before[path])
    return is_same ? [] : [{ path, code: 'not_allowed', message: `${path} can't be set for a tool of kind mcp.` }]
  })

export async function create(at: At, input: NewTool): Promise<ToolWithSecret> {
  const { db, workspace, now, tools } = at
  const { kind = 'http', name, url, description = null, method = 'POST', say_while = null } = input
  const { parameters = no_parameters, timeout_ms = default_timeout_ms, has_side_effects = true } = input
  const { calls_max = null, may_repeat = false, confirm = false } = input
  await workspaces.lock(at)
  const { total } = await db.one<{ total: number }>(
    sql`select count(*) as total from tools where workspace_id = ${workspace}`,
  )
  if (total >= tools_max) throw invalidState(`A workspace can have at most ${tools_max} tools.`)
  const [holder] = await findByNames(at, [name])
  if (holder) throw inUse('name', 'Another tool has this name.', holder.id)
  const secret = newSigningSecret()
  const created_at = clock.iso(now)
  const headers = keepValues(input.headers ?? {}, {})
  const created = await db.one<StoredTool>(
    sql`insert into tools (workspace_id, id, kind, name, description, parameters, url, method, header_names, headers, timeout_ms,
        has_side_effects, say_while, calls_max, may_repeat, confirm, secret, created_at, updated_at)
      values (${workspace}, ${newId()}, ${kind}, ${name}, ${description}, ${JSON.stringify(parameters)}, ${url}, ${method},
        ${Object.keys(headers)}, ${sealHeaders(at, headers)}, ${timeout_ms}, ${has_side_effects}, ${say_while},
        ${calls_max}, ${may_repeat}, ${confirm}, ${tools.seal.close(secret)}, ${created_at}, ${created_at})
      returning ${columns}`,
  )
  return { ...toTool(created), secret }
}

export async function list({ db, workspace }: At, query: page.PageQuery): Promise<page.Page<Tool>> {
  const own = sql`select ${columns} from tools where workspace_id = ${workspace}`
  const found = await page.readSelection<StoredTool>(db, query, page.newest_first, own)
  return { ...found, data: found.data.map(toTool) }
}

export const get = async (at: At, id: string): Promise<Tool> => toTool(await getStored(at, id))

export async function getStored({ db, workspace }: At, id: string, locking = raw('')): Promise<StoredTool> {
  const found = await db.maybe<StoredTool>(
    sql`select ${columns} from tools where workspace_id = ${workspace} and id = ${id} ${locking}`,
  )
  if (!found) throw notFound()
  return found
}

/** Finds those of the named tools that exist, for agents that name them. */
export const findByNames = ({ db, workspace }: At, names: string[]): Promise<StoredTool[]> =>
  db.many<StoredTool>(
    sql`select ${columns} from tools where workspace_id = ${workspace} and name = any(${names}::text[]) order by name`,
  )

/** Changes a tool. An empty change doesn't even change `updated_at`. */
export async function update(
  at: At,
  { id, change, isCurrent }: { id: string; change: ToolChange; isCurrent: IsCurrent },
): Promise<Tool> {
  const { db, workspace, now } = at
  const before = await lock(at, { id, isCurrent })
  if (Object.keys(change).length === 0) return toTool(before)
  const faults = before.kind === 'mcp' ? kindFaults(change, before) : []
  if (faults.length > 0) throw invalid(faults)
  const after = { ...before, ...change, parameters: change.parameters ?? before.parameters }
  const is_moved = new URL(after.url).origin !== new URL(before.url).origin
  const stored = is_moved ? {} : openHeaders(at, before)
  const headers = change.headers ? keepValues(change.headers, stored ?? {}) : stored
  // Headers that can't be decrypted stay as they are, until they are set again.
  const is_kept = headers === undefined
  const changed = await db.one<StoredTool>(
    sql`update tools set description = ${after.description}, parameters = ${JSON.stringify(after.parameters)},
        url = ${after.url}, method = ${after.method}, header_names = ${is_kept ? before.header_names : Object.keys(headers)},
        headers = ${is_kept ? before.headers : sealHeaders(at, headers)}, timeout_ms = ${after.timeout_ms},
        has_side_effects = ${after.has_side_effects}, say_while = ${after.say_while},
        calls_max = ${after.calls_max}, may_repeat = ${after.may_repeat}, confirm = ${after.confirm},
        updated_at = ${clock.laterThan(before.updated_at, now)}
      where workspace_id = ${workspace} and id = ${id} returning ${columns}`,
  )
  return toTool(changed)
}

export async function remove(
  at: At,
  { id, isCurrent }: { id: string; isCurrent: IsCurrent },
): Promise<{ deleted: true }> {
  const { name, kind } = await lock(at, { id, isCurrent })
  const used_by = (await at.hooks.run(at, findingUses, { name, kind })).flat()
  if (used_by.length > 0) throw stillUsed('The tool is in use. Change what uses it first.', used_by)
  await at.db.run(sql`delete from tools where workspace_id = ${at.workspace} and id = ${id}`)
  return { deleted: true }
}

/**
 * Gives the tool a new secret. The current one keeps signing for a day. A secret from an earlier rotation stops at
 * once.
 */
export async function rotateSecret(at: At, id: string): Promise<ToolWithSecret> {
  const { db, workspace, now, tools } = at
  const before = await lock(at, { id })
  const secret = newSigningSecret()
  const rotated = await db.one<StoredTool>(
    sql`update tools set previous_secret = secret, previous_secret_until = ${clock.iso(now + overlap_ms)},
        secret = ${tools.seal.close(secret)}, updated_at = ${clock.laterThan(before.updated_at, now)}
      where workspace_id = ${workspace} and id = ${id} returning ${columns}`,
  )
  return { ...toTool(rotated), secret }
}

/** Locks the tool and the workspace, so that a write that names the tool meanwhile is serialized with its deletion. */
async function lock(
  at: At,
  { id, isCurrent = () => true }: { id: string; isCurrent?: IsCurrent },
): Promise<StoredTool> {
  await workspaces.lock(at)
  const before = await getStored(at, id, raw('for no key update'))
  if (!isCurrent(toTool(before))) throw preconditionFailed()
  return before
}

const sealHeaders = ({ tools }: At, headers: Record<string, string>): string | null =>
  Object.keys(headers).length === 0 ? null : tools.seal.close(JSON.stringify(headers))
