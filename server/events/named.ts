import type { At } from '../kit/at.ts'
import { type Reference, readNames } from '../kit/postgres/names.ts'
import type { ActorType } from './actors.ts'
import { nounOf } from './catalog.ts'
import type { Event } from './schema.ts'

/** The columns of an event that say who caused it. Both are null in events from before actors were recorded. */
export interface StoredActor {
  /** The type is true because `record` stores no others. */
  actor_type: ActorType | null
  actor_id: string | null
}

interface EventRow extends StoredActor {
  type: string
  resource_id: string
}

/** Returns who caused an event, and what it is about. Undefined for events from before actors were recorded. */
export function referencesOf({ type, resource_id, actor_type, actor_id }: EventRow) {
  if (actor_type === null) return undefined
  return { actor: { type: actor_type, id: actor_id }, subject: { type: nounOf(type), id: resource_id } }
}

/** Types of resources that are shown by the names of contacts. */
const called_as_contacts = ['contact', 'call', 'conversation', 'message']

/** What a caller may see. */
export interface Reader {
  hides_contacts: boolean
}

export const readerWith = (scopes: Pick<Set<string>, 'has'>): Reader => ({
  hides_contacts: !scopes.has('contacts:read'),
})

/** Reads names as `readNames` does. Names of contacts are null if the reader may not see them. */
export const readNamesFor = (at: At, { hides_contacts }: Reader, references: (Reference | null)[]) =>
  readNames(
    at,
    hides_contacts ? references.filter((one) => !one || !called_as_contacts.includes(one.type)) : references,
  )

/** Adds `actor` and `subject`, with their names of now. Names of contacts are null if the reader may not see them. */
export async function withNames<Row extends EventRow>(at: At, rows: Row[], reader: Reader) {
  const references = rows.map((row) => referencesOf(row))
  const addName = await readNamesFor(
    at,
    reader,
    references.flatMap((found) => (found ? [found.actor, found.subject] : [])),
  )
  return rows.map(
    ({ actor_type: _type, actor_id: _id, ...row }, index): Omit<Row, keyof StoredActor> & ActorAndSubject => {
      const found = references[index]
      return { ...row, actor: found ? addName(found.actor) : null, subject: found ? addName(found.subject) : null }
    },
  )
}

type ActorAndSubject = Pick<Event, 'actor' | 'subject'>
