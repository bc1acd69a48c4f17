import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import { DateTime } from 'luxon'
import * as clock from '../../server/kit/clock.ts'
import { sql } from '../../server/kit/postgres/sql.ts'
import { readDials } from '../peers/voice-carrier.ts'
import { withScenarioDatabase } from '../support/database.ts'
import { type Counts, checkWorld } from './campaign-check.ts'
import {
  addConsent,
  addPeople,
  all_days,
  endLeases,
  type NewPerson,
  openWorld,
  startCampaign,
  type World,
  zonesNow,
} from './campaign-world.ts'
import { waitUntil } from './client.ts'
import { between, chance, pick, type Random } from './random.ts'
import type { RunOptions, Scenario } from './scenario.ts'
import type { Service } from './service.ts'

export const scenario: Scenario = {
  name: 'campaigns',
  about: 'kill -9 while campaigns call: each attempt is dialled once, nobody at the wrong time, and none after a pause',
  run,
}

interface Form {
  rounds: number
  /** A new campaign begins after this many. */
  rounds_each: number
  people_each: number
  alive_ms: { min: number; max: number }
  pauses: number
  /** The share of dials that the carrier doesn't answer. */
  troubles: number
  settle_max_ms: number
}

const formOf = ({ is_long, rounds }: RunOptions): Form =>
  is_long
    ? {
        rounds: 5 * rounds,
        rounds_each: 10,
        people_each: 60,
        alive_ms: { min: 0, max: 2_000 },
        pauses: 20,
        troubles: 0.03,
        settle_max_ms: 20 * 60_000,
      }
    : {
        rounds: 1,
        rounds_each: 1,
        people_each: 20,
        alive_ms: { min: 2_000, max: 4_000 },
        pauses: 1,
        troubles: 0,
        settle_max_ms: 60_000,
      }

/** Busy, rejects, busy, answers: most calls are short, so that many are begun. */
const behaviors = ['02', '03', '02', '00']
/** Nothing may be dialled for this long after a pause. */
const quiet_ms = 2_500
/** Enough people for each. */
const dials_per_pause = 12
const paused_share = 0.2

async function run(options: RunOptions): Promise<void> {
  const { random, print, is_long } = options
  const form = formOf(options)
  const work = async (url: string): Promise<void> => {
    await using stack = new AsyncDisposableStack()
    const world = await openWorld(stack, { url, seed: between(random, 1, 2 ** 31), troubles: form.troubles })
    const workers = await Promise.all([world.startWorker(), world.startWorker()])
    print(await undisturbed(world, { random, form }))
    const kills = await killRounds(world, { random, form, workers })
    const counts = await settle(world, { form, is_long })
    print(
      `${kills} kills: ${counts.attempts} attempts, ${counts.dials} dials, none twice; ${counts.unknown} unknown and not at the ` +
        `carrier, ${counts.not_dialed} ended before they were dialled, ${counts.in_doubt} still in doubt; 0 violations`,
    )
  }
  await withScenarioDatabase(work)
}

interface Part {
  random: Random
  form: Form
}

/** Two processes dial. Two campaigns want the same people, and another one is paused again and again. */
async function undisturbed(world: World, { random, form }: Part): Promise<string> {
  const { day: zones } = zonesNow()
  const shared = await addPeople(world, { count: form.people_each, random, behaviors, zones })
  const count = form.people_each + dials_per_pause * form.pauses
  const paused = await addPeople(world, { count, random, behaviors, zones })
  const caps = { per_day: 1, per_week: 3, gap_hours_min: 4 }
  await Promise.all([startCampaign(world, shared, { caps }), startCampaign(world, shared, { caps })])
  const pacing = { in_flight_max: 8, starts_per_second: 5, ramp_minutes: 0 }
  const id = await startCampaign(world, paused, { pacing })
  for (let pause = 0; pause < form.pauses; pause += 1) {
    await untilDialing(world, id)
    const paused_at = await pauseNow(world, id)
    await sleep(quiet_ms)
    await assertQuiet(world, { campaign_id: id, paused_at })
    await world.send('POST', `/campaigns/${id}/resume`)
  }
  await waitUntil('each person whom two campaigns want is tried', async () => {
    const ids = shared.map(({ id }) => id)
    const { tried } = await world.pool.one<{
      tried: number
    }>(sql`select count(distinct contact_id) as tried from enrollments
      where workspace_id = ${world.tenant.workspace} and contact_id = any(${ids}::uuid[]) and attempts > 0`)
    return tried === ids.length
  })
  return `${form.pauses} pauses, no dial after any; ${shared.length} people in two campaigns, each tried once in a day`
}

/** Until this campaign has dialled someone since now. */
async function untilDialing({ pool, tenant: { workspace } }: World, campaign_id: string): Promise<void> {
  const readTotal = async () => {
    const { total } = await pool.one<{ total: number }>(sql`select count(*) as total from campaign_attempts
      where workspace_id = ${workspace} and campaign_id = ${campaign_id}`)
    return total
  }
  const before = await readTotal()
  await waitUntil('the campaign dials', async () => (await readTotal()) > before)
}

/** Returns when the pause was answered, or undefined if the campaign has completed. */
async function pauseNow({ send }: World, campaign_id: string): Promise<number | undefined> {
  const paused = await send('POST', `/campaigns/${campaign_id}/pause`)
  return paused && clock.wall()
}

async function assertQuiet(
  { pool, log, tenant: { workspace } }: World,
  { campaign_id, paused_at = Number.POSITIVE_INFINITY }: { campaign_id: string; paused_at: number | undefined },
): Promise<void> {
  const rows = await pool.many<{ id: string }>(sql`select id from campaign_attempts
    where workspace_id = ${workspace} and campaign_id = ${campaign_id}`)
  const ids = new Set(rows.map(({ id }) => id))
  const after = readDials(log).filter(({ call_id, at }) => ids.has(call_id) && at > paused_at)
  assert.deepEqual(after, [], 'dialled after the pause was answered')
}

/**
 * Each round but the first starts two workers, and kills them at random moments. In some a campaign is paused first: what was claimed before the
 * last kill must not be dialled then. Returns the number of kills.
 */
async function killRounds(world: World, { random, form, ...first }: Part & { workers: Service[] }): Promise<number> {
  const { rounds, rounds_each, people_each, alive_ms } = form
  let people: NewPerson[] = []
  let campaign_id = ''
  for (let round = 0; round < rounds; round += 1) {
    if (round % rounds_each === 0) ({ people, campaign_id } = await addCampaign(world, { random, count: people_each }))
    const pausing = chance(random, paused_share) ? pauseNow(world, campaign_id) : undefined
    const workers = round === 0 ? first.workers : await Promise.all([world.startWorker(), world.startWorker()])
    const paused_at = await pausing
    const opting_out = addConsent(world, pick(random, people), 'revoked')
    for (const worker of workers) {
      await sleep(between(random, alive_ms.min, alive_ms.max))
      await worker.kill()
    }
    await opting_out
    await assertQuiet(world, { campaign_id, paused_at })
    await endLeases(world)
    await resumePaused(world)
  }
  return 2 * rounds
}

/** Some live where it is night, some have not agreed, and the campaign may close in a minute or two. */
async function addCampaign(world: World, { random, count }: { random: Random; count: number }) {
  const { day, night } = zonesNow()
  const zone = pick(random, day)
  const by_day = { random, behaviors, zones: [zone], agreed: 0.8 }
  const people = await addPeople(world, { ...by_day, count })
  const asleep = await addPeople(world, { ...by_day, zones: night, count: Math.ceil(count / 10) })
  const soon = DateTime.now().setZone(zone).plus({ minutes: 2 }).toFormat('HH:mm')
  const closing = { windows: [{ days: all_days, start: '00:01', end: soon }] }
  const campaign_id = await startCampaign(world, [...people, ...asleep], {
    consent: pick(random, ['required', 'not_opted_out']),
    ...(chance(random, 0.3) && closing),
  })
  return { people, campaign_id }
}

/** Kills look like errors of the carrier to the circuit breaker. */
async function resumePaused({ send }: World): Promise<void> {
  for (const { id } of await send('GET', '/campaigns?status=paused&limit=100'))
    await send('POST', `/campaigns/${id}/resume`)
}

/** Lets everything end that is going on, in the long form also what follows. */
async function settle(world: World, { form, is_long }: { form: Form; is_long: boolean }): Promise<Counts> {
  const { send } = world
  // Starting a process takes longer than the rest of the short form.
  const workers = await Promise.all(Array.from({ length: is_long ? 2 : 1 }, world.startWorker))
  if (is_long) await untilNone(world, { what: 'is due soon', isWaitedFor: readDueSoon, max_ms: form.settle_max_ms })
  for (const { id } of await send('GET', '/campaigns?status=running&limit=100'))
    await send('POST', `/campaigns/${id}/pause`)
  const readOpen = is_long ? readOpenAttempts : readOpenDials
  await untilNone(world, { what: 'goes on', isWaitedFor: readOpen, max_ms: form.settle_max_ms })
  await Promise.all(workers.map((worker) => worker.stop()))
  return checkWorld(world, { is_settled: is_long })
}

interface Waiting {
  what: string
  isWaitedFor: (world: World) => Promise<string[]>
  max_ms: number
}

async function untilNone(world: World, { what, isWaitedFor, max_ms }: Waiting): Promise<void> {
  const begun_at = performance.now()
  for (let left = await isWaitedFor(world); left.length > 0; left = await isWaitedFor(world)) {
    assert.ok(performance.now() - begun_at < max_ms, `${left.length} ${what}: ${left.slice(0, 5)}`)
    await sleep(500)
  }
}

/** Enrollments of which more is heard within minutes. */
async function readDueSoon(world: World): Promise<string[]> {
  const { pool, tenant } = world
  await resumePaused(world)
  const soon = clock.iso(clock.wall() + 10 * 60_000)
  const rows = await pool.many<{ id: string }>(sql`select id from enrollments
    where workspace_id = ${tenant.workspace} and (status in ('dialing', 'in_progress') or due_at < ${soon})`)
  return rows.map(({ id }) => id)
}

async function readOpenAttempts({ pool, tenant: { workspace } }: World): Promise<string[]> {
  const rows = await pool.many<{ id: string }>(sql`select id from campaign_attempts
    where workspace_id = ${workspace} and ended_at is null`)
  return rows.map(({ id }) => id)
}

/** Without those of which it is not known yet whether they were dialled. */
async function readOpenDials(world: World): Promise<string[]> {
  const dialed = new Set(readDials(world.log).map(({ call_id }) => call_id))
  return (await readOpenAttempts(world)).filter((id) => dialed.has(id))
}
