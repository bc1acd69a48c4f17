import fs from 'node:fs'
import { pipeline } from 'node:stream/promises'
import type { Campaign, Forecast } from '../../sdk/src/index.ts'
import { isId } from '../kit/id.ts'
import { errorCode } from '../kit/problem.ts'
import { takeFirst } from './api-client.ts'
import type { Target } from './ask.ts'
import { UsageError } from './command.ts'
import { findByName } from './find-by-name.ts'
import { type Answer, formatTable } from './run.ts'
import { stopSignal } from './stop-signal.ts'

/** Only this many campaigns, the newest, are listed. Older ones are found by id. */
const campaigns_max = 1_000

export async function listCampaigns(target: Target): Promise<Answer> {
  const campaigns = await listAll(target)
  const rows = campaigns.map(({ id, name, kind, status, counts }) => [id, name, kind, status, String(counts.enrolled)])
  return { data: { campaigns }, text: formatTable(['ID', 'NAME', 'KIND', 'STATUS', 'CONTACTS'], rows) }
}

/** Prints the forecast of a campaign. `name` may be the id here and below. */
export async function forecastCampaign(target: Target, name: string, input: { seed?: number }): Promise<Answer> {
  const campaign = await findCampaign(target, name)
  const forecast = await target.api.campaigns.forecast(campaign.id, input)
  return { data: { forecast }, text: formatForecast(campaign.name, forecast) }
}

export async function changeCampaign(
  target: Target,
  wanted: string,
  verb: 'start' | 'pause' | 'resume',
): Promise<Answer> {
  const campaign = await target.api.campaigns[verb]((await findCampaign(target, wanted)).id)
  const { name, status, starts_at } = campaign
  const since = status === 'scheduled' && starts_at !== null ? `, and starts at ${starts_at}` : ''
  return { data: { campaign }, text: `"${name}" is ${status}${since}.` }
}

/** Prints the report, or writes it to a file, which appears when it is complete. */
export async function reportCampaign(
  target: Target,
  wanted: string,
  output: string | undefined,
): Promise<Answer | undefined> {
  const { api, shell } = target
  const { id, name } = await findCampaign(target, wanted)
  const signal = stopSignal(shell)
  const { body: report } = await api.campaigns.getReport(id, { signal })
  if (!report) throw new Error('the report has no body')
  if (output === undefined) {
    await pipeline(report, shell.stdout, { signal, end: false }).catch(unlessAborted(signal))
    return undefined
  }
  await writeFile(report, output, signal)
  if (signal.aborted) return undefined
  return { data: { report: { campaign_id: id, file: output } }, text: `The report of "${name}" is in ${output}.` }
}

async function writeFile(report: ReadableStream<Uint8Array>, output: string, signal: AbortSignal): Promise<void> {
  const unfinished = `${output}.part`
  try {
    await pipeline(report, fs.createWriteStream(unfinished), { signal })
    fs.renameSync(unfinished, output)
  } catch (error) {
    fs.rmSync(unfinished, { force: true })
    // Only errors of the file system have a `syscall` here.
    if (error instanceof Error && 'syscall' in error)
      throw new UsageError(`--output: the file ${output} can't be written (${errorCode(error)})`)
    if (!signal.aborted) throw error
  }
}

/** Ignores errors after Ctrl-C, or when a reader has read enough. */
const unlessAborted = (signal: AbortSignal) => (error: Error) => {
  if (!signal.aborted) throw error
}

const listAll = ({ api }: Target): Promise<Campaign[]> => takeFirst(api.campaigns.list(), campaigns_max)

const findCampaign = async (target: Target, name: string): Promise<Campaign> =>
  isId(name) ? target.api.campaigns.get(name) : findByName(await listAll(target), name, 'campaign', target.workspace)

function formatForecast(name: string, forecast: Forecast): string {
  const { seed, simulated, is_sampled, expected_end_at, expected_end, by_outcome, by_status, skips, warnings } =
    forecast
  const sample = is_sampled ? ', a sample' : ''
  const interval = expected_end ? ` (in nine of ten cases from ${expected_end.low} to ${expected_end.high})` : ''
  return [
    `Forecast of "${name}": ${simulated} contacts${sample}, seed ${seed}`,
    `Expected end: ${expected_end_at ?? 'not within a year'}${interval}`,
    ...formatCounts('OUTCOME', 'ATTEMPTS', by_outcome),
    ...formatCounts('STATUS', 'CONTACTS', by_status),
    ...formatCounts('SKIPPED', 'CONTACTS', skips),
    ...(warnings.length > 0 ? ['', 'Warnings:', ...warnings.map((warning) => `- ${warning}`)] : []),
  ].join('\n')
}

/** Lists counts, largest first. */
function formatCounts(title: string, unit: string, counts: Record<string, number>): string[] {
  const rows = Object.entries(counts).sort(([, left], [, right]) => right - left)
  if (rows.length === 0) return []
  return [
    '',
    formatTable(
      [title, unit],
      rows.map(([name, count]) => [name, String(count)]),
    ),
  ]
}
