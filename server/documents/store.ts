import * as events from '../events/store.ts'
import { type At, type AtOutside, newHook } from '../kit/at.ts'
import * as clock from '../kit/clock.ts'
import type { IsCurrent } from '../kit/http/operation.ts'
import type { StoredFile } from '../kit/http/uploaded-file.ts'
import { newId } from '../kit/id.ts'
import * as page from '../kit/postgres/page.ts'
import { likeContains, raw, sql } from '../kit/postgres/sql.ts'
import { columnsOf } from '../kit/postgres/table.ts'
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
import { truncate } from '../kit/text.ts'
import { announce, isHeld, type Lease } from '../kit/work/rows.ts'
import * as workspaces from '../workspaces/store.ts'
import { event_types } from './event-types.ts'
import * as files from './files.ts'
import { kindOf } from './parse/kinds.ts'
import { removeLater } from './removal.ts'
import {
  Document,
  type DocumentChange,
  type DocumentQuery,
  documents_max,
  type NewDocument,
  name_length_max,
  passages_max,
  stored_bytes_max,
} from './schema.ts'

export const table = 'documents'

/** Runs when a document is about to be deleted. Reactions return what names it, which prevents this. */
export const findingUses = newHook<{ id: string }, Use[]>('documents.finding_uses')

const columns = columnsOf(Document)

/** Checks what a schema can't say, and resolves the host name, so it runs before the transaction. */
export async function check({ tools }: AtOutside, input: NewDocument): Promise<void> {
  const { text, url, name } = input
  const faults: Fault[] = []
  if ((text === undefined) === (url === undefined))
    faults.push({ path: '', code: 'required', message: 'Send either text or url, or a file as multipart/form-data.' })
  if (text !== undefined && !name) faults.push({ path: 'name', code: 'required', message: 'name is required.' })
  const refusal = url === undefined ? undefined : await tools.outbound.refusal(url)
  if (refusal) faults.push({ path: 'url', code: 'format', message: `url ${refusal}` })
  if (faults.length > 0) throw invalid(faults)
}

/** Takes over the uploaded file, or stores the text. The background work reads it. */
export async function create(
  at: At,
  { input, file }: { input: NewDocument; file: StoredFile | undefined },
): Promise<Document> {
  const { db, workspace, now } = at
  const { text, url = null, language = 'en', tags = [] } = input
  const source = file ? 'file' : url === null ? 'text' : 'url'
  const own_name = (file?.name ?? url?.replace(/^https?:\/\//, '') ?? '').trim()
  const name = input.name || truncate(own_name, name_length_max).trim()
  if (name === '') throw invalid([{ path: 'name', code: 'required', message: 'name is required.' }])
  const file_id = file?.id ?? (text === undefined ? null : await files.store(at, [Buffer.from(text)]))
  const stored = file_id === null ? undefined : await files.get(at, file_id)
  const kind = stored && (source === 'text' ? 'markdown' : kindOf({ head: stored.head, name: file?.name ?? null }))
  if (typeof kind === 'object') throw invalid([{ path: 'file', code: 'format', message: kind.refusal }])
  await workspaces.lock(at)
  const { total, bytes } = await db.one<{ total: number; bytes: number }>(
    sql`select count(*) as total, coalesce(sum(bytes), 0) as bytes from documents where workspace_id = ${workspace}`,
  )
  if (total >= documents_max)
    throw invalidState(`A workspace can have at most ${documents_max.toLocaleString('en')} documents.`)
  assertRoom(bytes + (stored?.bytes ?? 0))
  const created_at = clock.iso(now)
  const created = await db.maybe(
    sql`insert into documents (workspace_id, id, name, language, source, url, tags, status, content_type, file_id, bytes,
        must_fetch, created_at, updated_at, due_at)
      values (${workspace}, ${newId()}, ${name}, ${language}, ${source}, ${url}, ${[...new Set(tags)]}, 'processing',
        ${kind ?? null}, ${file_id}, ${stored?.bytes ?? 0}, ${url !== null}, ${created_at}, ${created_at}, ${created_at})
      on conflict (workspace_id, name) do nothing returning ${columns}`,
  )
  if (!created) throw await nameInUse(at, name)
  announce(at, { table })
  return created
}

const assertRoom = (bytes: number): void => {
  if (bytes > stored_bytes_max)
    throw invalidState(`The files of a workspace can have at most ${stored_bytes_max / 1024 / 1024} MB together.`)
}

async function nameInUse({ db, workspace }: At, name: string) {
  const holder = await db.maybe<{ id: string }>(
    sql`select id from documents where workspace_id = ${workspace} and name = ${name}`,
  )
  return inUse('name', 'Another document has this name.', holder?.id)
}

export function list({ db, workspace }: At, query: DocumentQuery): Promise<page.Page<Document>> {
  const { status, tag, search } = query
  const conditions = [
    status === undefined ? raw('') : sql`and status = ${status}`,
    tag === undefined ? raw('') : sql`and ${tag} = any(tags)`,
    search === undefined ? raw('') : sql`and lower(name) like ${likeContains(search.toLowerCase())}`,
  ]
  const own = sql`select ${columns} from documents where workspace_id = ${workspace}
    ${conditions[0]} ${conditions[1]} ${conditions[2]}`
  return page.readSelection(db, query, page.newest_first, own)
}

export async function get({ db, workspace }: At, id: string, locking = raw('')): Promise<Document> {
  const found = await db.maybe(
    sql`select ${columns} from documents where workspace_id = ${workspace} and id = ${id} ${locking}`,
  )
  if (!found) throw notFound()
  return found
}

/** Returns those of the ids that exist. */
export async function existing({ db, workspace }: At, ids: string[]): Promise<Set<string>> {
  const found = await db.many<{ id: string }>(
    sql`select id from documents where workspace_id = ${workspace} and id = any(${ids}::uuid[])`,
  )
  return new Set(found.map(({ id }) => id))
}

interface DocumentToChange {
  id: string
  isCurrent: IsCurrent
}

/**
 * Changes a document. A new name or language changes the words that are found, so the file is read again. An empty
 * change doesn't even change `updated_at`.
 */
export async function update(
  at: At,
  { id, change, isCurrent }: DocumentToChange & { change: DocumentChange },
): Promise<Document> {
  const { db, workspace, now } = at
  const before = await lock(at, { id, isCurrent })
  if (Object.keys(change).length === 0) return before
  const { name, language, tags } = { ...before, ...change }
  if (name !== before.name && (await idOf(at, name)) !== undefined) throw await nameInUse(at, name)
  const is_read_again = name !== before.name || language !== before.language
  if (is_read_again) announce(at, { table })
  return db.one(
    sql`update documents set name = ${name}, language = ${language}, tags = ${[...new Set(tags)]},
        ${is_read_again ? readAgain(now) : raw('')} updated_at = ${clock.laterThan(before.updated_at, now)}
      where workspace_id = ${workspace} and id = ${id} returning ${columns}`,
  )
}

async function idOf({ db, workspace }: At, name: string): Promise<string | undefined> {
  const found = await db.maybe<{ id: string }>(
    sql`select id from documents where workspace_id = ${workspace} and name = ${name}`,
  )
  return found?.id
}

/** Fetches a document from its URL again. The earlier content is found until then, and if fetching fails. */
export async function refresh(at: At, id: string): Promise<Document> {
  const { db, workspace, now } = at
  const before = await lock(at, { id, isCurrent: () => true })
  if (before.source !== 'url')
    throw invalidState('Only documents from a URL can be refreshed. Upload the new file, and delete the old one.')
  announce(at, { table })
  return db.one(
    sql`update documents set ${readAgain(now, raw('true'))} updated_at = ${clock.laterThan(before.updated_at, now)}
      where workspace_id = ${workspace} and id = ${id} returning ${columns}`,
  )
}

/**
 * Queues the document to be read again, and ends the lease of whoever is reading it. A page that could never be fetched
 * is fetched.
 */
const readAgain = (now: number, must_fetch = raw('must_fetch or file_id is null')) =>
  sql`status = case when status = 'failed' then 'processing' else status end, error = null,
    must_parse = true, must_fetch = ${must_fetch},
    due_at = ${clock.iso(now)}, lease_token = null, lease_until = null, attempt = 0,`

export async function remove(at: At, { id, isCurrent }: DocumentToChange): Promise<{ deleted: true }> {
  const { db, workspace } = at
  await lock(at, { id, isCurrent })
  const used_by = (await at.hooks.run(at, findingUses, { id })).flat()
  if (used_by.length > 0) throw stillUsed('Agents name the document in their knowledge. Change them first.', used_by)
  const removed = await db.one<{ file_id: string | null }>(
    sql`delete from documents where workspace_id = ${workspace} and id = ${id} returning file_id`,
  )
  if (removed.file_id !== null) await files.remove(at, removed.file_id)
  await removeLater(at, id)
  return { deleted: true }
}

/**
 * Locks a document and the workspace, so that agents that name the document meanwhile can be serialized with its
 * deletion.
 */
async function lock(at: At, { id, isCurrent }: DocumentToChange): Promise<Document> {
  await workspaces.lock(at)
  const before = await get(at, id, raw('for no key update'))
  if (!isCurrent(before)) throw preconditionFailed()
  return before
}

interface ReadEnd {
  lease: Lease
  edition_id: string
  passages: number
  characters: number
  /** The file that was fetched, if one was. */
  fetched: { file_id: string; bytes: number; content_type: string } | undefined
}

/**
 * Makes the edition the one that is found. Runs in a transaction. Returns a refusal if the workspace has no room for
 * it.
 */
export async function endReading(
  at: At,
  end: ReadEnd,
): Promise<{ refusal: string } | { replaced_file: string | null } | undefined> {
  const { db, now } = at
  const { lease, edition_id, passages, characters, fetched } = end
  await workspaces.lock(at)
  const refusal = await lackOfRoom(at, { id: lease.id, passages, bytes: fetched?.bytes ?? 0 })
  if (refusal !== undefined) return { refusal }
  const before = await db.maybe<{ file_id: string | null }>(
    sql`select file_id from documents where ${isHeld(lease)} for no key update`,
  )
  const ended = await db.maybe(
    sql`update documents set status = 'ready', error = null, edition_id = ${edition_id}, passages = ${passages},
        characters = ${characters}, must_parse = false, must_fetch = false, attempt = 0,
        file_id = coalesce(${fetched?.file_id ?? null}, file_id), bytes = coalesce(${fetched?.bytes ?? null}, bytes),
        content_type = coalesce(${fetched?.content_type ?? null}, content_type),
        fetched_at = coalesce(${fetched ? clock.iso(now) : null}, fetched_at),
        updated_at = greatest(${clock.iso(now)}, (updated_at at time zone 'UTC' + interval '1 millisecond') at time zone 'UTC')
      where ${isHeld(lease)} and must_parse returning ${columns}`,
  )
  if (!ended) return undefined
  await events.record(at, event_types.ready, [{ data: ended }])
  return { replaced_file: fetched ? (before?.file_id ?? null) : null }
}

/** Returns what the workspace has no room for, if that is so. */
export async function lackOfRoom(
  { db, workspace }: At,
  { id, passages, bytes }: { id: string; passages: number; bytes: number },
): Promise<string | undefined> {
  const others = await db.one<{ passages: number; bytes: number }>(
    sql`select coalesce(sum(passages), 0) as passages, coalesce(sum(bytes), 0) as bytes from documents
      where workspace_id = ${workspace} and id <> ${id}`,
  )
  if (others.passages + passages > passages_max)
    return `A workspace can have at most ${passages_max.toLocaleString('en')} passages. Delete documents first.`
  if (bytes > 0 && others.bytes + bytes > stored_bytes_max)
    return `The files of a workspace can have at most ${stored_bytes_max / 1024 / 1024} MB. Delete documents first.`
  return undefined
}

/**
 * Ends the reading of a document that can't be read. One that was ready stays so, with what was read before. Returns false if
 * it is not being read.
 */
export async function failReading(at: At, lease: Lease, error: string): Promise<boolean> {
  const { db, now } = at
  const failed = await db.maybe(
    sql`update documents set status = case when edition_id is null then 'failed' else 'ready' end, error = ${truncate(error, 500)},
        must_parse = false, must_fetch = false, attempt = 0,
        updated_at = greatest(${clock.iso(now)}, (updated_at at time zone 'UTC' + interval '1 millisecond') at time zone 'UTC')
      where ${isHeld(lease)} and must_parse returning ${columns}`,
  )
  if (failed) await events.record(at, event_types.failed, [{ data: failed }])
  return failed !== undefined
}
