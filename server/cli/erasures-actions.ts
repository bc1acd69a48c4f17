import fs from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { recording_files } from '../calls/work.ts'
import { openTestTime } from '../clocks/time.ts'
import { queueAgain } from '../erasures/again.ts'
import { type Exported, type ExportedOfWorkspace, exportAll } from '../erasures/export.ts'
import { kept_ms, readProgress } from '../erasures/store.ts'
import { work as erasing } from '../erasures/work.ts'
import { type AtOutside, atWall, atWorkspace, type Service } from '../kit/at.ts'
import * as clock from '../kit/clock.ts'
import { isId } from '../kit/id.ts'
import { isObject } from '../kit/json.ts'
import { openLog } from '../kit/log.ts'
import { SetupError } from '../kit/postgres/embedded/embedded.ts'
import type { Db } from '../kit/postgres/pool.ts'
import { errorMessage } from '../kit/problem.ts'
import { counted } from '../kit/text.ts'
import { type RowWork, rowWork } from '../kit/work/rows.ts'
import * as workspaces from '../workspaces/store.ts'
import type { Answer } from './run.ts'

const format = 1

/** The content of the file. */
export interface Erasures {
  format: number
  exported_at: string
  workspaces: ExportedOfWorkspace[]
}

export async function exportErasures(service: Service): Promise<Answer> {
  // The time is read before anything else, by the clock of backups: the file has all that was erased until then.
  const exported_at = clock.iso(service.pool.time())
  const exported: ExportedOfWorkspace[] = []
  for (const { id } of await workspaces.list({ db: service.pool })) exported.push(await exportAll(atWall(service, id)))
  const data: Erasures = { format, exported_at, workspaces: exported }
  return { data, text: JSON.stringify(data, undefined, 2) }
}

/**
 * Reads a file of erasures. Refuses one that is not from `erasures export`, or that is older than the backup: it would
 * bring everybody back.
 */
export async function readErasures(file: string, { backed_up_at }: { backed_up_at: string }): Promise<Erasures> {
  const text = await fs.readFile(file, 'utf8').catch((error: unknown) => {
    throw new SetupError(`${file} can't be read: ${errorMessage(error)}`)
  })
  const erasures = parseErasures(text)
  if (!erasures) throw new SetupError(`${file} is not a whole file of "erasures export"`)
  if (erasures.format !== format)
    throw new SetupError(`${file} was made by another release: its format is ${erasures.format}, expected ${format}`)
  if (erasures.exported_at < backed_up_at)
    throw new SetupError(
      `${file} is of ${erasures.exported_at}, before the backup (${backed_up_at}): export the erasures again, or name a later file`,
    )
  return erasures
}

function parseErasures(text: string): Erasures | undefined {
  let content: unknown
  try {
    content = JSON.parse(text)
  } catch {
    return undefined
  }
  return isErasures(content) ? content : undefined
}

const isErasures = (content: unknown): content is Erasures =>
  isObject(content) &&
  typeof content.format === 'number' &&
  isTime(content.exported_at) &&
  Array.isArray(content.workspaces) &&
  content.workspaces.every(isOfWorkspace)

const isOfWorkspace = (one: unknown): one is ExportedOfWorkspace =>
  isObject(one) &&
  isIdText(one.id) &&
  Array.isArray(one.erasures) &&
  one.erasures.every(isExported) &&
  // A secret is required, because hashes are made with it.
  (one.ledger_secret === null ? one.erasures.length === 0 : isSealed(one.ledger_secret))

/** Whether a text can be a sealed secret. A secret and what it is sealed with are longer than this. */
const isSealed = (value: unknown): boolean =>
  typeof value === 'string' && /^([\w-]+\.)?[A-Za-z0-9+/]{40,}={0,2}$/.test(value)

const isExported = (one: unknown): one is Exported =>
  isObject(one) &&
  isIdText(one.id) &&
  isIdText(one.contact_id) &&
  isTime(one.created_at) &&
  (one.ended_at === null || isTime(one.ended_at)) &&
  Array.isArray(one.phone_hmacs) &&
  one.phone_hmacs.every((key) => typeof key === 'string' && /^[0-9a-f]{64}$/.test(key))

const isIdText = (value: unknown): boolean => typeof value === 'string' && isId(value)
const isTime = (value: unknown): value is string => typeof value === 'string' && Number.isFinite(clock.parse(value))

/**
 * Queues the erasures in the transaction that restores the backup, so that everyone who is restored is erased again,
 * also if this process is killed then.
 */
export async function queueErasures(
  service: Service,
  db: Db,
  { erasures, backed_up_at }: { erasures: Erasures; backed_up_at: string },
): Promise<number> {
  const readTestTime = openTestTime(db)
  const restored = new Set((await workspaces.list({ db })).map(({ id }) => id))
  let count = 0
  for (const exported of erasures.workspaces) {
    if (!restored.has(exported.id)) continue
    const now = await readTestTime(exported.id)
    const at = { ...atWall(service, exported.id, now), db }
    count += await queueAgain(at, exported, { backed_up_at: clock.parse(backed_up_at) }).catch((error: unknown) => {
      if (!/sealed|decrypt|authenticate/i.test(errorMessage(error))) throw error
      throw new SetupError(
        "SECRETS_KEY can't open the secret in the file of erasures: set SECRETS_KEY to the key of the service that has " +
          'exported it, and SECRETS_KEY_PREVIOUS to that of the backup',
      )
    })
  }
  return count
}

const wait_ms = 500
/**
 * Stops waiting after this many waits without progress. Calls that went on when the backup was made end when the
 * service runs.
 */
const waits_max = 6

/** Does the work of the queued erasures, before any service can call or write to these persons. Returns how many wait for the service. */
export async function runErasures(service: Service, { workspaces }: Erasures, signal: AbortSignal): Promise<number> {
  let left = 0
  for (const { id } of workspaces) left += await runIn(service, id, signal)
  return left
}

async function runIn(service: Service, workspace: string, signal: AbortSignal): Promise<number> {
  let last = ''
  let waits = 0
  for (;;) {
    const at = await atWorkspace(service, workspace)
    const { running, progress } = await readProgress(at)
    if (running === 0 || signal.aborted) return running
    waits = progress === last ? waits + 1 : 0
    if (waits > waits_max) return running
    last = progress
    await runDue(at, erasing, signal)
    await runDue(await atWorkspace(service, workspace), recording_files, signal)
    await sleep(wait_ms)
  }
}

async function runDue(at: AtOutside, work: RowWork, signal: AbortSignal): Promise<void> {
  const { claim, run } = rowWork(work)
  const request = { slots: 1, slow_slots: 0, claimed: new Set<never>(), by_key: new Map(), is_polled: true }
  const context = { isStopping: () => signal.aborted, onProgress: () => {}, log: openLog('warn') }
  for (;;) {
    const [item] = await claim(at, request)
    if (!item || signal.aborted) return
    await run(at, item, context)
  }
}

export interface ErasedAgain {
  count: number
  /** The number of erasures that wait for the service. */
  left: number
  exported_at: string
}

/** Describes what the restored data may still have. */
export function describeErasures(backed_up_at: string, again: ErasedAgain | undefined): string[] {
  if (!again)
    return [
      `Persons who were erased since ${backed_up_at} are back: erase them again, or restore into an empty target with --erasures FILE.`,
    ]
  const { count, left, exported_at } = again
  const kept_from = clock.iso(clock.parse(exported_at) - kept_ms)
  return [
    `Erased again: ${counted(count, 'person', 'persons')}.`,
    ...(left > 0
      ? [`${counted(left, 'erasure ends', 'erasures end')} when the service runs: calls or files are left.`]
      : []),
    ...(backed_up_at < kept_from
      ? [`Not covered, because erasures are kept for 365 days: from ${backed_up_at} to ${kept_from}.`]
      : []),
    `Not covered: persons who were erased since ${exported_at}.`,
  ]
}
