import { isPhoneNumber, NewContact, readPhoneNumber } from '../contacts/schema.ts'
import { type Schema, validate } from '../kit/validate.ts'
import type { Cells } from './files.ts'
import type { Field, Import } from './schema.ts'

/** What a row asks for: a contact with the fields that it gives, or why it can't be one. */
export interface Planned {
  row_number: number
  contact?: NewContact
  reason?: string
}

/** As our own export writes what a spreadsheet might take for a formula. */
const harmless_formula = /^'[=+\-@\t\r]/

/** Reads rows as the import's mapping says. */
export function planner({
  columns,
  mapping,
  default_country,
}: Pick<Import, 'columns' | 'mapping' | 'default_country'>): (cells: Cells, row_number: number) => Planned {
  const places = columns.flatMap((column, place): { field: Field; place: number }[] => {
    const field = mapping[column]
    return field ? [{ field, place }] : []
  })

  return (cells, row_number) => {
    if (!cells) return { row_number, reason: 'The contact of this row was deleted.' }
    if (cells.length > columns.length && cells.slice(columns.length).some((cell) => cell.trim() !== '')) {
      return { row_number, reason: `The row has ${cells.length} cells, but there are ${columns.length} columns.` }
    }
    const said: Partial<Record<Field, unknown>> = {}
    for (const { field, place } of places) {
      const text = textOf(cells[place] ?? '')
      if (text !== '') said[field] = fieldOf(field, text, default_country)
    }
    const { value, faults } = validate(NewContact as Schema, said)
    if (faults.length > 0) return { row_number, reason: faults.map(({ message }) => message).join(' ') }
    // It has passed the schema that the type comes from.
    return { row_number, contact: value as NewContact }
  }
}

function textOf(cell: string): string {
  const text = harmless_formula.test(cell) ? cell.slice(1) : cell
  return text.trim()
}

function fieldOf(field: Field, text: string, default_country: string | null): unknown {
  if (field === 'tags') return text.split(/[,;|]/).flatMap((tag) => tag.trim() || [])
  if (field !== 'phone_number' || isPhoneNumber(text)) return text
  return readPhoneNumber(text, default_country) ?? text
}
