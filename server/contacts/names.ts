import type { InWorkspace } from '../kit/at.ts'
import { namesIn } from '../kit/postgres/names.ts'
import { raw } from '../kit/postgres/sql.ts'

export const readContactNames = namesIn(
  raw('contacts'),
  raw("coalesce(display_name, nullif(concat_ws(' ', first_name, last_name), ''), phone_number)"),
)

/** Names conversations and calls after their contacts. */
export async function nameByContact(
  at: InWorkspace,
  rows: { id: string; contact_id: string | null }[],
): Promise<{ id: string; name: string | null }[]> {
  const ids = [...new Set(rows.flatMap(({ contact_id }) => contact_id ?? []))]
  const names = new Map(ids.length > 0 ? (await readContactNames(at, ids)).map(({ id, name }) => [id, name]) : [])
  return rows.map(({ id, contact_id }) => ({ id, name: names.get(contact_id ?? '') ?? null }))
}
