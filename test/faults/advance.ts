import assert from 'node:assert/strict'
import { readWhole } from '../support/calls.ts'
import { campaign_start, getCampaign, newCampaign, newContacts, request, start } from '../support/dialing.ts'
import type { Server, Tenant } from '../support/harness.ts'
import { between, type Random } from './random.ts'
import type { RunOptions, Scenario } from './scenario.ts'
import { withServers } from './server.ts'

export const scenario: Scenario = {
  name: 'advance',
  about:
    'a campaign gives the same rows whether its clock advances in one go, in steps, or with one decision at a time',
  run,
}

const hour = 3_600
const day = 24 * hour
const page_size = 100

interface Way {
  name: string
  step_seconds: number
  /** Each second is decided on its own, and each call is written on its own. */
  is_stepwise?: boolean
}

interface Run {
  seconds: number
  /** The last two digits of the numbers, which decide how the people behave. */
  endings: string[]
  /** How many campaigns want to reach the same people. */
  campaigns: number
  fields: object
}

const known_endings = ['00', '01', '02', '05', '10', '11', '13', '16', '20', '33', '45', '57', '68', '79', '81', '99']
/** So slow that calls wait for each other, or end before the next one begins. */
const slow = [
  { pacing: { in_flight_max: 3, starts_per_second: 0.5, ramp_minutes: 1 } },
  { pacing: { in_flight_max: 10, starts_per_second: 0.05, ramp_minutes: 0 } },
]

async function run({ is_long, random, print }: RunOptions): Promise<void> {
  const seconds = is_long ? 14 * day : 3 * day
  const endings = is_long ? Array.from({ length: 300 }, () => randomEnding(random)) : known_endings
  await withServers(1, {}, async ([server]) => {
    assert.ok(server)
    const in_steps = [
      { name: 'one decision at a time', step_seconds: seconds, is_stepwise: true },
      { name: 'by days', step_seconds: day },
    ]
    for (const campaigns of [1, 2])
      for (const fields of slow) print(await compare(server, { seconds, endings, campaigns, fields }, in_steps))
    const in_minutes = [{ name: 'by seven minutes', step_seconds: 7 * 60 }]
    const long = { seconds: is_long ? seconds : day / 2, endings, campaigns: 1, fields: {} }
    print(await compare(server, long, in_minutes))
  })
}

const randomEnding = (random: Random): string => String(between(random, 0, 99)).padStart(2, '0')

/** Compares each way with advancing in one go. */
async function compare(server: Server, run: Run, ways: Way[]): Promise<string> {
  const at_once = await runCampaigns(server, { name: 'in one go', step_seconds: run.seconds }, run)
  assert.ok(at_once.calls.length > run.endings.length / 2, `${at_once.calls.length} calls`)
  for (const way of ways) assert.deepEqual(await runCampaigns(server, way, run), at_once, way.name)
  const whom = `${run.endings.length} contacts, ${run.campaigns} campaigns`
  return `${whom}, ${at_once.calls.length} calls: the same in one go and ${ways.map(({ name }) => name).join(' and ')}`
}

/** Everything that became of the campaigns, without ids. */
async function runCampaigns({ workspace }: Server, way: Way, { seconds, endings, fields, ...run }: Run) {
  const tenant = await workspace()
  await tenant.addTestClock(campaign_start, 7)
  const contacts = await newContacts(tenant, endings)
  const campaigns = []
  for (let nth = 0; nth < run.campaigns; nth += 1) campaigns.push(await newCampaign(tenant, contacts, fields))
  for (const campaign of campaigns) await start(tenant, campaign)
  await advanceBy(tenant, seconds, way)
  const numbers = new Map(contacts.map(({ id, phone_number }) => [id, phone_number]))
  const results = []
  for (const campaign of campaigns) {
    const enrollments = (await readAll(tenant, `/campaigns/${campaign.id}/enrollments`)).map(
      ({ id, campaign_id, contact_id, last_call_id, created_at, ...shown }) => ({
        to: numbers.get(contact_id),
        ...shown,
      }),
    )
    const { status, counts, updated_at } = await getCampaign(tenant, campaign)
    results.push({ status, counts, updated_at, enrollments: enrollments.sort(byText) })
  }
  const calls = []
  for (const { id, ended_at, campaign_id } of await readAll(tenant, '/calls')) {
    const nth = campaigns.findIndex((campaign) => campaign.id === campaign_id)
    calls.push(ended_at === null ? { ended_at } : { ...(await readWhole(tenant, id)), campaign_id: nth })
  }
  return { results, calls: calls.sort(byText) }
}

async function advanceBy(tenant: Tenant, seconds: number, { step_seconds, is_stepwise = false }: Way): Promise<void> {
  for (let done = 0; done < seconds; done += step_seconds) {
    await request(tenant, 'POST', '/test_clock/advance', { by_seconds: Math.min(step_seconds, seconds - done) })
    do await tenant.work(undefined, undefined, { is_stepwise })
    while ((await request(tenant, 'GET', '/test_clock')).status === 'advancing')
  }
}

async function readAll({ call }: Tenant, path: string) {
  const all = []
  for (let cursor = ''; ; ) {
    const { data, pagination } = (await call('GET', `${path}?limit=${page_size}${cursor}`)).body
    all.push(...data)
    if (pagination.next_cursor === null) return all
    cursor = `&cursor=${pagination.next_cursor}`
  }
}

const byText = (left: object, right: object): number => (JSON.stringify(left) < JSON.stringify(right) ? -1 : 1)
