import type { At } from '../kit/at.ts'
import { csvLine } from '../kit/csv.ts'
import * as page from '../kit/postgres/page.ts'
import { raw, type Sql, sql } from '../kit/postgres/sql.ts'
import { notFound } from '../kit/problem.ts'
import { truncate } from '../kit/text.ts'
import * as files from './files.ts'
import { cells_max } from './parse-csv.ts'
import { type ImportRow, type Outcome, type RowQuery, shown_length_max } from './schema.ts'

const rows_per_batch = 1_000
const by_row_number: page.Sort = {
  name: 'row_number',
  column: 'row_number',
  is_descending: false,
  is_nullable: false,
  is_ordinal: true,
}

/** The shown columns. Rows have no stored id: it is made from the import's id and the row number. */
const selected = raw(`(left(import_id::text, 24) || lpad(to_hex(row_number), 12, '0'))::uuid as id,
  row_number, outcome, reason, contact_id`)

interface ReportedImport extends Record<Outcome, number> {
  file_id: string | null
  columns: string[]
  done: number
}

type RowWithoutValues = Omit<ImportRow, 'values'>

export async function list(at: At, { id, query }: { id: string; query: RowQuery }): Promise<page.Page<ImportRow>> {
  const { db, workspace } = at
  const reported = await getImport(at, id)
  const rows = selectRows(workspace, id, query.outcome)
  const found = await page.read(query, by_row_number, async (range) => {
    const found_rows = await db.many<RowWithoutValues>(range.rows(rows, selected))
    return { rows: found_rows, total: countRows(reported, query.outcome) }
  })
  const cells_by_row = new Map<number, files.Cells>()
  for await (const some of files.readCells(at, { id: reported.file_id, rows: found.data }))
    for (const { row, cells } of some) cells_by_row.set(row.row_number, cells)
  const data = found.data.map((row) => ({ ...row, values: toValues(reported, cells_by_row.get(row.row_number)) }))
  return { ...found, data }
}

/**
 * Writes the uploaded rows with the reason as an extra column. Cells beyond the columns follow that, without a column
 * name.
 */
export async function* listCsv(
  at: At,
  { id, outcome }: { id: string; outcome: Outcome | undefined },
): AsyncGenerator<string> {
  const { db, workspace } = at
  const reported = await getImport(at, id)
  const header = csvLine([...reported.columns, 'reason'])
  const rows = selectRows(workspace, id, outcome)
  let last = 0
  for (let is_first = true; is_first || last > 0; is_first = false) {
    const batch: RowWithoutValues[] = await db.many<RowWithoutValues>(
      sql`select ${selected} from (${rows}) as own_rows where row_number > ${last} order by row_number limit ${rows_per_batch}`,
    )
    if (is_first) yield header
    for await (const some of files.readCells(at, { id: reported.file_id, rows: batch }))
      yield some.map(({ row, cells }) => toCsvLine(reported, cells, row.reason)).join('')
    last = batch.length === rows_per_batch ? (batch.at(-1)?.row_number ?? 0) : 0
  }
}

async function getImport({ db, workspace }: At, id: string): Promise<ReportedImport> {
  const reported = await db.maybe<ReportedImport>(
    sql`select file_id, columns, done, created, updated, skipped, refused from imports
      where workspace_id = ${workspace} and id = ${id}`,
  )
  if (!reported) throw notFound()
  return reported
}

/** Returns the number of rows, which the import counts in the transactions that store them. */
const countRows = (reported: ReportedImport, outcome: Outcome | undefined): number =>
  reported.file_id === null ? 0 : outcome === undefined ? reported.done : reported[outcome]

/** Selects rows. The outcome is part of the statement's text, so that the planner can use the partial index. */
function selectRows(workspace: string, id: string, outcome: Outcome | undefined): Sql {
  const all = sql`select * from import_rows where workspace_id = ${workspace} and import_id = ${id}`
  return outcome === undefined ? all : sql`${all} and ${raw(`outcome = '${outcome}'`)}`
}

function toCsvLine({ columns }: ReportedImport, cells: files.Cells, reason: string | null): string {
  const extra = cells?.slice(columns.length, cells_max) ?? []
  const count = extra.findLastIndex((cell) => cell.trim() !== '') + 1
  return csvLine([...columns.map((_, index) => cells?.[index] ?? ''), reason, ...extra.slice(0, count)])
}

function toValues({ columns }: ReportedImport, cells: files.Cells | undefined): Record<string, string> {
  if (!cells) return {}
  let left = shown_length_max
  const shown = columns.map((column, index) => {
    const text = truncate(cells[index] ?? '', left)
    left -= text.length
    return [column, text]
  })
  return Object.fromEntries(shown)
}
