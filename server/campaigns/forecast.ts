import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import { findVersion } from '../agents/find-version.ts'
import type { AgentWithDraft } from '../agents/schema.ts'
import { averageAnswered } from '../calls/durations.ts'
import * as clocks from '../clocks/store.ts'
import type { At } from '../kit/at.ts'
import * as clock from '../kit/clock.ts'
import { isId } from '../kit/id.ts'
import { sql } from '../kit/postgres/sql.ts'
import { invalid, invalidState, notFound, overloaded } from '../kit/problem.ts'
import { default_mix, type Mix } from '../workspaces/schema.ts'
import * as workspaces from '../workspaces/store.ts'
import { readOpen } from './candidates.ts'
import { findSender } from './dispatch.ts'
import type { ForecastJob, ForecastResult } from './forecast-job.ts'
import type { Forecast, NewForecast } from './forecast-schema.ts'
import { final_statuses } from './schema.ts'
import { readCampaign, type StoredCampaign } from './stored-campaign.ts'
import { versionIds } from './versions.ts'

const simulated_max = 10_000
const ahead_ms = 365 * clock.day_ms
const intervals_max = 200
const thread_max_ms = 5 * 60_000
const heap_max_mb = 512
const minute_ms = 60_000

/** Workspaces whose forecast is running in this process. */
const running = new Set<string>()
/** Each uses a whole processor. */
const running_max = 2

/** What a campaign would do from now on. Runs the rules of the dialer in a thread, and writes nothing. */
export async function forecast(at: At, { id, input }: { id: string; input: NewForecast }): Promise<Forecast> {
  if (running.has(at.workspace)) throw inProgress()
  if (running.size >= running_max) throw overloaded()
  running.add(at.workspace)
  try {
    const { job, total } = await readJob(at, id, input)
    return summarizeForecast(job, { ...(await runThread(job)), total })
  } finally {
    running.delete(at.workspace)
  }
}

const inProgress = () =>
  invalidState('A forecast is running. Wait until it has ended.', { reason: 'forecast_in_progress' })

const noChannel = ({ channel_ids, kind }: StoredCampaign) =>
  invalidState(
    channel_ids.length === 0
      ? `The workspace doesn't have exactly one active ${kind} channel. Set channel_ids first.`
      : 'No channel of this campaign is active. Enable one first.',
    { reason: 'no_channel' },
  )

async function readJob(at: At, id: string, input: NewForecast): Promise<{ job: ForecastJob; total: number }> {
  const campaign = isId(id) ? await readCampaign(at, sql`workspace_id = ${at.workspace} and id = ${id}`) : undefined
  if (!campaign) throw notFound()
  if (final_statuses.includes(campaign.status))
    throw invalidState('This campaign is over.', { status: campaign.status })
  const [sender, open, settings, own_seed, answered_ms] = await Promise.all([
    findSender(at, campaign),
    readOpen(at, campaign, simulated_max),
    workspaces.readSettings(at),
    clocks.readSeed(at),
    averageAnswered(at, campaign.agent_id),
  ])
  const [channel] = sender?.channels ?? []
  if (!sender || !channel) throw noChannel(campaign)
  const { starts_at = 0 } = campaign
  const from = clock.ceilTo(Math.max(at.now, starts_at), clock.second_ms)
  const mix = toMix(input.mix, settings.mix ?? default_mix)
  return {
    total: open.total,
    job: {
      ...{ workspace: at.workspace, agent: sender.agent, channel, mix, answered_ms, from },
      campaign: { ...campaign, status: 'running', running_since: campaign.running_since ?? from, is_probing: false },
      versions: await findVersions(at, sender.agent, campaign),
      due: open.enrollments,
      calls_in_flight_max: settings.calls_in_flight_max,
      time_zone: settings.time_zone,
      seed: input.seed ?? own_seed,
      is_by_number: at.is_test,
      until: Math.min(from + ahead_ms, (campaign.ends_at ?? Number.POSITIVE_INFINITY) - 1),
    },
  }
}

/** The versions that may speak, by id. */
async function findVersions(at: At, agent: AgentWithDraft, campaign: StoredCampaign): Promise<ForecastJob['versions']> {
  const ids = versionIds(agent, campaign)
  const found = await Promise.all(ids.map((version_id) => findVersion(at, { agent_id: agent.id, version_id })))
  return Object.fromEntries(found.flatMap((version) => (version ? [[version.id, version]] : [])))
}

function toMix(given: Partial<Mix> | undefined, known: Mix): Mix {
  const mix = { ...known, ...given }
  const sum = Object.values(mix).reduce((total, share) => total + share, 0)
  if (sum !== 100) throw invalid([{ path: 'mix', code: 'sum', message: `The shares must sum to 100, not ${sum}.` }])
  return mix
}

async function runThread(job: ForecastJob): Promise<ForecastResult> {
  const thread = new Worker(new URL('./forecast-thread.ts', import.meta.url), {
    workerData: job,
    resourceLimits: { maxOldGenerationSizeMb: heap_max_mb },
  })
  thread.unref()
  const too_long = new AbortController()
  const timer = setTimeout(() => too_long.abort(new Error('a forecast took too long')), thread_max_ms)
  timer.unref()
  try {
    const [result] = await once(thread, 'message', { signal: too_long.signal })
    return result
  } finally {
    clearTimeout(timer)
    thread.on('error', () => {})
    await thread.terminate()
  }
}

function summarizeForecast(job: ForecastJob, result: ForecastResult & { total: number }): Forecast {
  const { attempts, ends, is_complete, total } = result
  const last = attempts.reduce((latest, { ended_at }) => Math.max(latest, ended_at), job.from)
  const skips = countBy(ends.flatMap(({ status, reason }) => (status === 'skipped' ? [reason ?? 'skipped'] : [])))
  return {
    seed: job.seed,
    is_sampled: total > job.due.length,
    simulated: job.due.length,
    expected_end_at: is_complete ? clock.iso(last) : null,
    timeline: timelineOf(job.from, last, attempts),
    by_outcome: countBy(attempts.map(({ outcome }) => outcome)),
    by_status: countBy(ends.map(({ status }) => status)),
    skips,
    warnings: warningsOf(skips, { is_complete, has_contacts: job.due.length > 0 }),
  }
}

function countBy(names: string[]): Record<string, number> {
  const counts: Record<string, number> = {}
  for (const name of names) counts[name] = (counts[name] ?? 0) + 1
  return counts
}

/** In intervals of whole minutes. */
function timelineOf(from: number, last: number, attempts: ForecastResult['attempts']): Forecast['timeline'] {
  const length_ms = Math.max(minute_ms, clock.ceilTo((last - from + 1) / intervals_max, minute_ms))
  const intervals = Array.from({ length: Math.floor((last - from) / length_ms) + 1 }, (_, index) => ({
    ...{ at: clock.iso(from + index * length_ms), starts: 0, in_flight: 0, answered: 0 },
  }))
  const indexOf = (time: number) => Math.floor((time - from) / length_ms)
  for (const { at, ended_at, outcome } of attempts) {
    const [begun, ended] = [indexOf(at), indexOf(ended_at)]
    const interval = intervals[begun]
    if (interval) interval.starts += 1
    if (interval && (outcome === 'answered' || outcome === 'replied')) interval.answered += 1
    for (let index = begun; index < ended; index += 1) {
      const open = intervals[index]
      if (open) open.in_flight += 1
    }
  }
  return intervals
}

function warningsOf(
  { never_open = 0, no_time_zone = 0 }: Record<string, number>,
  { is_complete, has_contacts }: { is_complete: boolean; has_contacts: boolean },
): string[] {
  return [
    ...(has_contacts ? [] : ['No contacts are enrolled.']),
    ...(never_open > 0 ? [`${never_open} contacts have no hour in which all their time zones are open.`] : []),
    ...(no_time_zone > 0
      ? [`${no_time_zone} contacts have no known time zone. Set the time zone of the campaign to reach them.`]
      : []),
    ...(is_complete ? [] : ['Not all contacts are reached before the campaign ends, or within a year.']),
  ]
}
