import type { InWorkspace } from '../kit/at.ts'
import * as clock from '../kit/clock.ts'
import { type Sql, sql } from '../kit/postgres/sql.ts'
import type { Row } from './rows.ts'

/** By SMS no answer to the question within this time means yes. A contact is asked once in this time. */
export const question_ms = clock.day_ms

type Asked = Pick<Row, 'status' | 'turn_count' | 'opt_out_asked_at' | 'opt_out_asked_seq'>

/** Whether the last turn asks whether the contact wants no more calls and messages. */
export const isAsked = ({ status, turn_count, opt_out_asked_seq }: Asked): boolean =>
  status !== 'closed' && opt_out_asked_seq === turn_count

/** When no answer begins to mean yes. Undefined if nothing is asked, and where silence means nothing. */
export const mustAnswerBy = (row: Asked & Pick<Row, 'kind'>): number | undefined =>
  row.kind === 'sms' && isAsked(row) && row.opt_out_asked_at !== null
    ? clock.parse(row.opt_out_asked_at) + question_ms
    : undefined

/** Returns the contacts of these with whom the question is open. By SMS it is open until what silence means is written. */
export const findAsked = (at: AtNow, contact_ids: string[]): Promise<Set<string>> =>
  findContacts(
    at,
    contact_ids,
    sql`opt_out_asked_seq = turn_count and status <> 'closed' and not is_test
      and (kind = 'sms' or opt_out_asked_at > ${clock.iso(at.now - question_ms)})`,
  )

/** Whether the contact was asked within a day, in any conversation. */
export const wasAskedLately = async (at: AtNow, contact_id: string): Promise<boolean> =>
  (await findContacts(at, [contact_id], sql`opt_out_asked_at > ${clock.iso(at.now - question_ms)}`)).size > 0

type AtNow = InWorkspace & { now: number }

async function findContacts({ db, workspace }: AtNow, contact_ids: string[], which: Sql): Promise<Set<string>> {
  const found = await db.many<{ contact_id: string }>(
    sql`select distinct contact_id from conversations
      where workspace_id = ${workspace} and contact_id = any(${contact_ids}::uuid[]) and opt_out_asked_at is not null and ${which}`,
  )
  return new Set(found.map(({ contact_id }) => contact_id))
}
