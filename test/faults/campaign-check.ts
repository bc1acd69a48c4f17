import assert from 'node:assert/strict'
import * as clock from '../../server/kit/clock.ts'
import { type Sql, sql } from '../../server/kit/postgres/sql.ts'
import { type LoggedDial, readDials } from '../peers/voice-carrier.ts'
import { findViolations } from '../support/dial-check.ts'
import { quiet_hours, type World } from './campaign-world.ts'

/** How long after the dialer has decided a number may be dialled. */
const late_ms = 2_000

interface Attempt {
  id: string
  campaign_id: string
  enrollment_id: string
  attempt: number
  at: string
  ended_at: string | null
  outcome: string | null
  to: string
  dial_key: string
  started_at: string | null
}

interface Enrollment {
  id: string
  status: string
  attempts: number
  last_outcome: string | null
  outcomes: Record<string, number>
  due_at: string | null
}

export interface Counts {
  dials: number
  attempts: number
  unknown: number
  /** Ended before they were dialled. */
  not_dialed: number
  in_doubt: number
}

/** Compares what the service knows with the carrier's log. With `is_settled` no attempt may be going on. */
export async function checkWorld(world: World, { is_settled }: { is_settled: boolean }): Promise<Counts> {
  const dials = readDials(world.log)
  const attempts = await readAttempts(world)
  const counts = checkAttempts(dials, attempts, is_settled)
  await checkEnrollments(world, attempts)
  await checkCounts(world)
  checkTimes(world, dials, attempts)
  checkPacing(world, dials, attempts)
  return counts
}

const readAttempts = ({ pool, tenant: { workspace } }: World): Promise<Attempt[]> =>
  pool.many<Attempt>(
    sql`select attempt.id, attempt.campaign_id, enrollment_id, attempt.attempt, at, attempt.ended_at, attempt.outcome,
        to_number as "to", dial_key, started_at
      from campaign_attempts as attempt left join calls on calls.workspace_id = ${workspace} and calls.id = attempt.id
      where attempt.workspace_id = ${workspace} order by at, attempt.id`,
  )

/** Each dial is one attempt, and each attempt one dial, unless it ended before it was dialled or its outcome is unknown. */
function checkAttempts(dials: LoggedDial[], attempts: Attempt[], is_settled: boolean): Counts {
  const by_id = new Map(attempts.map((attempt) => [attempt.id, attempt]))
  const dialed = new Set(dials.map(({ call_id }) => call_id))
  assert.equal(dialed.size, dials.length, 'no call was dialled twice')
  assert.equal(new Set(attempts.map(({ dial_key }) => dial_key)).size, attempts.length, 'each attempt has its own call')
  for (const { call_id, to } of dials) assert.equal(by_id.get(call_id)?.to, to, `${call_id} was dialled for an attempt`)
  const counts: Counts = { dials: dials.length, attempts: attempts.length, unknown: 0, not_dialed: 0, in_doubt: 0 }
  for (const attempt of attempts) {
    const { id, enrollment_id, ended_at, outcome, started_at } = attempt
    assert.equal(attempt.dial_key, `${enrollment_id}:${attempt.attempt}`)
    assert.equal(ended_at === null, outcome === null, `${id} has an outcome when it has ended`)
    if (is_settled) assert.ok(ended_at !== null, `${id} has not ended: ${JSON.stringify(attempt)}`)
    if (dialed.has(id)) assert.ok(started_at !== null, `${id} was dialled before it was marked as started`)
    else if (ended_at === null) counts.in_doubt += 1
    else if (started_at === null) counts.not_dialed += 1
    else {
      assert.equal(outcome, 'unknown', `${id} is not at the carrier`)
      counts.unknown += 1
    }
  }
  const missing = counts.unknown + counts.not_dialed + counts.in_doubt
  assert.equal(counts.dials + missing, counts.attempts, 'none is lost')
  return counts
}

const open_statuses = ['dialing', 'in_progress']
const waiting_statuses = ['pending', 'waiting']

async function checkEnrollments({ pool, tenant: { workspace } }: World, all: Attempt[]): Promise<void> {
  const enrollments = await pool.many<Enrollment>(
    sql`select id, status, attempts, last_outcome, outcomes, due_at from enrollments where workspace_id = ${workspace}`,
  )
  const by_enrollment = Map.groupBy(all, ({ enrollment_id }) => enrollment_id)
  for (const enrollment of enrollments) {
    const { id, status, due_at, last_outcome, outcomes } = enrollment
    const about = JSON.stringify(enrollment)
    const attempts = (by_enrollment.get(id) ?? []).toSorted((left, right) => left.attempt - right.attempt)
    assert.deepEqual(
      attempts.map(({ attempt }) => attempt),
      Array.from({ length: enrollment.attempts }, (_, index) => index + 1),
      about,
    )
    const ended = attempts.filter(({ outcome }) => outcome !== null)
    assert.equal(
      attempts.length - ended.length,
      open_statuses.includes(status) ? 1 : 0,
      `${about}: attempts that go on`,
    )
    assert.equal(due_at !== null, waiting_statuses.includes(status), `${about}: when it is due`)
    assert.equal(last_outcome, ended.at(-1)?.outcome ?? null, about)
    assert.deepEqual(outcomes, countBy(ended.map(({ outcome }) => outcome ?? '')), about)
  }
}

const countBy = (values: string[]): Record<string, number> =>
  Object.fromEntries(
    Object.entries(Object.groupBy(values, (value) => value)).map(([value, all]) => [value, all?.length ?? 0]),
  )

/** The kept counts are those of the rows. */
async function checkCounts({ pool, tenant: { workspace } }: World): Promise<void> {
  const kept = (counted: string) =>
    pool.many(
      sql`select campaign_id, value, sum(total)::integer as total from campaign_counts
        where workspace_id = ${workspace} and counted = ${counted}
        group by campaign_id, value having sum(total) <> 0 order by campaign_id, value`,
    )
  const real = (table: Sql, value: Sql) =>
    pool.many(
      sql`select campaign_id, ${value} as value, count(*)::integer as total from ${table}
        where workspace_id = ${workspace} and ${value} is not null group by campaign_id, ${value}
        order by campaign_id, ${value}`,
    )
  assert.deepEqual(await kept('status'), await real(sql`enrollments`, sql`status`))
  assert.deepEqual(await kept('outcome'), await real(sql`campaign_attempts`, sql`outcome`))
}

/** Nobody was called at the wrong time, too often or without consent. */
function checkTimes({ campaigns, people }: World, dials: LoggedDial[], attempts: Attempt[]): void {
  const by_id = new Map(attempts.map(({ id, campaign_id }) => [id, campaign_id]))
  const checked = dials.map(({ call_id, to, at }) => ({ to, at, campaign_id: by_id.get(call_id) ?? '' }))
  assert.deepEqual(findViolations({ dials: checked, campaigns, people, quiet_hours, late_ms }), [])
}

/** Starts in a second and attempts in flight, whichever process has dialled. */
function checkPacing({ campaigns }: World, dials: LoggedDial[], attempts: Attempt[]): void {
  const dialed_at = new Map(dials.map(({ call_id, at }) => [call_id, at]))
  for (const [campaign_id, own] of Map.groupBy(attempts, ({ campaign_id }) => campaign_id)) {
    const pacing = campaigns.get(campaign_id)?.pacing
    assert.ok(pacing)
    for (const [second, { length }] of Map.groupBy(own, ({ at }) => Math.floor(clock.parse(at) / 1_000)))
      assert.ok(length <= Math.ceil(pacing.starts_per_second), `${length} attempts began in second ${second}`)
    const changes = own.flatMap(({ id, ended_at }) => {
      const begun_at = dialed_at.get(id)
      if (begun_at === undefined) return []
      const begin = { at: begun_at, by: 1 }
      return ended_at === null ? [begin] : [begin, { at: Math.max(begun_at, clock.parse(ended_at)), by: -1 }]
    })
    let in_flight = 0
    for (const { at, by } of changes.sort((left, right) => left.at - right.at || left.by - right.by)) {
      in_flight += by
      assert.ok(in_flight <= pacing.in_flight_max, `${in_flight} in flight at ${clock.iso(at)}`)
    }
  }
}
