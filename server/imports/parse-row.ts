import { parseContact } from '../contacts/parse.ts'
import type { Field, NewContact } from '../contacts/schema.ts'
import type { Cells } from './files.ts'
import { cells_max } from './parse-csv.ts'
import type { Import } from './schema.ts'

/** What a row asks for: a contact with the fields that it gives, or why it can't be one. */
export interface Planned {
  row_number: number
  contact?: NewContact
  reason?: string
}

/** As our own export writes what a spreadsheet might take for a formula. */
const harmless_formula = /^'+[=+\-@\t\r]/

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
    if (cells.length > cells_max) return { row_number, reason: `The row has more than ${cells_max} cells.` }
    if (cells.length > columns.length && cells.slice(columns.length).some((cell) => cell.trim() !== '')) {
      return { row_number, reason: `The row has ${cells.length} cells, but there are ${columns.length} columns.` }
    }
    const said = places.map(({ field, place }) => [field, textOf(cells[place] ?? '')])
    const { contact, faults } = parseContact(Object.fromEntries(said), default_country)
    if (!contact) return { row_number, reason: faults.map(({ message }) => message).join(' ') }
    return { row_number, contact }
  }
}

function textOf(cell: string): string {
  return harmless_formula.test(cell) ? cell.slice(1) : cell
}
