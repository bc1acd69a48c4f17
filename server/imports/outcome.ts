import { differing } from '../contacts/parse.ts'
import type { Contact, ContactChange, NewContact } from '../contacts/schema.ts'
import type { Change } from '../contacts/store.ts'
import type { Planned } from './parse-row.ts'
import type { Import, Outcome } from './schema.ts'

/** What is noted of a row. */
export interface Row {
  row_number: number
  outcome: Outcome
  reason: string | null
  contact_id: string | null
  written_at: string | null
  before: Partial<Contact> | null
}

/** Rows by what they have met: a contact's id, or a number. */
export type Met = Map<string, number>

export interface First {
  row_number: number
  contact: NewContact
}

const known_already = 'A contact has this phone number.'
const nothing_new = 'The contact is like this already.'

/**
 * Decides row by row. Of rows with the same number only the first counts, in whichever mode: so a contact is touched
 * once by an import, and an undo knows what it was.
 */
export function outcomesOf(planned: Planned[]) {
  const rows = new Map<number, Row>()
  const contact_ids = new Map<number, string>()
  const by_number = new Map<string, number>()
  const repeats: { row_number: number; first: number }[] = []
  const firsts: First[] = []
  const set = (row_number: number, outcome: Outcome, more: Partial<Row> = {}) =>
    rows.set(row_number, {
      row_number,
      outcome,
      reason: null,
      contact_id: null,
      written_at: null,
      before: null,
      ...more,
    })

  for (const { row_number, contact, reason } of planned) {
    if (!contact) {
      set(row_number, 'refused', { reason: reason ?? null })
      continue
    }
    const first = by_number.get(contact.phone_number)
    if (first !== undefined) repeats.push({ row_number, first })
    else {
      by_number.set(contact.phone_number, row_number)
      firsts.push({ row_number, contact })
    }
  }

  const repeated = (row_number: number, first: number, contact_id: string | null) =>
    set(row_number, 'skipped', { reason: `Row ${first} has the same phone number.`, contact_id })

  return {
    firsts,
    outcomes: {
      repeated,
      /** Without a contact when it is only tried out. */
      created: (row_number: number, contact: Contact | undefined) =>
        set(row_number, 'created', {
          contact_id: contact?.id ?? null,
          written_at: contact?.updated_at ?? null,
        }),
      /** Gives the changes to make of contacts that were there before. */
      known(
        known: Map<number, string>,
        met: Met,
        held: Map<string, Contact>,
        on_conflict: Import['on_conflict'],
      ): Change[] {
        return firsts.flatMap(({ row_number, contact }): Change[] => {
          const id = known.get(row_number)
          if (id === undefined) return []
          const earlier = met.get(id)
          const before = held.get(id)
          const change = before && differing(contact, before)
          if (earlier !== undefined) repeated(row_number, earlier, id)
          else if (on_conflict === 'skip' || !before)
            set(row_number, 'skipped', { reason: known_already, contact_id: id })
          else if (!change) set(row_number, 'skipped', { reason: nothing_new, contact_id: id })
          else {
            set(row_number, 'updated', { contact_id: id, before: picked(before, change) })
            contact_ids.set(row_number, id)
            return [{ id, change, is_current: () => true }]
          }
          return []
        })
      },
      /** All rows in their order, once the changes are made. */
      rows(changed: Contact[]): Row[] {
        const written = new Map(changed.map(({ id, updated_at }) => [id, updated_at]))
        for (const [row_number, id] of contact_ids) {
          const row = rows.get(row_number)
          if (row) row.written_at = written.get(id) ?? null
        }
        for (const { row_number, first } of repeats) repeated(row_number, first, rows.get(first)?.contact_id ?? null)
        return [...rows.values()].sort((left, right) => left.row_number - right.row_number)
      },
    },
  }
}

const picked = (before: Contact, change: ContactChange): Partial<Contact> =>
  Object.fromEntries(Object.entries(before).filter(([name]) => name in change))
