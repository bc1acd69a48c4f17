import { assertCrmFilterIsComplete } from '../contacts/filters.ts'
import { shareMany } from '../contacts/share-many.ts'
import { memberFaults, unknown } from '../conversations/begin.ts'
import type { At } from '../kit/at.ts'
import { type Fault, invalid } from '../kit/problem.ts'
import { enroll, lockOpen, type Member, noRoom } from './enroll.ts'
import { type Enrolled, enroll_at_once_max, type NewEnrollments } from './enrolling-schema.ts'
import { enrollLater, type Filter, readPage, type Source } from './enrolling-work.ts'

interface EnrolledSoFar extends Enrolled {
  /** Whether all were enrolled. False when the rest follows in the background. */
  is_complete: boolean
}

export async function create(
  at: At,
  { campaign_id, input }: { campaign_id: string; input: NewEnrollments },
): Promise<EnrolledSoFar> {
  await lockOpen(at, campaign_id)
  const source = await checkedSource(at, input)
  const { members, next } = await readPage(at, { source, position: undefined, limit: enroll_at_once_max })
  const { not_enrolled, ...enrolled } = await enroll(at, { campaign_id, members })
  if (not_enrolled > 0) throw noRoom()
  if (next) await enrollLater(at, { campaign_id, source, position: next })
  return { ...enrolled, is_complete: next === undefined }
}

async function checkedSource(at: At, input: NewEnrollments): Promise<Source> {
  const { contact_ids, contacts = contact_ids?.map((contact_id) => ({ contact_id })), filter } = input
  const given = [contact_ids, input.contacts, filter].filter((source) => source !== undefined)
  if (given.length !== 1) throw invalid([exactly_one])
  if (filter) {
    const source = { filter: toContactFilter(filter) }
    assertCrmFilterIsComplete({ ...source.filter, sort: '-created_at' })
    return source
  }
  const faults = await findFaults(at, contacts ?? [], contact_ids ? 'contact_ids' : 'contacts')
  if (faults.length > 0) throw invalid(faults)
  return { contacts: contacts ?? [] }
}

const toContactFilter = ({ tag, custom_field, ...filter }: NonNullable<NewEnrollments['filter']>): Filter => ({
  ...filter,
  ...(tag !== undefined && { tag: [tag].flat() }),
  ...(custom_field !== undefined && { custom_field: [custom_field].flat() }),
})

const exactly_one: Fault = {
  path: 'contact_ids',
  code: 'required',
  message: 'Send exactly one of contact_ids, contacts and filter.',
}

async function findFaults(at: At, members: Member[], list: 'contact_ids' | 'contacts'): Promise<Fault[]> {
  const found = await shareMany(
    at,
    members.map(({ contact_id }) => contact_id),
  )
  const known = new Set(found.map(({ id }) => id))
  return members.flatMap(({ contact_id, variables = {} }, index) => {
    const path = `${list}.${index}`
    return [
      ...(known.has(contact_id) ? [] : [unknown(list === 'contacts' ? `${path}.contact_id` : path, 'a contact')]),
      ...memberFaults({ variables }).map((fault) => ({ ...fault, path: `${path}.${fault.path}` })),
    ]
  })
}
