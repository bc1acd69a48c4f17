import type { At } from '../kit/at.ts'
import { csvLine } from '../kit/csv.ts'
import * as page from '../kit/postgres/page.ts'
import { rowByKey } from '../kit/postgres/row-by-key.ts'
import { raw, sql } from '../kit/postgres/sql.ts'
import { assertWholeCrmId, holds, matchesOf } from './find.ts'
import { fold } from './normalize.ts'
import { type Contact, type ExportQuery, sortOf } from './schema.ts'
import { columns } from './store.ts'
import { writeTags } from './tags.ts'

const contacts_at_once = 1_000

export const export_columns = [
  ...(['id', 'phone_number', 'first_name', 'last_name', 'display_name', 'email', 'company', 'notes', 'tags'] as const),
  ...(['source', 'first_contact_at', 'last_contact_at', 'created_at', 'updated_at'] as const),
]

/**
 * All contacts of a list as CSV, each piece from where the last one ended: it holds no connection and no snapshot while
 * the client reads. Contacts are looked through in their order, so that no piece begins the search anew.
 */
export async function* exportCsv({ db, workspace }: At, query: ExportQuery): AsyncGenerator<string> {
  assertWholeCrmId(query)
  const sort = sortOf(query.sort)
  const term = query.search === undefined ? undefined : fold(query.search) || query.search
  const searched =
    term === undefined
      ? raw('')
      : sql` and (select ${holds(term)} from contact_texts as it
    where it.workspace_id = ${workspace} and it.id = matching.id)`
  const { search: _, ...others } = query
  const matches = matchesOf(workspace, others, undefined)
  const order = page.orderBy(sort)
  const head = csvLine([...export_columns])
  let last: Contact | undefined
  let is_first = true
  do {
    const beyond = last
      ? page.after(sort, { value: last[sort.column as keyof Contact] as string | null, id: last.id })
      : raw('true')
    const rows: Contact[] = await db.many<Contact>(
      sql`select ${columns} from (select id as page_id from (${matches}) as matching
          where ${beyond}${searched} order by ${order} limit ${contacts_at_once}) as page
        cross join lateral (${rowByKey('contacts', workspace, 'id', raw('page_id'))}) as contact
        order by ${order}`,
    )
    yield (is_first ? head : '') + rows.map(lineOf).join('')
    is_first = false
    last = rows.length === contacts_at_once ? rows.at(-1) : undefined
  } while (last)
}

const lineOf = (contact: Contact): string =>
  csvLine(export_columns.map((name) => (name === 'tags' ? writeTags(contact.tags) : contact[name])))
