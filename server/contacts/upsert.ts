import type { At } from '../kit/at.ts'
import { invalid, Problem, preconditionFailed, unavailable } from '../kit/problem.ts'
import { crmIdsProblem } from './crm-ids.ts'
import type { Contact, ContactChange } from './schema.ts'
import * as contacts from './store.ts'

/** Limits the attempts, because requests and deletions of one contact can come many at a time. */
const attempts_max = 10

export interface ContactUpsert extends Pick<Contact, 'phone_number' | 'source'> {
  change: ContactChange
  /** Is called with undefined if no contact has the phone number. */
  isCurrent: (contact: Contact | undefined) => boolean
}

export type UpsertedContact = Contact & { is_created: boolean }

/**
 * Creates the contacts whose phone numbers are not in use, and changes the others. A contact that has all the values
 * already stays as it is. `source` is for new contacts.
 */
export async function upsert(at: At, upserts: ContactUpsert[]): Promise<(UpsertedContact | Problem)[]> {
  const results: Results = new Map()
  for (const one of upserts) {
    const problem = isMismatch(one) ? numberMismatch() : tooManyMembers(one)
    if (problem) results.set(one, problem)
  }
  // The upserts left were taken or deleted between two statements, or repeat a number that was created or rejected.
  for (let attempt = 0; results.size < upserts.length; attempt += 1) {
    if (attempt === attempts_max) throw unavailable()
    const { size } = results
    await upsertRest(at, { rest: upserts.filter((one) => !results.has(one)), results })
    if (results.size > size) attempt = 0
  }
  return upserts.flatMap((one) => results.get(one) ?? [])
}

type Results = Map<ContactUpsert, UpsertedContact | Problem>

async function upsertRest(at: At, { rest, results }: { rest: ContactUpsert[]; results: Results }): Promise<void> {
  const by_number = Map.groupBy(rest, ({ phone_number }) => phone_number)
  const holders = await contacts.idsByNumber(at, [...by_number.keys()])
  const locked = await contacts.lock(at, [...holders.values()])
  const changed: { id: string; one: ContactUpsert }[] = []
  const created: ContactUpsert[] = []
  for (const [phone_number, same_number] of by_number) {
    const id = holders.get(phone_number)
    if (id === undefined) {
      for (const one of same_number) if (!one.isCurrent(undefined)) results.set(one, noContact())
      created.push(...same_number.filter((one) => !results.has(one)).slice(0, 1))
    } else if (locked.get(id)?.phone_number === phone_number) changed.push(...same_number.map((one) => ({ id, one })))
  }
  await update(at, { changed, results })
  await create(at, { created, results })
}

async function update(
  at: At,
  { changed, results }: { changed: { id: string; one: ContactUpsert }[]; results: Results },
) {
  const updates = changed.map(({ id, one: { change, isCurrent } }) => {
    const { phone_number: _same, ...fields } = change
    return { id, change: fields, isCurrent, skips_same_values: true }
  })
  const updated = await contacts.update(at, updates)
  for (const [index, { one }] of changed.entries()) {
    const result = updated[index]
    if (result instanceof Problem) results.set(one, result.code === 'PRECONDITION_FAILED' ? notAsExpected() : result)
    else if (result) results.set(one, { ...result, is_created: false })
  }
}

/** Creates contacts. Those whose number was taken meanwhile get no result. */
async function create(at: At, { created, results }: { created: ContactUpsert[]; results: Results }) {
  if (created.length === 0) return
  const inputs = created.map(({ change, phone_number, source }) => ({ ...change, phone_number, source }))
  const contacts_or_problems = await contacts.create(at, inputs)
  for (const [index, one] of created.entries()) {
    const result = contacts_or_problems[index]
    if (result instanceof Problem && !contacts.isNumberInUse(result)) results.set(one, result)
    else if (result && !(result instanceof Problem)) results.set(one, { ...result, is_created: true })
  }
}

const isMismatch = ({ phone_number, change }: ContactUpsert): boolean =>
  change.phone_number !== undefined && change.phone_number !== phone_number

/** Counts the members that are not removed. Returns the Problem that there are too many. */
const tooManyMembers = ({ change: { custom_fields, crm_ids } }: ContactUpsert): Problem | undefined =>
  contacts.customFieldsProblem(contacts.mergeMembers({}, custom_fields)) ??
  crmIdsProblem(contacts.mergeMembers({}, crm_ids))

const numberMismatch = () =>
  invalid([
    {
      path: 'phone_number',
      code: 'mismatch',
      message: 'phone_number differs from the one in the path. To change the number of a contact, update it by its id.',
    },
  ])

const noContact = () => preconditionFailed('No contact has this phone number.')
const notAsExpected = () => preconditionFailed('A contact has this phone number, and it is not as you expect it.')
