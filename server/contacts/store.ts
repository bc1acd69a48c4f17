import * as events from '../events/store.ts'
import * as clock from '../kit/clock.ts'
import { newId } from '../kit/id.ts'
import { copyLine, copyTextArray } from '../kit/postgres/copy.ts'
import { onUniqueViolation } from '../kit/postgres/errors.ts'
import { batchedGetById } from '../kit/postgres/get-by-id.ts'
import type { Db } from '../kit/postgres/pool.ts'
import { rowByKey } from '../kit/postgres/row-by-key.ts'
import { raw, sql } from '../kit/postgres/sql.ts'
import { inUse, notFound, type Problem, preconditionFailed } from '../kit/problem.ts'
import { count } from './counts.ts'
import { forget } from './forget.ts'
import { withoutDuplicates } from './normalize.ts'
import type { Contact, ContactChange, ContactWithCrmIds, NewContact } from './schema.ts'
import * as lookup from './search-index.ts'

export { countByDay, countBySource } from './counts.ts'
export { crmIdHolder, crmIdInUse, setCrmId } from './crm-ids.ts'
export { differing, read } from './parse.ts'

export const columns = raw(`id, phone_number, first_name, last_name, display_name, email, company, notes, tags, source,
  first_contact_at, last_contact_at, created_at, updated_at`)

/** Rows as one parameter: a list of lists can't go through unnest, and tags are lists. */
const row_types = raw(`(id uuid, phone_number text, first_name text, last_name text, display_name text, email text,
  company text, notes text, tags text[], source text, created_at timestamptz, updated_at timestamptz)`)

export async function get(db: Db, workspace: string, id: string): Promise<ContactWithCrmIds> {
  return found(await byId(db, workspace, id))
}

const byId = batchedGetById<ContactWithCrmIds>(sql`${columns}, crm_ids`, raw('contacts'))

/** A phone number in use is refused; the others are created. */
export async function create(
  db: Db,
  workspace: string,
  inputs: (NewContact & Pick<Contact, 'source'>)[],
  now: number,
): Promise<(Contact | Problem)[]> {
  const contacts = newContacts(inputs, now)
  // In the order of their numbers, so that two groups which share some wait for each other instead of locking up.
  const rows = contacts.toSorted((left, right) => (left.phone_number < right.phone_number ? -1 : 1))
  const inserted = await db.many<{ id: string }>(
    sql`insert into contacts (workspace_id, id, phone_number, first_name, last_name, display_name, email, company, notes,
        tags, source, created_at, updated_at)
      select ${workspace}, id, phone_number, first_name, last_name, display_name, email, company, notes,
        tags, source, created_at, updated_at
      from json_to_recordset(${JSON.stringify(rows)}) as row ${row_types}
      on conflict (workspace_id, phone_number) do nothing
      returning id`,
  )
  const ids = new Set(inserted.map(({ id }) => id))
  const created = contacts.filter(({ id }) => ids.has(id))
  const refused = contacts.filter(({ id }) => !ids.has(id))
  const [holders] = await Promise.all([
    holdersOf(
      db,
      workspace,
      refused.map(({ phone_number }) => phone_number),
    ),
    lookup.add(db, workspace, created),
    events.record(db, workspace, 'contact.created', created.map(asCreated), now),
    count(db, workspace, created, 1),
  ])
  return contacts.map((contact) => (ids.has(contact.id) ? contact : numberInUse(holders.get(contact.phone_number))))
}

function newContacts(inputs: (NewContact & Pick<Contact, 'source'>)[], now: number): Contact[] {
  const created_at = clock.iso(now)
  // In the order in which contacts are shown: so they stand in the event log, and are sent.
  return inputs.map((input) => ({
    id: newId(),
    phone_number: input.phone_number,
    ...unset,
    source: input.source,
    ...never_contacted,
    ...profileOf(input),
    created_at,
    updated_at: created_at,
  }))
}

/**
 * The same for very many at once. Who takes one of the numbers at the same moment makes the transaction fail, which is
 * then done again. What other transactions would wait for is written after `turn`.
 */
export async function createMany(
  db: Db,
  workspace: string,
  inputs: (NewContact & Pick<Contact, 'source'>)[],
  now: number,
  turn: Promise<unknown>,
): Promise<(Contact | Problem)[]> {
  const holders = await holdersOf(
    db,
    workspace,
    inputs.map(({ phone_number }) => phone_number),
  )
  const contacts = newContacts(inputs, now)
  const created = contacts.filter(({ phone_number }) => !holders.has(phone_number))
  await Promise.all([
    db.copy('contacts', bulk_columns, created.map((contact) => bulkLine(workspace, contact)).join('')),
    lookup.addMany(db, workspace, created),
    events.recordMany(db, workspace, 'contact.created', created.map(asCreated), now),
  ])
  await turn
  await count(db, workspace, created, 1)
  return contacts.map((contact) => {
    const holder = holders.get(contact.phone_number)
    return holder === undefined ? contact : numberInUse(holder)
  })
}

const bulk_columns = [
  ...['workspace_id', 'id', 'phone_number', 'first_name', 'last_name', 'display_name', 'email', 'company', 'notes'],
  ...['tags', 'source', 'created_at', 'updated_at'],
]

function bulkLine(workspace: string, contact: Contact): string {
  const { id, phone_number, first_name, last_name, display_name, email, company, notes, tags, source } = contact
  const texts = [workspace, id, phone_number, first_name, last_name, display_name, email, company, notes]
  return copyLine([...texts, copyTextArray(tags), source, contact.created_at, contact.updated_at])
}

export interface Change {
  id: string
  change: ContactChange
  is_current: (contact: Contact) => boolean
}

/** Applies the changes in their order. A change of nothing leaves even `updated_at`. */
export async function update(
  db: Db,
  workspace: string,
  changes: Change[],
  now: number,
): Promise<(Contact | Problem)[]> {
  const contacts = await lock(
    db,
    workspace,
    changes.map(({ id }) => id),
  )
  const holders = await holdersOf(
    db,
    workspace,
    changes.flatMap(({ change }) => change.phone_number ?? []),
  )
  const originals = new Map(contacts)
  const updates: { data: Contact; previous: Partial<Contact> }[] = []
  const results = changes.map(({ id, change, is_current }) => {
    const before = contacts.get(id)
    if (!before) return notFound()
    if (!is_current(before)) return preconditionFailed()
    const said = profileOf(change)
    if (Object.keys(said).length === 0) return before
    const holder = said.phone_number === undefined ? undefined : holders.get(said.phone_number)
    if (holder !== undefined && holder !== id) return numberInUse(holder)
    const after = { ...before, ...said, updated_at: clock.laterThan(before.updated_at, now) }
    contacts.set(id, after)
    holders.set(after.phone_number, id)
    updates.push({ data: after, previous: changedBy(said, before) })
    return after
  })
  if (updates.length === 0) return results
  const last = [...new Map(updates.map(({ data }) => [data.id, data])).values()]
  await Promise.all([
    db
      .run(
        sql`update contacts
          set phone_number = row.phone_number, first_name = row.first_name, last_name = row.last_name,
            display_name = row.display_name, email = row.email, company = row.company, notes = row.notes,
            tags = row.tags, updated_at = row.updated_at
          from json_to_recordset(${JSON.stringify(last)}) as row ${row_types}
          where contacts.workspace_id = ${workspace} and contacts.id = row.id`,
      )
      .catch(onUniqueViolation(() => numberInUse(undefined))),
    lookup.follow(
      db,
      workspace,
      last.map((after) => ({ before: originals.get(after.id) ?? after, after })),
    ),
    events.record(db, workspace, 'contact.updated', updates, now),
  ])
  return results
}

/** Gone for good; what the event log holds of the person is reduced to the id. */
export async function remove(db: Db, workspace: string, { id, is_current }: Omit<Change, 'change'>, now: number) {
  await removeLocked(db, workspace, [await lockOne(db, workspace, id, is_current)], now)
  return { deleted: true as const }
}

/** The same for contacts that this transaction holds. */
export async function removeLocked(db: Db, workspace: string, contacts: Contact[], now: number): Promise<void> {
  if (contacts.length === 0) return
  const ids = contacts.map(({ id }) => id)
  await Promise.all([
    lookup.follow(
      db,
      workspace,
      contacts.map((before) => ({ before })),
    ),
    db.run(sql`delete from contacts where workspace_id = ${workspace} and id = any(${ids}::uuid[])`),
    events.forget(db, workspace, ids),
    forget(db, workspace, ids),
    events.record(
      db,
      workspace,
      'contact.deleted',
      ids.map((id) => ({ data: { id } })),
      now,
    ),
    count(db, workspace, contacts, -1),
  ])
}

/** Holds the rows until the transaction ends, in the order of their ids. */
export async function lock(db: Db, workspace: string, ids: string[]): Promise<Map<string, ContactWithCrmIds>> {
  if (ids.length === 0) return new Map()
  const rows = await db.many<ContactWithCrmIds>(
    sql`select ${columns}, crm_ids from contacts where workspace_id = ${workspace} and id = any(${ids}::uuid[])
      order by id for update`,
  )
  return new Map(rows.map((row) => [row.id, row]))
}

export async function lockOne(
  db: Db,
  workspace: string,
  id: string,
  is_current: Change['is_current'],
): Promise<ContactWithCrmIds> {
  const contact = found((await lock(db, workspace, [id])).get(id))
  if (!is_current(contact)) throw preconditionFailed()
  return contact
}

export async function holdersOf(db: Db, workspace: string, phone_numbers: string[]): Promise<Map<string, string>> {
  if (phone_numbers.length === 0) return new Map()
  const rows = await db.many<{ id: string; phone_number: string }>(
    sql`select id, phone_number from unnest(${phone_numbers}::text[]) as wanted (number)
      cross join lateral (${rowByKey('contacts', workspace, 'phone_number', raw('wanted.number'))}) as holder`,
  )
  return new Map(rows.map(({ id, phone_number }) => [phone_number, id]))
}

function found<T>(contact: T | undefined): T {
  if (!contact) throw notFound()
  return contact
}

const numberInUse = (holder: string | undefined) =>
  inUse('phone_number', 'Another contact has this phone number.', holder)

const unset = {
  first_name: null,
  last_name: null,
  display_name: null,
  email: null,
  company: null,
  notes: null,
  tags: [],
}
const never_contacted = { first_contact_at: null, last_contact_at: null }

/** What the event log says of them is all that there is, as a get shows it. */
const asCreated = (contact: Contact): { data: ContactWithCrmIds } => ({ data: { ...contact, crm_ids: {} } })

/** Of what was said, what the contact had otherwise. */
function changedBy(said: Partial<Contact>, before: Contact): Partial<Contact> {
  const names = Object.keys(said) as (keyof Contact)[]
  const changed = names.filter((name) => JSON.stringify(said[name]) !== JSON.stringify(before[name]))
  return Object.fromEntries(changed.map((name) => [name, before[name]]))
}

/** What was said, and only that. */
function profileOf({ tags, ...said }: ContactChange): Partial<Contact> {
  return tags === undefined ? said : { ...said, tags: withoutDuplicates(tags ?? []) }
}
