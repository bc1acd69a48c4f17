import { parseContact } from '../contacts/parse.ts'
import type { Field, NewContact } from '../contacts/schema.ts'
import type { Cells } from './files.ts'
import { cells_max } from './parse-csv.ts'
import type { Import } from './schema.ts'

/** The contact in a row, or the reason why the row is refused. */
export interface ParsedRow {
  row_number: number
  contact?: NewContact
  reason?: string
}

/** The export puts an apostrophe before values that a spreadsheet would run as a formula. */
const escaped_formula = /^'+[=+\-@\t\r]/

/** Returns a function that parses rows with the mapping of the import. */
export function rowParser({
  columns,
  mapping,
  default_country,
}: Pick<Import, 'columns' | 'mapping' | 'default_country'>): (cells: Cells, row_number: number) => ParsedRow {
  const mapped_columns = columns.flatMap((column, index): { field: Field; index: number }[] => {
    const field = mapping[column]
    return field ? [{ field, index }] : []
  })

  return (cells, row_number) => {
    if (!cells) return { row_number, reason: 'The contact of this row was deleted.' }
    if (cells.length > cells_max) return { row_number, reason: `The row has more than ${cells_max} cells.` }
    if (cells.length > columns.length && cells.slice(columns.length).some((cell) => cell.trim() !== '')) {
      return { row_number, reason: `The row has ${cells.length} cells, but there are ${columns.length} columns.` }
    }
    const values = mapped_columns.map(({ field, index }) => [field, withoutEscape(cells[index] ?? '')])
    const { contact, faults } = parseContact(Object.fromEntries(values), default_country)
    if (!contact) return { row_number, reason: faults.map(({ message }) => message).join(' ') }
    return { row_number, contact }
  }
}

const withoutEscape = (cell: string): string => (escaped_formula.test(cell) ? cell.slice(1) : cell)
