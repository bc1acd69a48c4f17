import { type At, type AtOutside, newHook } from '../kit/at.ts'
import * as clock from '../kit/clock.ts'
import type { IsCurrent } from '../kit/http/operation.ts'
import { isId, newId } from '../kit/id.ts'
import * as page from '../kit/postgres/page.ts'
import { sharedRead } from '../kit/postgres/shared-read.ts'
import { type Sql, sql } from '../kit/postgres/sql.ts'
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
import { base_urls, environmentProviders } from './environment.ts'
import {
  environment_ids,
  isLanguageKind,
  type NewProvider,
  type Provider,
  type ProviderChange,
  type ProviderKind,
  providers_max,
} from './schema.ts'

/** A provider is about to be deleted or renamed. Reactions return what names it, which prevents that. */
export const findingUses = newHook<{ name: string }, Use[]>('providers.finding_uses')

/** The providers have changed. Another one of them may have an embedding model. */
export const changed = newHook<object>('providers.changed')

/** A provider as stored. For one from the environment the URL and the API key are missing here. */
interface Row extends Provider {
  /** The sealed key. */
  api_key: string | null
}

const by_creation: page.Sort = { ...page.newest_first, is_nullable: true }

/** Selects the workspace's providers, then those from the environment, which are in no table. */
function selectAll(at: At): Sql {
  const { workspace } = at
  const environment = environmentProviders.of(at)
  const usable = environment.find(({ default_model }) => default_model !== undefined)
  const own = sql`from providers where workspace_id = ${workspace}`
  return sql`select id, name, kind, base_url, api_key, default_model, embedding_model, is_default, api_key is not null as has_api_key,
      'workspace' as source, created_at, updated_at ${own}
    union all
    select id, name, kind, null, null, default_model, null, name = ${usable?.name ?? ''} and not exists (select ${own} and is_default),
      has_api_key, 'environment', null, null
    from unnest(${environment.map(({ name }) => environmentRowId(name))}::uuid[], ${environment.map(({ name }) => name)}::text[],
      ${environment.map(({ kind }) => kind)}::text[],
      ${environment.map(({ default_model = null }) => default_model)}::text[],
      ${environment.map(({ api_key }) => api_key !== undefined)}::boolean[])
      as environment (id, name, kind, default_model, has_api_key)`
}

/**
 * Returns an id for a provider from the environment, which only sorts it in lists: last and in this order. Clients see
 * the name as the id.
 */
const environmentRowId = (name: string): string =>
  `00000000-0000-0000-0000-${String(environment_ids.length - environment_ids.indexOf(name)).padStart(12, '0')}`

/** Reads all providers: at most `providers_max`, and those from the environment. */
const readAll = (at: At): Promise<Row[]> =>
  at.db.many<Row>(sql`select * from (${selectAll(at)}) as provider order by ${page.orderBy(by_creation)}`)

function toProvider({ api_key: _, ...provider }: Row): Provider {
  return provider.source === 'environment' ? { ...provider, id: provider.name } : provider
}

function orNotFound(rows: Row[], id: string): Row {
  const found = rows.find((row) => toProvider(row).id === id)
  if (!found) throw notFound()
  return found
}

/** Rejects URLs that may not be called. Resolves the host name, so it runs before the transaction. */
export async function checkUrl({ tools }: AtOutside, url: string | undefined): Promise<void> {
  const refusal = url === undefined ? undefined : await tools.outbound.refusal(url)
  if (refusal) throw invalid([{ path: 'base_url', code: 'format', message: `base_url ${refusal}` }])
}

export async function list(at: At, query: page.PageQuery): Promise<page.Page<Provider>> {
  const found = await page.readSelection<Row>(at.db, query, by_creation, selectAll(at))
  return { ...found, data: found.data.map(toProvider) }
}

export const get = async (at: At, id: string): Promise<Provider> => toProvider(orNotFound(await readAll(at), id))

export async function create(at: At, input: NewProvider): Promise<Provider> {
  const { db, workspace, now } = at
  await workspaces.lock(at)
  const rows = await readAll(at)
  const own = rows.filter(({ source }) => source === 'workspace')
  if (own.length >= providers_max) throw invalidState(`A workspace can have at most ${providers_max} providers.`)
  const { name, kind, base_url = base_urls[kind], default_model = null, embedding_model = null } = input
  const is_default = input.is_default ?? (isLanguageKind(kind) && !rows.some((row) => row.is_default))
  assertFits({ kind, default_model, embedding_model, is_default })
  assertNameIsFree(rows, name)
  if (is_default) await clearDefault(at, own)
  const id = newId()
  const created_at = clock.iso(now)
  await db.run(
    sql`insert into providers (workspace_id, id, name, kind, base_url, api_key, default_model, embedding_model,
        is_default, created_at, updated_at)
      values (${workspace}, ${id}, ${name}, ${kind}, ${base_url}, ${sealKey(at, input.api_key ?? null)}, ${default_model},
        ${embedding_model}, ${is_default}, ${created_at}, ${created_at})`,
  )
  await at.hooks.run(at, changed, {})
  return get(at, id)
}

/** Changes a provider. An empty change doesn't even change `updated_at`. */
export async function update(
  at: At,
  { id, change, isCurrent }: { id: string; change: ProviderChange; isCurrent: IsCurrent },
): Promise<Provider> {
  const { db, workspace, now } = at
  const { rows, before } = await lock(at, { id, isCurrent })
  if (Object.keys(change).length === 0) return toProvider(before)
  const { api_key, ...others } = change
  const after = { ...before, ...others }
  assertFits(after)
  if (after.name !== before.name) {
    assertNameIsFree(rows, after.name)
    await assertUnused(at, before.name)
  }
  const is_moved = originOf(after.base_url) !== originOf(before.base_url)
  const sealed = api_key === undefined ? (is_moved ? null : before.api_key) : sealKey(at, api_key)
  if (after.is_default && !before.is_default) await clearDefault(at, rows)
  await db.run(
    sql`update providers set name = ${after.name}, base_url = ${after.base_url}, api_key = ${sealed},
        default_model = ${after.default_model}, embedding_model = ${after.embedding_model},
        is_default = ${after.is_default}, updated_at = ${clock.laterThan(before.updated_at ?? '', now)}
      where workspace_id = ${workspace} and id = ${id}`,
  )
  await at.hooks.run(at, changed, {})
  return get(at, id)
}

export async function remove(
  at: At,
  { id, isCurrent }: { id: string; isCurrent: IsCurrent },
): Promise<{ deleted: true }> {
  const { before } = await lock(at, { id, isCurrent })
  await assertUnused(at, before.name)
  await at.db.run(sql`delete from providers where workspace_id = ${at.workspace} and id = ${id}`)
  return { deleted: true }
}

/** Returns why an agent can't use the model, as the end of a sentence, or undefined when it can. */
export async function choiceFault(at: At, { provider, name }: { provider: string; name: string }) {
  const account = await findAccount(at, { name: provider })
  if (!account)
    return { path: 'provider', code: 'unknown', message: `is "${provider}", which is not the name of a provider.` }
  if (!isLanguageKind(account.kind))
    return { path: 'provider', code: 'unknown', message: `is "${provider}", which only hears and speaks.` }
  if (mayUse(account, name)) return undefined
  return { path: 'name', code: 'unknown', message: `is "${name}", which the operator does not allow for ${provider}.` }
}

/** What a request to a provider needs. */
export interface Account {
  name: string
  kind: ProviderKind
  base_url: string
  /** The key. It is sealed if it is the workspace's own. */
  api_key: string | null
  default_model: string | null
  /**
   * Set for a provider that the operator has set up: its address may be private, and only these models may be used.
   */
  environment: { models: string[] } | undefined
}

export const mayUse = ({ environment }: Account, model: string): boolean => environment?.models.includes(model) ?? true

interface AccountChoice {
  id?: string
  name?: string
}

/**
 * Finds a provider. Without an id or a name, it is the default one. The workspace's own come before one from the
 * environment with the same name.
 */
export type FindAccount = (wanted: AccountChoice) => Account | undefined

/** Reads all providers at once, for callers that need several. */
export async function readAccounts(at: At): Promise<FindAccount> {
  const rows = await readTogether(at)
  return (wanted) => {
    const row = rows.find((row) => {
      if (wanted.id !== undefined) return toProvider(row).id === wanted.id
      return wanted.name === undefined ? row.is_default : row.name === wanted.name
    })
    if (row?.source !== 'environment') return row && { ...row, base_url: row.base_url ?? '', environment: undefined }
    const from = environmentProviders.of(at).find(({ name }) => name === row.name)
    return from && { ...from, api_key: from.api_key ?? null, default_model: row.default_model, environment: from }
  }
}

export const findAccount = async (at: At, wanted: AccountChoice): Promise<Account | undefined> =>
  (await readAccounts(at))(wanted)

/** Returns the provider that turns texts into vectors: the default one if it can, else the newest that can. */
export async function findEmbedding(at: At): Promise<(Account & { id: string; embedding_model: string }) | undefined> {
  const able = (await readTogether(at)).filter(({ embedding_model }) => embedding_model !== null)
  const row = able.find(({ is_default }) => is_default) ?? able[0]
  return (
    row && { ...row, base_url: row.base_url ?? '', embedding_model: row.embedding_model ?? '', environment: undefined }
  )
}

/** Reads the providers once for all who ask at the same time: each answer of a model reads them. */
const readTogether = sharedRead(readAll)

/** Locks a provider and the workspace, because its providers have one default. */
async function lock(at: At, { id, isCurrent }: { id: string; isCurrent: IsCurrent }) {
  await workspaces.lock(at)
  const rows = await readAll(at)
  const before = orNotFound(rows, id)
  if (!isId(id)) throw invalidState("A provider from the environment can't be changed.")
  if (!isCurrent(toProvider(before))) throw preconditionFailed()
  return { rows, before }
}

async function clearDefault({ db, workspace, now }: At, rows: Row[]): Promise<void> {
  const current = rows.find(({ is_default, source }) => is_default && source === 'workspace')
  if (!current) return
  await db.run(
    sql`update providers set is_default = false, updated_at = ${clock.laterThan(current.updated_at ?? '', now)}
      where workspace_id = ${workspace} and id = ${current.id}`,
  )
}

type ModelDefaults = Pick<Provider, 'kind' | 'default_model' | 'embedding_model' | 'is_default'>

/** Rejects what providers of this kind don't have, or must have. */
function assertFits({ kind, default_model, embedding_model, is_default }: ModelDefaults): void {
  const faults: Fault[] = []
  if (isLanguageKind(kind) && default_model === null)
    faults.push({ path: 'default_model', code: 'required', message: 'default_model is required.' })
  if (!isLanguageKind(kind) && is_default)
    faults.push({ path: 'is_default', code: 'conflict', message: `is_default can't be true for the kind ${kind}.` })
  if (kind !== 'openai_compatible' && embedding_model !== null) {
    const message = `embedding_model can't be set for the kind ${kind}.`
    faults.push({ path: 'embedding_model', code: 'conflict', message })
  }
  if (faults.length > 0) throw invalid(faults)
}

function assertNameIsFree(rows: Row[], name: string): void {
  const holder = rows.find((row) => row.name === name)
  if (holder) throw inUse('name', 'Another provider has this name.', toProvider(holder).id)
}

async function assertUnused(at: At, name: string): Promise<void> {
  const used_by = (await at.hooks.run(at, findingUses, { name })).flat()
  if (used_by.length > 0) throw stillUsed('The provider is in use. Change what uses it first.', used_by)
}

const sealKey = ({ tools }: At, api_key: string | null): string | null => api_key && tools.seal.close(api_key)

const originOf = (url: string | null): string | undefined => (url === null ? undefined : URL.parse(url)?.origin)
