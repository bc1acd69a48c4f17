import type { At } from '../kit/at.ts'
import { csvLine } from '../kit/csv.ts'
import * as page from '../kit/postgres/page.ts'
import { raw, type Sql, sql } from '../kit/postgres/sql.ts'
import { notFound } from '../kit/problem.ts'
import { cut } from '../kit/text.ts'
import * as files from './files.ts'
import { cells_max } from './parse-csv.ts'
import { type ImportRow, type Outcome, type RowQuery, shown_length_max } from './schema.ts'

const rows_at_once = 1_000
const by_row_number: page.Sort = {
  name: 'row_number',
  column: 'row_number',
  is_descending: false,
  is_nullable: false,
  is_ordinal: true,
}

/** An id for each row that need not be kept: the import's, with the row's number at its end. */
const selected = raw(`(left(import_id::text, 24) || lpad(to_hex(row_number), 12, '0'))::uuid as id,
  row_number, outcome, reason, contact_id`)

interface Source extends Record<Outcome, number> {
  file_id: string | null
  columns: string[]
  done: number
}

type Noted = Omit<ImportRow, 'values'>

export async function list(at: At, { id, query }: { id: string; query: RowQuery }): Promise<page.Page<ImportRow>> {
  const { db, workspace } = at
  const source = await sourceOf(at, id)
  const rows = rowsOf(workspace, id, query.outcome)
  const found = await page.read(query, by_row_number, async (cut) => {
    const noted = await db.many<Noted>(cut.rows(rows, selected))
    return { rows: noted, total: totalOf(source, query.outcome) }
  })
  const texts = new Map<number, files.Cells>()
  for await (const some of files.readCells(at, { id: source.file_id, rows: found.data }))
    for (const { row, cells } of some) texts.set(row.row_number, cells)
  const data = found.data.map((row) => ({ ...row, values: valuesOf(source, texts.get(row.row_number)) }))
  return { ...found, data }
}

/** The rows as they came, with the reason in a column more. Cells beyond the columns stand after it, under no name. */
export async function* listCsv(
  at: At,
  { id, outcome }: { id: string; outcome: Outcome | undefined },
): AsyncGenerator<string> {
  const { db, workspace } = at
  const source = await sourceOf(at, id)
  const head = csvLine([...source.columns, 'reason'])
  const rows = rowsOf(workspace, id, outcome)
  let last = 0
  for (let is_first = true; is_first || last > 0; is_first = false) {
    const noted: Noted[] = await db.many<Noted>(
      sql`select ${selected} from (${rows}) as own where row_number > ${last} order by row_number limit ${rows_at_once}`,
    )
    if (is_first) yield head
    for await (const some of files.readCells(at, { id: source.file_id, rows: noted }))
      yield some.map(({ row, cells }) => lineOf(source, cells, row.reason)).join('')
    last = noted.length === rows_at_once ? (noted.at(-1)?.row_number ?? 0) : 0
  }
}

async function sourceOf({ db, workspace }: At, id: string): Promise<Source> {
  const source = await db.maybe<Source>(
    sql`select file_id, columns, done, created, updated, skipped, refused from imports
      where workspace_id = ${workspace} and id = ${id}`,
  )
  if (!source) throw notFound()
  return source
}

/** The import has counted them, in the transactions that noted them. */
const totalOf = (source: Source, outcome: Outcome | undefined): number =>
  source.file_id === null ? 0 : outcome === undefined ? source.done : source[outcome]

/** Of one outcome: so that the planner sees that the index for all but the created serves it. */
function rowsOf(workspace: string, id: string, outcome: Outcome | undefined): Sql {
  const all = sql`select * from import_rows where workspace_id = ${workspace} and import_id = ${id}`
  return outcome === undefined ? all : sql`${all} and ${raw(`outcome = '${outcome}'`)}`
}

function lineOf({ columns }: Source, cells: files.Cells, reason: string | null): string {
  const more = cells?.slice(columns.length, cells_max) ?? []
  const count = more.findLastIndex((cell) => cell.trim() !== '') + 1
  return csvLine([...columns.map((_, place) => cells?.[place] ?? ''), reason, ...more.slice(0, count)])
}

function valuesOf({ columns }: Source, cells: files.Cells | undefined): Record<string, string> {
  if (!cells) return {}
  let left = shown_length_max
  const shown = columns.map((column, place) => {
    const text = cut(cells[place] ?? '', left)
    left -= text.length
    return [column, text]
  })
  return Object.fromEntries(shown)
}
