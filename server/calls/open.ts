import type { At } from '../kit/at.ts'
import * as clock from '../kit/clock.ts'
import { sql } from '../kit/postgres/sql.ts'
import { select } from './rows.ts'

/**
 * Until when calls with these numbers go on: Infinity when that is not known. Calls of a test workspace run ahead of its clock,
 * and go on until the time at which they have ended.
 */
export async function readOpenUntil({ db, workspace, now }: At, phone_numbers: string[]): Promise<Map<string, number>> {
  const open = await select(['to', 'ended_at']).many(
    db,
    sql`from calls
      where workspace_id = ${workspace} and to_number = any(${phone_numbers}::text[])
        and (status in ('queued', 'ringing', 'in_progress') or (is_test and ended_at > ${clock.iso(now)}))
      order by to_number, ended_at`,
  )
  return new Map(
    open.map(({ to, ended_at }) => [to ?? '', ended_at ? clock.parse(ended_at) : Number.POSITIVE_INFINITY]),
  )
}
