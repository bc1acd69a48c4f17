import type { At } from '../kit/at.ts'
import * as clock from '../kit/clock.ts'
import type { IsCurrent } from '../kit/http/operation.ts'
import { isId, newId } from '../kit/id.ts'
import { batchedGetById } from '../kit/postgres/get-by-id.ts'
import * as page from '../kit/postgres/page.ts'
import { raw, sql } from '../kit/postgres/sql.ts'
import { invalidState, notFound, Problem, preconditionFailed } from '../kit/problem.ts'
import { truncate } from '../kit/text.ts'
import * as workspaces from '../workspaces/store.ts'
import { applyChange, assertChangeable, changesTimes, checked, type Settings } from './check.ts'
import { joinCounts } from './counts.ts'
import { columns, insertRow, table, updateSettings } from './rows.ts'
import { type Campaign, type CampaignChange, type CampaignQuery, campaigns_max, type NewCampaign } from './schema.ts'
import { default_attempts_max, default_caps, default_pacing, default_windows } from './settings.ts'

const name_length_max = 200

const getById = batchedGetById(columns, raw(table.name), joinCounts)

export async function get({ db, workspace }: At, id: string): Promise<Campaign> {
  const found = isId(id) ? await getById(db, workspace, id) : undefined
  if (!found) throw notFound()
  return found
}

export function list({ db, workspace }: At, query: CampaignQuery): Promise<page.Page<Campaign>> {
  const { status } = query
  const own = sql`where workspace_id = ${workspace} ${status === undefined ? raw('') : sql`and status = ${status}`}`
  return page.readSelection(
    db,
    query,
    page.newest_first,
    sql`select ${columns} from campaigns ${joinCounts(sql`${workspace}`)} ${own}`,
    sql`select from campaigns ${own}`,
  )
}

/** Locks the campaign until the transaction ends. Its counts are read after that, because they may have changed meanwhile. */
export async function lock(at: At, id: string): Promise<Campaign> {
  const { db, workspace } = at
  const locked =
    isId(id) &&
    (await db.run(sql`select from campaigns where workspace_id = ${workspace} and id = ${id} for no key update`)) > 0
  if (!locked) throw notFound()
  return get(at, id)
}

const defaults = {
  agent_version: null,
  channel_ids: [],
  variables: {},
  windows: default_windows,
  time_zone: null,
  holidays: [],
  pacing: default_pacing,
  retry: [],
  attempts_max: default_attempts_max,
  caps: default_caps,
  consent: 'not_opted_out',
  voicemail: 'hang_up',
  starts_at: null,
  ends_at: null,
} as const satisfies Partial<Settings>

/** Creates a campaign. Locks the workspace, as the deletion of an agent does. */
export async function create(at: At, input: NewCampaign): Promise<Campaign> {
  await workspaces.lock(at)
  await assertRoom(at)
  const { name, kind, agent_id, ...change } = input
  const settings = applyChange({ name, kind, agent_id, ...structuredClone(defaults) }, change)
  return insert(at, await checked(at, undefined, settings))
}

/**
 * Makes a draft with the same settings, without the contacts and without the times at which the campaign begins and
 * ends.
 */
export async function clone(at: At, id: string): Promise<Campaign> {
  await workspaces.lock(at)
  const original = await get(at, id)
  await assertRoom(at)
  const name = truncate(`Copy of ${original.name}`, name_length_max)
  const settings = { ...settingsOf(original), name, starts_at: null, ends_at: null }
  return insert(at, await checked(at, undefined, settings).catch(asInvalidState))
}

/** Turns an error of validation into one of state, because a clone has no body that could be wrong. */
function asInvalidState(error: unknown): never {
  if (error instanceof Problem) throw invalidState(`The campaign can't be cloned: ${error.message}`)
  throw error
}

async function assertRoom({ db, workspace }: At): Promise<void> {
  const total = await page.count(
    db,
    sql`select from campaigns where workspace_id = ${workspace} and status not in ('completed', 'canceled')`,
  )
  if (total >= campaigns_max)
    throw invalidState(`A workspace can have at most ${campaigns_max} campaigns that are not completed or canceled.`)
}

function settingsOf(campaign: Campaign): Settings {
  const { id, status, pause_reason, counts, created_at, updated_at, ...settings } = campaign
  return settings
}

async function insert(at: At, settings: Settings): Promise<Campaign> {
  const id = newId()
  const created_at = clock.iso(at.now)
  await insertRow(at, { ...settings, id, status: 'draft', created_at, updated_at: created_at })
  return get(at, id)
}

/**
 * Changes a campaign. An empty change doesn't even change `updated_at`. A change of a running campaign holds from the
 * next second on.
 */
export async function update(
  at: At,
  { id, change, isCurrent }: { id: string; change: CampaignChange; isCurrent: IsCurrent },
): Promise<Campaign> {
  await workspaces.lock(at)
  const before = await lock(at, id)
  if (!isCurrent(before)) throw preconditionFailed()
  if (Object.keys(change).length === 0) return before
  const wanted = applyChange(settingsOf(before), change)
  assertChangeable(before, wanted)
  const settings = await checked(at, settingsOf(before), wanted)
  await updateSettings(at, before, { ...settings, must_review: changesTimes(before, settings) })
  return get(at, id)
}
