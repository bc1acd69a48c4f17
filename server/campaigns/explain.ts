import * as clocks from '../clocks/store.ts'
import type { At } from '../kit/at.ts'
import * as clock from '../kit/clock.ts'
import { isId } from '../kit/id.ts'
import { sql } from '../kit/postgres/sql.ts'
import { invalid, notFound } from '../kit/problem.ts'
import * as attempts from './dial/attempts.ts'
import { readOne } from './dial/candidates.ts'
import { readLoad } from './dial/load.ts'
import type { Explanation } from './explain-schema.ts'
import { contextOf } from './plan/context.ts'
import { explain } from './plan/rules.ts'
import { readCampaign } from './stored-campaign.ts'

/** What the dialer would do with an enrollment now, or at a later time if nothing else happens until then. */
export async function explainEnrollment(
  at: At,
  { id, time }: { id: string; time: string | undefined },
): Promise<Explanation> {
  const { db, workspace, now } = at
  const found = isId(id)
    ? await db.maybe<{ campaign_id: string }>(
        sql`select campaign_id from enrollments where workspace_id = ${workspace} and id = ${id}`,
      )
    : undefined
  const campaign = found && (await readCampaign(at, sql`workspace_id = ${workspace} and id = ${found.campaign_id}`))
  const candidate = campaign && (await readOne(at, campaign, sql`id = ${id}`))
  if (!campaign || !candidate) throw notFound()
  const asked_at = time === undefined ? now : clock.parse(time)
  if (asked_at < now) throw invalid([{ path: 'at', code: 'minimum', message: 'at must not be in the past.' }])
  if (!clocks.isValidTime(asked_at))
    throw invalid([{ path: 'at', code: 'maximum', message: 'at must not be after the year 9998.' }])
  const second = clock.floorTo(asked_at, clock.second_ms)
  const [load, recent, made] = await Promise.all([
    readLoad(at, campaign),
    attempts.readRecent(at, campaign.id),
    attempts.listOf(at, { enrollment_id: id, kind: campaign.kind }),
  ])
  const { verdict, rules, next_attempt_at } = explain(candidate, contextOf({ now: second, campaign, load, recent }))
  return {
    verdict,
    rules,
    attempts: made,
    at: clock.iso(asked_at),
    next_attempt_at: clock.isoOptional(next_attempt_at),
  }
}
