import { changedFields } from '../contacts/parse.ts'
import { type Contact, type ContactChange, customField, type NewContact } from '../contacts/schema.ts'
import type { ContactUpdate } from '../contacts/store.ts'
import type { ParsedRow } from './parse-row.ts'
import type { Import, Outcome } from './schema.ts'

/** The outcome of a row, as it is stored. */
export interface Row {
  row_number: number
  outcome: Outcome
  reason: string | null
  contact_id: string | null
  written_at: string | null
  /** The values that an undo restores. */
  before: ContactChange | null
}

/** The first row of a batch with its phone number. */
export interface Candidate extends Pick<ParsedRow, 'variables'> {
  row_number: number
  contact: NewContact
}

/** A candidate whose phone number a contact has already. */
export interface Match extends Candidate {
  contact_id: string
}

/** A later row of a batch with the same phone number. */
export interface Duplicate {
  row_number: number
  first_row: number
}

const number_taken = 'A contact has this phone number.'
const no_changes = 'No changes: the contact already has these values.'

/**
 * Sorts the rows of a batch. Of rows with the same number only the first is imported, whatever `on_conflict` says. So
 * an import writes a contact at most once, and an undo needs only one earlier state.
 */
export function sortRows(parsed: ParsedRow[]): { candidates: Candidate[]; duplicates: Duplicate[]; refused: Row[] } {
  const candidates: Candidate[] = []
  const duplicates: Duplicate[] = []
  const refused: Row[] = []
  const first_rows = new Map<string, number>()
  for (const { row_number, contact, variables, reason } of parsed) {
    if (!contact) {
      refused.push(newRow(row_number, 'refused', { reason: reason ?? null }))
      continue
    }
    const first_row = first_rows.get(contact.phone_number)
    if (first_row !== undefined) duplicates.push({ row_number, first_row })
    else {
      first_rows.set(contact.phone_number, row_number)
      candidates.push({ row_number, contact, variables })
    }
  }
  return { candidates, duplicates, refused }
}

/** Makes the row of a created contact. A dry run has no contact. */
export const createdRow = (row_number: number, contact?: Contact): Row =>
  newRow(row_number, 'created', { contact_id: contact?.id ?? null, written_at: contact?.updated_at ?? null })

export const duplicateRow = ({ row_number, first_row }: Duplicate, contact_id: string | null): Row =>
  newRow(row_number, 'skipped', { reason: `Row ${first_row} has the same phone number.`, contact_id })

export interface MatchOptions {
  /** The rows of earlier batches that created or matched contacts, by the ids of these contacts. */
  first_rows: Map<string, number>
  contacts: Map<string, Contact>
  on_conflict: Import['on_conflict']
}

/** Decides what happens to the contacts that exist already, and returns the changes to write. */
export function compareMatches(matches: Match[], options: MatchOptions): { rows: Row[]; changes: ContactUpdate[] } {
  const { first_rows, contacts, on_conflict } = options
  const changes: ContactUpdate[] = []
  const rows = matches.map(({ row_number, contact, contact_id }): Row => {
    const first_row = first_rows.get(contact_id)
    if (first_row !== undefined) return duplicateRow({ row_number, first_row }, contact_id)
    const before = contacts.get(contact_id)
    if (on_conflict === 'skip' || !before) return newRow(row_number, 'skipped', { reason: number_taken, contact_id })
    const change = changedFields(contact, before)
    if (!change) return newRow(row_number, 'skipped', { reason: no_changes, contact_id })
    changes.push({ id: contact_id, change, isCurrent: () => true })
    return newRow(row_number, 'updated', { contact_id, before: valuesBefore(before, change) })
  })
  return { rows, changes }
}

export interface BatchRows {
  rows: Row[]
  duplicates: Duplicate[]
  /** The updated contacts as they are now. */
  updated: Contact[]
}

/** Returns all rows of a batch in order. Duplicates get the contact of the first row, and updated rows the time of the update. */
export function completeRows({ rows, duplicates, updated }: BatchRows): Row[] {
  const by_number = new Map(rows.map((row) => [row.row_number, row]))
  const written_at = new Map(updated.map((contact) => [contact.id, contact.updated_at]))
  for (const row of rows) {
    if (row.outcome === 'updated') row.written_at = written_at.get(row.contact_id ?? '') ?? null
  }
  const duplicate_rows = duplicates.map((duplicate) =>
    duplicateRow(duplicate, by_number.get(duplicate.first_row)?.contact_id ?? null),
  )
  return [...rows, ...duplicate_rows].sort((left, right) => left.row_number - right.row_number)
}

const newRow = (row_number: number, outcome: Outcome, fields: Partial<Row>): Row => ({
  row_number,
  outcome,
  reason: null,
  contact_id: null,
  written_at: null,
  before: null,
  ...fields,
})

function valuesBefore(before: Contact, { custom_fields, ...change }: ContactChange): ContactChange {
  const values = Object.fromEntries(Object.entries(before).filter(([name]) => name in change))
  if (!custom_fields) return values
  const names = Object.keys(custom_fields)
  return {
    ...values,
    custom_fields: Object.fromEntries(names.map((name) => [name, customField(before, name) ?? null])),
  }
}
