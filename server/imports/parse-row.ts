import { parseContact } from '../contacts/parse.ts'
import type { NewContact } from '../contacts/schema.ts'
import { memberFaults } from '../conversations/begin.ts'
import type { Cells } from './files.ts'
import { isVariable, nameOf } from './match-columns.ts'
import { cells_max } from './parse-csv.ts'
import type { Import, MappedField } from './schema.ts'

/** The contact in a row, or the reason why the row is refused. */
export interface ParsedRow {
  row_number: number
  contact?: NewContact
  /** The variables that the enrollment in the campaign of the import gets. */
  variables?: Record<string, string> | undefined
  reason?: string
}

/** Matches values before which the export puts an apostrophe, because a spreadsheet would run them as a formula. */
const escaped_formula = /^'+[=+\-@\t\r]/

/** Returns a function that parses rows with the mapping of the import. */
export function rowParser({
  columns,
  mapping,
  default_country,
}: Pick<Import, 'columns' | 'mapping' | 'default_country'>): (cells: Cells, row_number: number) => ParsedRow {
  const mapped_columns = columns.flatMap((column, index): { field: MappedField; index: number }[] => {
    const field = mapping[column]
    return field ? [{ field, index }] : []
  })
  const { of_enrollment = [], of_contact = [] } = Object.groupBy(mapped_columns, ({ field }) =>
    isVariable(field) ? 'of_enrollment' : 'of_contact',
  )

  return (cells, row_number) => {
    if (!cells) return { row_number, reason: 'The contact of this row was deleted.' }
    if (cells.length > cells_max) return { row_number, reason: `The row has more than ${cells_max} cells.` }
    if (cells.length > columns.length && cells.slice(columns.length).some((cell) => cell.trim() !== '')) {
      return { row_number, reason: `The row has ${cells.length} cells, but there are ${columns.length} columns.` }
    }
    const valuesOf = (some: typeof mapped_columns) =>
      some.map(({ field, index }) => [field, withoutEscape(cells[index] ?? '')] as const)
    const { contact, faults } = parseContact(Object.fromEntries(valuesOf(of_contact)), default_country)
    const variables = readVariables(valuesOf(of_enrollment))
    const all_faults = [...faults, ...memberFaults({ variables })]
    if (!contact || all_faults.length > 0)
      return { row_number, reason: all_faults.map(({ message }) => message).join(' ') }
    return { row_number, contact, variables }
  }
}

/** Reads the variables. An empty cell sets none. */
const readVariables = (values: (readonly [MappedField, string])[]): Record<string, string> =>
  Object.fromEntries(
    values.flatMap(([field, cell]) => (isVariable(field) && cell.trim() ? [[nameOf(field), cell.trim()]] : [])),
  )

const withoutEscape = (cell: string): string => (escaped_formula.test(cell) ? cell.slice(1) : cell)
