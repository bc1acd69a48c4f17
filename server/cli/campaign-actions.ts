import fs from 'node:fs'
import { pipeline } from 'node:stream/promises'
import type { Campaign, Forecast } from '../../sdk/src/index.ts'
import { atWorkspace, type Service } from '../kit/at.ts'
import { isId } from '../kit/id.ts'
import { errorCode } from '../kit/problem.ts'
import type { Shell } from '../start/shell.ts'
import { type ApiClient, assertRunning, openApiClient, takeFirst } from './api-client.ts'
import { chooseWorkspace, stopSignal, withKey } from './api-session.ts'
import { UsageError } from './command.ts'
import { findByName } from './find-by-name.ts'
import { type Answer, formatTable } from './run.ts'

const key = { name: 'parley campaign', scopes: ['campaigns:read', 'campaigns:write'], lasts_ms: 3_600_000 }
/** Older ones are not listed, and found only by id. */
const campaigns_max = 1_000

interface Wanted {
  workspace: string | undefined
  /** Or the id. */
  name: string
}

export const listCampaigns = (service: Service, shell: Shell, workspace: string | undefined): Promise<Answer> =>
  withApi(service, shell, workspace, async ({ list }) => {
    const campaigns = await list()
    const rows = campaigns.map(({ id, name, kind, status, counts }) => [
      id,
      name,
      kind,
      status,
      String(counts.enrolled),
    ])
    return { data: { campaigns }, text: formatTable(['ID', 'NAME', 'KIND', 'STATUS', 'CONTACTS'], rows) }
  })

export const forecastCampaign = (
  service: Service,
  shell: Shell,
  wanted: Wanted,
  input: { seed?: number },
): Promise<Answer> =>
  withCampaign(service, shell, wanted, async (api, { id, name }) => {
    const forecast = await api.campaigns.forecast(id, input)
    return { data: { forecast }, text: formatForecast(name, forecast) }
  })

export const changeCampaign = (
  service: Service,
  shell: Shell,
  wanted: Wanted,
  verb: 'start' | 'pause' | 'resume',
): Promise<Answer> =>
  withCampaign(service, shell, wanted, async (api, { id }) => {
    const campaign = await api.campaigns[verb](id)
    const { name, status, starts_at } = campaign
    const since = status === 'scheduled' && starts_at !== null ? `, and starts at ${starts_at}` : ''
    return { data: { campaign }, text: `"${name}" is ${status}${since}.` }
  })

/** Prints the report, or writes it to a file, which appears when it is complete. */
export const reportCampaign = (
  service: Service,
  shell: Shell,
  wanted: Wanted,
  output: string | undefined,
): Promise<Answer | undefined> =>
  withCampaign(service, shell, wanted, async (api, { id, name }) => {
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
  })

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

/** Ctrl-C, and a reader that has read enough, are no errors. */
const unlessAborted = (signal: AbortSignal) => (error: Error) => {
  if (!signal.aborted) throw error
}

interface Session {
  api: ApiClient
  workspace: { name: string }
  list: () => Promise<Campaign[]>
}

async function withApi<Result>(
  service: Service,
  shell: Shell,
  workspace_name: string | undefined,
  work: (session: Session) => Promise<Result>,
): Promise<Result> {
  const workspace = await chooseWorkspace(service, workspace_name)
  const address = service.tools.address()
  await assertRunning(address)
  return withKey(shell, await atWorkspace(service, workspace.id), key, (token) => {
    const api = openApiClient(address, token)
    return work({ api, workspace, list: () => takeFirst(api.campaigns.list(), campaigns_max) })
  })
}

const withCampaign = <Result>(
  service: Service,
  shell: Shell,
  { workspace: workspace_name, name }: Wanted,
  work: (api: ApiClient, campaign: Campaign) => Promise<Result>,
): Promise<Result> =>
  withApi(service, shell, workspace_name, async ({ api, workspace, list }) =>
    work(api, isId(name) ? await api.campaigns.get(name) : findByName(await list(), name, 'campaign', workspace)),
  )

function formatForecast(name: string, forecast: Forecast): string {
  const { seed, simulated, is_sampled, expected_end_at, by_outcome, by_status, skips, warnings } = forecast
  const sample = is_sampled ? ', a sample' : ''
  return [
    `Forecast of "${name}": ${simulated} contacts${sample}, seed ${seed}`,
    `Expected end: ${expected_end_at ?? 'not within a year'}`,
    ...formatCounts('OUTCOME', 'ATTEMPTS', by_outcome),
    ...formatCounts('STATUS', 'CONTACTS', by_status),
    ...formatCounts('SKIPPED', 'CONTACTS', skips),
    ...(warnings.length > 0 ? ['', 'Warnings:', ...warnings.map((warning) => `- ${warning}`)] : []),
  ].join('\n')
}

/** Largest first. */
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
