import type { At } from '../kit/at.ts'
import { csvLine } from '../kit/csv.ts'
import { raw, sql } from '../kit/postgres/sql.ts'
import type { Consent } from './schema.ts'

const entries_per_chunk = 1_000

export const export_columns = ['id', 'contact_id', 'kind', 'status', 'source', 'evidence', 'created_at'] as const

/** Yields all entries in the order of the ledger, as CSV in chunks. A slow client holds no connection and no snapshot. */
export async function* exportCsv({ db, workspace }: At): AsyncGenerator<string> {
  let header = csvLine([...export_columns])
  let last_seq = 0
  let rows: (Consent & { seq: number })[]
  do {
    rows = await db.many<Consent & { seq: number }>(
      sql`select ${raw(export_columns.join(', '))}, seq from consents
        where workspace_id = ${workspace} and seq > ${last_seq} order by seq limit ${entries_per_chunk}`,
    )
    yield header + rows.map(formatEntry).join('')
    header = ''
    last_seq = rows.at(-1)?.seq ?? last_seq
  } while (rows.length === entries_per_chunk)
}

const formatEntry = (entry: Consent): string =>
  csvLine(
    export_columns.map((name) =>
      name === 'evidence' ? entry.evidence && JSON.stringify(entry.evidence) : entry[name],
    ),
  )
