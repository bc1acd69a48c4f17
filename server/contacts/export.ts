import type { At } from '../kit/at.ts'
import { csvLine } from '../kit/csv.ts'
import * as page from '../kit/postgres/page.ts'
import { rowByKey } from '../kit/postgres/row-by-key.ts'
import { raw, sql } from '../kit/postgres/sql.ts'
import { assertCrmFilterIsComplete, selectChunk } from './filters.ts'
import { columns, members } from './rows.ts'
import { type Contact, type ContactFilters, parseSort } from './schema.ts'
import { formatTags } from './tags.ts'

const contacts_per_chunk = 1_000

/**
 * Yields all contacts that match, as CSV in chunks. Each chunk is a separate statement that continues after the last
 * contact, so that a slow client holds no connection and no snapshot.
 */
export async function* exportCsv({ db, workspace }: At, query: ContactFilters): AsyncGenerator<string> {
  assertCrmFilterIsComplete(query)
  const sort = parseSort(query.sort)
  const order = page.orderBy(sort)
  let header = csvLine(members)
  let last: Contact | undefined
  do {
    const after = last && { value: last[sort.column as keyof Contact] as string | null, id: last.id }
    const chunk = selectChunk(workspace, query, { after, limit: contacts_per_chunk })
    const rows: Contact[] = await db.many<Contact>(
      sql`select ${columns} from (select id as page_id from (${chunk}) as chunk) as page
        cross join lateral (${rowByKey('contacts', workspace, 'id', raw('page_id'))}) as contact
        order by ${order}`,
    )
    yield header + rows.map(formatContact).join('')
    header = ''
    last = rows.length === contacts_per_chunk ? rows.at(-1) : undefined
  } while (last)
}

const formatContact = (contact: Contact): string =>
  csvLine(members.map((name) => (name === 'tags' ? formatTags(contact.tags) : contact[name])))
