import type { At, InWorkspace } from '../kit/at.ts'
import * as clock from '../kit/clock.ts'
import { sql } from '../kit/postgres/sql.ts'
import type { Row } from './rows.ts'

/** By SMS no answer to the question within this time means yes. In a conversation it is asked once in this time. */
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

export const wasAskedLately = ({ now }: At, { opt_out_asked_at }: Asked): boolean =>
  opt_out_asked_at !== null && clock.parse(opt_out_asked_at) + question_ms > now

/** Until when these contacts may answer the question. Contacts without an open question are left out. */
export async function findAsked(
  { db, workspace, now }: InWorkspace & { now: number },
  contact_ids: string[],
): Promise<Map<string, number>> {
  const found = await db.many<{ contact_id: string; asked_at: string }>(
    sql`select contact_id, max(opt_out_asked_at) as asked_at from conversations
      where workspace_id = ${workspace} and contact_id = any(${contact_ids}::uuid[])
        and opt_out_asked_at > ${clock.iso(now - question_ms)} and opt_out_asked_seq = turn_count and status <> 'closed'
      group by contact_id`,
  )
  return new Map(found.map(({ contact_id, asked_at }) => [contact_id, clock.parse(asked_at) + question_ms]))
}
