import * as clocks from '../clocks/store.ts'
import * as consents from '../consent/store.ts'
import type { Contact } from '../contacts/schema.ts'
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
import type { Campaign } from './schema.ts'
import { readCampaign } from './stored-campaign.ts'

/** Explains what the dialer would do with an enrollment now, or at a later time if nothing else happens until then. */
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
  const [load, recent, made, refused] = await Promise.all([
    readLoad(at, campaign),
    attempts.readRecent(at, campaign.id),
    attempts.listOf(at, { enrollment_id: id, kind: campaign.kind }),
    candidate.refusal === 'opted_out' ? describeOptOut(at, candidate.contact, campaign) : undefined,
  ])
  const { verdict, rules, next_attempt_at } = explain(candidate, contextOf({ now: second, campaign, load, recent }))
  return {
    verdict,
    rules: rules.map((one) => (one.rule === 'consent' && refused ? { ...one, because: refused } : one)),
    attempts: made,
    at: clock.iso(asked_at),
    next_attempt_at: clock.isoOptional(next_attempt_at),
  }
}

/** Says when, by which words or key and in which conversation the contact has opted out. */
async function describeOptOut(
  at: At,
  { phone_number }: Contact,
  { kind }: Pick<Campaign, 'kind'>,
): Promise<string | undefined> {
  const found = await consents.findLatest(at, { kind, phone_number })
  if (found?.status !== 'revoked') return undefined
  const { rule, words, conversation_id } = found.evidence ?? {}
  const shown = rule === 'key' ? `key ${words}` : `words "${words}"`
  const by_words = typeof words === 'string' ? ` with the ${shown}` : ''
  const by = rule === 'silence' ? ', by leaving the question unanswered for a day,' : by_words
  const place = typeof conversation_id === 'string' ? ` in the conversation ${conversation_id}` : ''
  return `The contact has opted out at ${found.created_at}${by}${place}.`
}
