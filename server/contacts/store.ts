import * as events from '../events/store.ts'
import { type At, type InWorkspace, newHook } from '../kit/at.ts'
import * as clock from '../kit/clock.ts'
import { redactAnswers } from '../kit/http/idempotency.ts'
import { isId, newId } from '../kit/id.ts'
import { onUniqueViolation } from '../kit/postgres/errors.ts'
import { batchedGetById } from '../kit/postgres/get-by-id.ts'
import { rowByKey } from '../kit/postgres/row-by-key.ts'
import { raw, sql } from '../kit/postgres/sql.ts'
import { inUse, invalid, notFound, type Problem, preconditionFailed } from '../kit/problem.ts'
import { addToCounts, subtractFromCounts } from './counts.ts'
import * as crm from './crm-ids.ts'
import { event_types } from './event-types.ts'
import { removeDuplicateTags } from './normalize.ts'
import { columns, copyRows, deleteRows, insertRows, updateEdited } from './rows.ts'
import {
  type Contact,
  type ContactChange,
  type ContactWithCrmIds,
  type CrmIds,
  type CustomFields,
  custom_fields_max,
  type NewContact,
} from './schema.ts'
import * as search_index from './search-index.ts'
import { hasOtherZones, zones_changed } from './zones.ts'

const numbers_per_chunk = 1_000
/** This id sorts before all others. */
const first_id = '00000000-0000-0000-0000-000000000000'

type ContactNumber = Pick<Contact, 'id' | 'phone_number'>
export type DeletedContact = ContactNumber

/** Runs in the transaction that deletes contacts. */
export const deleted = newHook<DeletedContact[]>('contacts.deleted')

export async function get({ db, workspace }: At, id: string): Promise<ContactWithCrmIds> {
  return assertFound(await byId(db, workspace, id))
}

const byId = batchedGetById<ContactWithCrmIds>(sql`${columns}, crm_ids`, raw('contacts'))

type ContactInput = NewContact & Pick<Contact, 'source'>

/** Returns, in the order of the inputs, each contact or the Problem that its phone number or one of its CRM ids is in use. */
export async function create(at: At, inputs: ContactInput[]): Promise<(ContactWithCrmIds | Problem)[]> {
  const contacts = newContacts(inputs, at.now)
  const results: Results = new Map()
  for (let rest = contacts; rest.length > 0; rest = rest.filter((contact) => !results.has(contact)))
    await createRest(at, { rest, results })
  return contacts.flatMap((contact) => results.get(contact) ?? [])
}

type Results = Map<ContactWithCrmIds, ContactWithCrmIds | Problem>

/** Creates the contacts without a result. Of those that have a CRM id in common, only the first one gets a result. */
async function createRest(at: At, { rest, results }: { rest: ContactWithCrmIds[]; results: Results }): Promise<void> {
  const crm_holders = await crm.findHolders(
    at,
    rest.map(({ crm_ids }) => crm_ids),
  )
  const crm_problems = new Map(rest.map((contact) => [contact, crm.crmIdProblem(crm_holders, contact)]))
  const free = withoutRepeats(rest.filter((contact) => !crm_problems.get(contact)))
  // Sorted, so that concurrent transactions lock phone numbers in the same order and don't deadlock.
  const rows = free.toSorted((left, right) => (left.phone_number < right.phone_number ? -1 : 1))
  const ids = await insertRows(at, rows)
  const created = free.filter(({ id }) => ids.has(id))
  const rejected = rest.filter(
    (contact) => crm_problems.get(contact) || (free.includes(contact) && !ids.has(contact.id)),
  )
  await crm.write(
    at,
    created.map(({ id, crm_ids }) => ({ id, before: {}, after: crm_ids })),
  )
  const [holders] = await Promise.all([
    idsByNumber(
      at,
      rejected.map(({ phone_number }) => phone_number),
    ),
    search_index.add(at, created),
    events.record(at, event_types.created, created.map(createdEvent)),
    addToCounts(at, created),
  ])
  for (const contact of created) results.set(contact, contact)
  for (const contact of rejected) {
    const holder = holders.get(contact.phone_number)
    results.set(contact, (holder === undefined && crm_problems.get(contact)) || numberInUse(holder))
  }
}

/** Leaves out contacts that have a CRM id of one before them. */
function withoutRepeats(contacts: ContactWithCrmIds[]): ContactWithCrmIds[] {
  const taken = new Set<string>()
  return contacts.filter(({ crm_ids }) => {
    const keys = crm.keysOf(crm_ids)
    const is_repeat = keys.some((key) => taken.has(key))
    for (const key of keys) taken.add(key)
    return !is_repeat
  })
}

function newContacts(inputs: ContactInput[], now: number): ContactWithCrmIds[] {
  const created_at = clock.iso(now)
  // The fields are in the order of the schema, because events and webhooks are written in this order.
  return inputs.map((input) => {
    const { crm_ids = {}, ...fields } = editedFields(input, { ...unset, crm_ids: {} })
    return {
      id: newId(),
      phone_number: input.phone_number,
      ...unset,
      source: input.source,
      ...never_contacted,
      ...fields,
      created_at,
      updated_at: created_at,
      crm_ids,
    }
  })
}

/**
 * Creates thousands of contacts, as `create` does. If another transaction takes one of the phone numbers in the
 * meantime, the transaction fails and is retried. The counts, which other transactions would wait for, are written
 * after `before_counts` has resolved.
 */
export async function createMany(
  at: At,
  { inputs, before_counts }: { inputs: Omit<ContactInput, 'crm_ids'>[]; before_counts: Promise<unknown> },
): Promise<(Contact | { existing_id: string })[]> {
  const holders = await idsByNumber(
    at,
    inputs.map(({ phone_number }) => phone_number),
  )
  const contacts = newContacts(inputs, at.now)
  const created = contacts.filter(({ phone_number }) => !holders.has(phone_number))
  await Promise.all([
    copyRows(at, created),
    search_index.addMany(at, created),
    events.recordMany(at, event_types.created, created.map(createdEvent)),
  ])
  await before_counts
  await addToCounts(at, created)
  return contacts.map((contact) => {
    const existing_id = holders.get(contact.phone_number)
    return existing_id === undefined ? contact : { existing_id }
  })
}

export interface ContactUpdate {
  id: string
  change: ContactChange
  isCurrent: (contact: Contact) => boolean
  /**
   * Whether a change to the values that the contact has already is ignored. Otherwise it touches `updated_at`, and
   * records an event.
   */
  skips_same_values?: boolean
}

/** Applies the changes in order. An empty change doesn't even touch `updated_at`. */
export async function update(at: At, changes: ContactUpdate[]): Promise<(ContactWithCrmIds | Problem)[]> {
  const originals = await lock(
    at,
    changes.map(({ id }) => id),
  )
  const [holders, crm_holders] = await Promise.all([
    idsByNumber(
      at,
      changes.flatMap(({ change }) => change.phone_number ?? []),
    ),
    crm.findHolders(
      at,
      changes.map(({ change }) => mergeMembers({}, change.crm_ids)),
    ),
  ])
  const state = { contacts: new Map(originals), holders, crm_holders, now: at.now }
  const { results, updates } = planUpdates(changes, state)
  if (updates.length === 0) return results
  // Several changes of one contact are written once.
  const final = [...new Map(updates.map(({ data }) => [data.id, data])).values()]
  await crm.write(
    at,
    final.map(({ id, crm_ids }) => ({ id, before: originals.get(id)?.crm_ids ?? {}, after: crm_ids })),
  )
  await Promise.all([
    updateEdited(at, final).catch(onUniqueViolation(() => numberInUse(undefined))),
    search_index.update(
      at,
      final.map((after) => ({ before: originals.get(after.id) ?? after, after })),
    ),
    events.record(at, event_types.updated, updates),
  ])
  const elsewhere = final.filter((after) => hasOtherZones(originals.get(after.id), after))
  if (elsewhere.length > 0) await at.hooks.run(at, zones_changed, elsewhere)
  return results
}

interface UpdateState {
  /** The locked contacts by id. Each change sees the changes before it. */
  contacts: Map<string, ContactWithCrmIds>
  /** The ids of the contacts that have the requested phone numbers. */
  holders: Map<string, string>
  crm_holders: crm.CrmIdHolders
  now: number
}

function planUpdates(changes: ContactUpdate[], { contacts, holders, crm_holders, now }: UpdateState) {
  const updates: { data: ContactWithCrmIds; previous: Partial<ContactWithCrmIds> }[] = []
  const results = changes.map(({ id, change, isCurrent, skips_same_values = false }) => {
    const before = contacts.get(id)
    if (!before) return notFound()
    if (!isCurrent(before)) return preconditionFailed()
    const fields = editedFields(change, before)
    if (Object.keys(fields).length === 0) return before
    const too_many = customFieldsProblem(fields.custom_fields) ?? crm.crmIdsProblem(fields.crm_ids, before.crm_ids)
    if (too_many) return too_many
    const previous = previousValues(fields, before)
    if (skips_same_values && isEmpty(previous)) return before
    const holder = fields.phone_number === undefined ? undefined : holders.get(fields.phone_number)
    if (holder !== undefined && holder !== id) return numberInUse(holder)
    const after = { ...before, ...fields, updated_at: clock.laterThan(before.updated_at, now) }
    const taken = crm.crmIdProblem(crm_holders, after)
    if (taken) return taken
    contacts.set(id, after)
    holders.set(after.phone_number, id)
    for (const key of crm.keysOf(before.crm_ids)) crm_holders.delete(key)
    for (const key of crm.keysOf(after.crm_ids)) crm_holders.set(key, id)
    updates.push({ data: after, previous })
    return after
  })
  return { results, updates }
}

/** Deletes the contact and reduces its events to its id. Other rooms react through the hook `deleted`. */
export async function remove(at: At, contact: Omit<ContactUpdate, 'change'>) {
  await removeLocked(at, [await lockOne(at, contact)])
  return { deleted: true as const }
}

/** Removes contacts that this transaction has locked, as `remove` does. */
export async function removeLocked(at: At, contacts: Contact[]): Promise<void> {
  if (contacts.length === 0) return
  const ids = contacts.map(({ id }) => id)
  await Promise.all([
    search_index.update(
      at,
      contacts.map((before) => ({ before })),
    ),
    deleteRows(at, ids),
    events.redact(at, ids),
    redactAnswers(at, ids),
    at.hooks.run(at, deleted, contacts),
    events.record(
      at,
      event_types.deleted,
      ids.map((id) => ({ data: { id } })),
    ),
    subtractFromCounts(at, contacts),
  ])
}

/** Locks the contacts until the transaction ends, in the order of their ids. */
export async function lock({ db, workspace }: InWorkspace, ids: string[]): Promise<Map<string, ContactWithCrmIds>> {
  if (ids.length === 0) return new Map()
  const rows = await db.many<ContactWithCrmIds>(
    sql`select ${columns}, crm_ids from contacts where workspace_id = ${workspace} and id = any(${ids}::uuid[])
      order by id for update`,
  )
  return new Map(rows.map((row) => [row.id, row]))
}

/** Keeps the contact from being deleted until the transaction ends. Returns false if there is none. */
export const share = async ({ db, workspace }: At, id: string): Promise<boolean> =>
  isId(id) &&
  (await db.run(sql`select from contacts where workspace_id = ${workspace} and id = ${id} for key share`)) > 0

/** Reads these contacts without locking them. */
export async function getMany({ db, workspace }: At, ids: string[]): Promise<Map<string, Contact>> {
  if (ids.length === 0) return new Map()
  const rows = await db.many<Contact>(
    sql`select ${columns} from contacts where workspace_id = ${workspace} and id = any(${ids}::uuid[])`,
  )
  return new Map(rows.map((row) => [row.id, row]))
}

export async function lockOne(at: At, { id, isCurrent }: Omit<ContactUpdate, 'change'>): Promise<ContactWithCrmIds> {
  const contact = assertFound((await lock(at, [id])).get(id))
  if (!isCurrent(contact)) throw preconditionFailed()
  return contact
}

/** Finds the ids of the contacts that have these phone numbers, by number. */
export async function idsByNumber({ db, workspace }: At, phone_numbers: string[]): Promise<Map<string, string>> {
  if (phone_numbers.length === 0) return new Map()
  const rows = await db.many<{ id: string; phone_number: string }>(
    sql`select id, phone_number from unnest(${phone_numbers}::text[]) as wanted (number)
      cross join lateral (${rowByKey('contacts', workspace, 'phone_number', raw('wanted.number'))}) as holder`,
  )
  return new Map(rows.map(({ id, phone_number }) => [phone_number, id]))
}

/** Yields all contacts in chunks, in the order of their ids. Each chunk is a statement of its own. */
export async function* numbersOfAll({ db, workspace }: At): AsyncGenerator<ContactNumber[]> {
  let rows: ContactNumber[]
  let last_id = first_id
  do {
    rows = await db.many<ContactNumber>(
      sql`select id, phone_number from contacts where workspace_id = ${workspace} and id > ${last_id}
        order by id limit ${numbers_per_chunk}`,
    )
    yield rows
    last_id = rows.at(-1)?.id ?? last_id
  } while (rows.length === numbers_per_chunk)
}

function assertFound<T>(contact: T | undefined): T {
  if (!contact) throw notFound()
  return contact
}

const numberInUse = (holder: string | undefined) =>
  inUse('phone_number', 'Another contact has this phone number.', holder)

export const isNumberInUse = ({ details }: Problem): boolean => details.field === 'phone_number'

const unset = {
  first_name: null,
  last_name: null,
  display_name: null,
  email: null,
  company: null,
  time_zone: null,
  notes: null,
  tags: [],
  custom_fields: {},
}
const never_contacted = { first_contact_at: null, last_contact_at: null }

/** The event has the same fields as `get`. */
const createdEvent = (data: ContactWithCrmIds) => ({ data })

/** Returns the previous values of the fields that changed. */
function previousValues(fields: Partial<ContactWithCrmIds>, before: ContactWithCrmIds): Partial<ContactWithCrmIds> {
  const names = Object.keys(fields) as (keyof ContactWithCrmIds)[]
  const changed = names.filter((name) => JSON.stringify(fields[name]) !== JSON.stringify(before[name]))
  return Object.fromEntries(changed.map((name) => [name, before[name]]))
}

interface Before {
  custom_fields: CustomFields
  crm_ids: CrmIds
}

/**
 * Returns the fields that the client sent. Tags have no duplicates; custom fields and CRM ids are merged with those
 * that the contact has.
 */
function editedFields(
  { tags, custom_fields, crm_ids, ...others }: ContactChange,
  before: Before,
): Partial<ContactWithCrmIds> {
  return {
    ...others,
    ...(tags !== undefined && { tags: removeDuplicateTags(tags ?? []) }),
    ...(changesMembers(custom_fields) && { custom_fields: mergeMembers(before.custom_fields, custom_fields) }),
    ...(changesMembers(crm_ids) && { crm_ids: mergeMembers(before.crm_ids, crm_ids) }),
  }
}

const isEmpty = (members: object): boolean => Object.keys(members).length === 0

/** Whether the change has members: `{}` changes nothing. */
const changesMembers = (change: object | null | undefined): boolean =>
  change === null || (change !== undefined && !isEmpty(change))

/** Changes the members that are given. `null` removes one, or all. */
export const mergeMembers = <Value extends string | number | boolean>(
  before: Record<string, Value>,
  change: Record<string, Value | null> | null | undefined,
): Record<string, Value> =>
  Object.fromEntries(
    Object.entries(change === null ? {} : { ...before, ...change }).flatMap(([name, value]) =>
      value === null ? [] : [[name, value]],
    ),
  )

/** Returns the Problem that a contact would have too many custom fields. */
export function customFieldsProblem(custom_fields: CustomFields = {}): Problem | undefined {
  if (Object.keys(custom_fields).length <= custom_fields_max) return undefined
  const message = `custom_fields: a contact may have at most ${custom_fields_max}.`
  return invalid([{ path: 'custom_fields', code: 'too_many', message }])
}
