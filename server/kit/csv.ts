/**
 * Text that a spreadsheet could run as a formula gets a leading apostrophe, which makes it plain text. So does text that
 * already has the apostrophe, so that an import can remove exactly one.
 */
const formula = /^'*[=+\-@\t\r]/
/** A number with a plus sign is no formula, and other programs expect it unchanged. */
const plain_number = /^\+\d+$/

/** Formats one line of a CSV file by RFC 4180. */
export const csvLine = (cells: (string | null)[]): string => `${cells.map(csvCell).join(',')}\r\n`

function csvCell(cell: string | null): string {
  if (cell === null) return ''
  const text = formula.test(cell) && !plain_number.test(cell) ? `'${cell}` : cell
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}
