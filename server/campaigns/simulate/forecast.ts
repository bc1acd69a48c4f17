import { once } from 'node:events'
import type { Worker } from 'node:worker_threads'
import { findVersion } from '../../agents/find-version.ts'
import type { FoundAgent } from '../../agents/schema.ts'
import { readEnds } from '../../calls/queue.ts'
import { averageAnswered } from '../../calls/store.ts'
import * as clocks from '../../clocks/store.ts'
import { type At, simulatesPeople } from '../../kit/at.ts'
import * as clock from '../../kit/clock.ts'
import { isId } from '../../kit/id.ts'
import { letOthersRun } from '../../kit/let-others-run.ts'
import { sql } from '../../kit/postgres/sql.ts'
import { invalid, invalidState, notFound, Problem } from '../../kit/problem.ts'
import { inThread } from '../../kit/work/threads.ts'
import { default_mix } from '../../workspaces/defaults.ts'
import type { Mix } from '../../workspaces/schema.ts'
import * as workspaces from '../../workspaces/store.ts'
import { type DueEnrollment, readOpen } from '../dial/candidates.ts'
import { findSender } from '../dial/dispatch.ts'
import { versionIds } from '../dial/versions.ts'
import type { Forecast, NewForecast } from '../forecast-schema.ts'
import { forecast_max_ms, forecastSlots } from '../forecast-slots.ts'
import { final_statuses } from '../schema.ts'
import { explainNoChannel } from '../state.ts'
import { readCampaign, type StoredCampaign } from '../stored-campaign.ts'
import type { ForecastJob } from './forecast-job.ts'

const default_simulated_max = 10_000
const ahead_ms = 365 * clock.day_ms
const heap_max_mb = 512
/** The time to start a thread on a busy machine, and to pass it the job. */
const thread_max_ms = 10_000
/** This many enrollments are passed to the thread together. */
const passed_at_once = 200

interface ForecastRequest {
  id: string
  input: NewForecast
  /** Ends the forecast when this is aborted. */
  signal: AbortSignal
  simulated_max?: number
  run_max_ms?: number
}

/**
 * Forecasts what a campaign would do from now on. Runs the rules of the dialer in a thread for as many contacts as
 * there is time for, and writes nothing. Workspaces share slots, each with one forecast at a time.
 */
export async function forecast(
  at: At,
  { id, input, simulated_max = default_simulated_max, ...limits }: ForecastRequest,
): Promise<Forecast> {
  const slots = forecastSlots.of(at)
  if (slots.has(at.workspace)) throw inProgress()
  return slots.run(at.workspace, limits.signal, async () => {
    const job = await readJob(at, { id, input, simulated_max })
    return runThread(job, limits)
  })
}

const inProgress = () =>
  invalidState('A forecast is running. Wait until it has ended.', { reason: 'forecast_in_progress' })

const noChannel = async (at: At, { channel_ids, kind }: StoredCampaign) =>
  invalidState(
    channel_ids.length === 0
      ? await explainNoChannel(at, kind)
      : 'No channel of this campaign is active. Enable one first.',
    { reason: 'no_channel' },
  )

async function readJob(
  at: At,
  { id, input, simulated_max }: Required<Pick<ForecastRequest, 'id' | 'input' | 'simulated_max'>>,
): Promise<ForecastJob> {
  const campaign = isId(id) ? await readCampaign(at, sql`workspace_id = ${at.workspace} and id = ${id}`) : undefined
  if (!campaign) throw notFound()
  if (final_statuses.includes(campaign.status))
    throw invalidState('This campaign is over.', { status: campaign.status })
  const [sender, open, settings, own_seed, answered_ms, calls] = await Promise.all([
    findSender(at, campaign),
    readOpen(at, campaign, simulated_max),
    workspaces.readSettings(at),
    clocks.readSeed(at),
    averageAnswered(at, campaign.agent_id),
    readEnds(at),
  ])
  const [channel] = sender?.channels ?? []
  if (!sender || !channel) throw await noChannel(at, campaign)
  const { starts_at = 0 } = campaign
  const from = clock.ceilTo(Math.max(at.now, starts_at), clock.second_ms)
  const mix = toMix(input.mix, settings.mix ?? default_mix)
  return {
    workspace: at.workspace,
    agent: sender.agent,
    channel,
    mix,
    answered_ms,
    from,
    campaign: { ...campaign, status: 'running', running_since: campaign.running_since ?? from, is_probing: false },
    versions: await findVersions(at, sender.agent, campaign),
    due: open.enrollments,
    // The contacts of some enrollments may have been deleted meanwhile.
    total: open.total > simulated_max ? open.total : open.enrollments.length,
    calls_in_flight_max: settings.calls_in_flight_max,
    time_zone: settings.time_zone,
    in_flight:
      campaign.kind === 'sms'
        ? []
        : calls.map((call) => ({ ...call, ended_at: Math.min(call.ended_at, from + answered_ms) })),
    seed: input.seed ?? own_seed,
    is_by_number: simulatesPeople(at),
    until: Math.min(from + ahead_ms, (campaign.ends_at ?? Number.POSITIVE_INFINITY) - 1),
  }
}

/** Finds the versions that may speak, by id. */
async function findVersions(at: At, agent: FoundAgent, campaign: StoredCampaign): Promise<ForecastJob['versions']> {
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

async function runThread(
  { due, ...job }: ForecastJob,
  { signal, run_max_ms = forecast_max_ms }: Pick<ForecastRequest, 'signal' | 'run_max_ms'>,
): Promise<Forecast> {
  const options = {
    data: { job, count: due.length, run_max_ms },
    limits: { maxOldGenerationSizeMb: heap_max_mb },
    time_max_ms: run_max_ms + thread_max_ms,
    tooLong,
    signal,
  }
  return inThread(new URL('./forecast-thread.ts', import.meta.url), options, async (thread, ended) => {
    const answered = once(thread, 'message', { signal: ended })
    const [[made]] = await Promise.all([answered, passEnrollments(thread, due, ended)])
    if (!made) throw tooLong()
    return made
  })
}

/** Passes some enrollments at a time, because what is passed to a thread is copied. */
async function passEnrollments(thread: Worker, due: DueEnrollment[], signal: AbortSignal): Promise<void> {
  for (let index = 0; index < due.length && !signal.aborted; index += passed_at_once) {
    thread.postMessage(due.slice(index, index + passed_at_once))
    await letOthersRun({ is_urgent: true })
  }
}

const tooLong = () =>
  new Problem(
    'SERVICE_UNAVAILABLE',
    'The forecast took too long. Try again in a minute.',
    { reason: 'forecast_too_long' },
    { 'retry-after': '60' },
  )
