import type { At } from '../kit/at.ts'
import { csvLine } from '../kit/csv.ts'
import { letOthersRun } from '../kit/let-others-run.ts'
import * as page from '../kit/postgres/page.ts'
import { rowByKey } from '../kit/postgres/row-by-key.ts'
import { raw, sql } from '../kit/postgres/sql.ts'
import { assertCrmFilterIsComplete, selectChunk } from './filters.ts'
import { columns, members } from './rows.ts'
import {
  type Contact,
  type ContactFilters,
  type CustomFields,
  customField,
  customFieldPath,
  parseSort,
} from './schema.ts'
import { formatTags } from './tags.ts'

/**
 * The number of contacts in a chunk, which is kept in memory while the client doesn't read. The custom fields of one
 * contact may have 100 kB.
 */
const contacts_per_chunk = { first: 10, without_custom_fields: 1_000, with_custom_fields: 100 }
/** The next chunk has as many contacts as had this many characters in the last one. Longer chunks are sent in pieces. */
const chunk_length = 500_000
/** This many custom fields have columns. Those that sort behind have none. */
const columns_max = 1_000

/**
 * Yields all contacts that match, as CSV in chunks. Each chunk is a separate statement that continues after the last
 * contact, so that a slow client holds no connection and no snapshot.
 */
export async function* exportCsv(at: At, query: ContactFilters): AsyncGenerator<string> {
  assertCrmFilterIsComplete(query)
  const { db, workspace } = at
  const names = await customFieldNames(at)
  const sort = parseSort(query.sort)
  const order = page.orderBy(sort)
  const limit_max = contacts_per_chunk[names.length > 0 ? 'with_custom_fields' : 'without_custom_fields']
  let limit = contacts_per_chunk.first
  let lines = csvLine([...exported, ...names.map(customFieldPath)])
  let last: Contact | undefined
  do {
    const after = last && { value: last[sort.column as keyof Contact] as string | null, id: last.id }
    const chunk = selectChunk(workspace, query, { after, limit })
    const rows: Contact[] = await db.many<Contact>(
      sql`select ${columns} from (select id as page_id from (${chunk}) as chunk) as page
        cross join lateral (${rowByKey('contacts', workspace, 'id', raw('page_id'))}) as contact
        order by ${order}`,
    )
    let length = 1
    for (const row of rows) {
      await letOthersRun()
      const line = formatContact(row, names)
      length += line.length
      lines += line
      if (lines.length < chunk_length) continue
      yield lines
      lines = ''
    }
    yield lines
    lines = ''
    last = rows.length === limit ? rows.at(-1) : undefined
    limit = Math.max(1, Math.min(limit_max, Math.floor((limit * chunk_length) / length)))
  } while (last)
}

const exported = members.filter((name) => name !== 'custom_fields')

const formatContact = (contact: Contact, names: string[]): string =>
  csvLine([
    ...exported.map((name) => (name === 'tags' ? formatTags(contact.tags) : contact[name])),
    ...names.map((name) => formatCustomField(customField(contact, name))),
  ])

const formatCustomField = (value: CustomFields[string] | undefined): string | null =>
  value === undefined ? null : String(value)

/** The names of all custom fields in the workspace, sorted. Each is found by the index, after the last row of the one before. */
async function customFieldNames({ db, workspace }: At): Promise<string[]> {
  const names: string[] = []
  for (let after = ''; names.length < columns_max; ) {
    const next = await db.maybe<{ field: string }>(
      sql`select field from contact_custom_fields where workspace_id = ${workspace} and field > ${after}
        order by field limit 1`,
    )
    if (!next) break
    const name = next.field.slice(0, next.field.indexOf(':'))
    names.push(name)
    // The next name is searched from the character after the colon, because a name that continues this one sorts behind
    // it.
    after = `${name};`
  }
  return names.sort()
}
