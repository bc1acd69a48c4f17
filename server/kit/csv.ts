/**
 * What a spreadsheet might take for a formula gets an apostrophe before it, which it shows as plain text. So does what
 * has one already: who reads it back takes one away.
 */
const formula = /^'*[=+\-@\t\r]/
/** A number with its plus is no formula, and other programs want it as it is. */
const plain_number = /^\+\d+$/

/** One line of a CSV file, as RFC 4180 writes it. */
export const csvLine = (cells: (string | null)[]): string => `${cells.map(csvCell).join(',')}\r\n`

function csvCell(cell: string | null): string {
  if (cell === null) return ''
  const text = formula.test(cell) && !plain_number.test(cell) ? `'${cell}` : cell
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}
