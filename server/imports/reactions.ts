import * as contacts from '../contacts/store.ts'
import { type At, on, type Reaction } from '../kit/at.ts'
import { named, namesIn } from '../kit/postgres/names.ts'
import { raw, sql } from '../kit/postgres/sql.ts'

export const reactions: Reaction[] = [
  named('import', namesIn(raw('imports'), raw('file_name'))),
  on(contacts.deleted, redactRows),
]

/** Removes the rows of deleted contacts from uploaded files. The report keeps the contacts' ids. */
async function redactRows({ db, workspace }: At, deleted: contacts.DeletedContact[]): Promise<void> {
  const contact_ids = deleted.map(({ id }) => id)
  const rows = sql`import_rows where workspace_id = ${workspace} and contact_id = any(${contact_ids}::uuid[])`
  await Promise.all([
    db.run(
      sql`update import_chunks as chunk
        set rows = (select json_agg(case when ordinal - 1 + chunk.first_row = any(deleted.row_numbers) then null else cells end
            order by ordinal)
          from json_array_elements(chunk.rows) with ordinality as listed (cells, ordinal))
        from (select file_id, first_row, array_agg(row_number) as row_numbers
            from (select import_id, row_number from ${rows}) as imported
            join imports on imports.workspace_id = ${workspace} and imports.id = import_id
            cross join lateral (select first_row from import_chunks
              where workspace_id = ${workspace} and file_id = imports.file_id and first_row <= row_number
              order by first_row desc limit 1) as containing
            group by file_id, first_row) as deleted
        where chunk.workspace_id = ${workspace} and chunk.file_id = deleted.file_id and chunk.first_row = deleted.first_row`,
    ),
    db.run(
      sql`update import_rows set before = null
        where workspace_id = ${workspace} and contact_id = any(${contact_ids}::uuid[]) and before is not null`,
    ),
  ])
}
