import { isDeepStrictEqual } from 'node:util'
import { findVersion } from '../agents/find-version.ts'
import { canBegin } from '../channels/choose.ts'
import * as channels from '../channels/store.ts'
import * as clocks from '../clocks/store.ts'
import { findAgent, memberFaults, unknown } from '../conversations/begin.ts'
import type { At } from '../kit/at.ts'
import * as clock from '../kit/clock.ts'
import { type Fault, invalid, invalidState } from '../kit/problem.ts'
import { type Campaign, type CampaignChange, final_statuses } from './schema.ts'

/** The settings, which clients can set. */
export type Settings = Omit<Campaign, 'id' | 'status' | 'pause_reason' | 'counts' | 'created_at' | 'updated_at'>

/** The settings that can change after the start. */
const changeable_while_running = ['name', 'windows', 'holidays', 'pacing', 'retry', 'caps', 'ends_at']

/**
 * Applies a change. Times get one format, and nested settings keep what the change leaves out. The version is not
 * checked yet.
 */
export function applyChange(before: Settings, change: CampaignChange): Settings {
  const { agent_version_id, pacing, caps, starts_at, ends_at, ...fields } = change
  return {
    ...before,
    ...fields,
    pacing: { ...before.pacing, ...pacing },
    caps: { ...before.caps, ...caps },
    starts_at: starts_at === undefined ? before.starts_at : toIso(starts_at),
    ends_at: ends_at === undefined ? before.ends_at : toIso(ends_at),
    agent_version: agent_version_id === undefined ? before.agent_version : toVersion(agent_version_id, before),
  }
}

const toIso = (time: string | null): string | null => clock.isoOptional(clock.parseOptional(time))

function toVersion(id: string | null, { agent_version }: Settings): Settings['agent_version'] {
  if (id === null) return null
  return id === agent_version?.id ? agent_version : { id, version_label: '' }
}

/**
 * Fails if settings have changed that must not. The body of a GET can be sent back, because only what differs counts.
 */
export function assertChangeable(before: Campaign, after: Settings): void {
  const { status } = before
  if (status === 'draft' || status === 'scheduled') return
  const is_final = final_statuses.includes(status)
  const changed = changedFields(before, after)
  const fixed = is_final ? changed : changed.filter((name) => !changeable_while_running.includes(name))
  const [field] = fixed
  if (field === undefined) return
  throw invalidState(`${field} can't be changed while the campaign is ${status}.`, { status, field })
}

/** These settings decide when enrollments that wait may be attempted. */
const times = ['windows', 'holidays', 'caps', 'ends_at']

/** Whether enrollments that wait must be looked at again. */
export const changesTimes = (before: Settings, after: Settings): boolean =>
  changedFields(before, after).some((name) => times.includes(name))

const changedFields = (before: Settings, after: Settings): string[] =>
  (Object.keys(after) as (keyof Settings)[]).filter((name) => !isSame(before[name], after[name]))

/** Compares settings, whatever the order of their members. */
const isSame = (one: unknown, other: unknown): boolean => isDeepStrictEqual(toPlain(one), toPlain(other))
const toPlain = (value: unknown): unknown => JSON.parse(JSON.stringify(value))

/**
 * Checks what has changed, so that a campaign whose channel was deleted can still be renamed. Returns the settings with the
 * version of the agent, which is kept from being deleted until the transaction ends.
 */
export async function checked(at: At, before: Settings | undefined, after: Settings): Promise<Settings> {
  const isChanged = (...names: (keyof Settings)[]) =>
    !before || names.some((name) => !isSame(before[name], after[name]))
  const agent = isChanged('agent_id', 'agent_version') ? await findParts(at, after) : undefined
  const faults: Fault[] = [
    ...(agent?.faults ?? []),
    ...(isChanged('channel_ids', 'kind') ? await channelFaults(at, after) : []),
    ...memberFaults(after),
    ...windowFaults(after),
    ...retryFaults(after),
    ...timeFaults(at, after),
  ]
  if (faults.length > 0) throw invalid(faults)
  return agent ? { ...after, agent_version: agent.agent_version } : after
}

async function findParts(at: At, { agent_id, agent_version }: Settings) {
  const agent = await findAgent(at, agent_id)
  const version = agent && agent_version && (await findVersion(at, { agent_id, version_id: agent_version.id }))
  const faults: Fault[] = [
    ...(agent ? [] : [unknown('agent_id', 'an agent')]),
    ...(agent && agent_version && !version ? [unknown('agent_version_id', 'a version of this agent')] : []),
  ]
  return { agent_version: version ? { id: version.id, version_label: version.version_label } : null, faults }
}

async function channelFaults(at: At, { channel_ids, kind }: Settings): Promise<Fault[]> {
  const found = await Promise.all(channel_ids.map((id) => channels.find(at, id)))
  return found.flatMap((channel, index) => {
    const path = `channel_ids.${index}`
    if (!channel) return [unknown(path, 'a channel')]
    if (channel_ids.indexOf(channel.id) < index)
      return [{ path, code: 'duplicate', message: `${path} is in the list already.` }]
    if (canBegin(channel, kind)) return []
    const what = kind === 'voice' ? 'a voice channel that can call and' : 'an SMS channel that'
    return [{ path, code: 'invalid', message: `${path} must be the id of ${what} is not disabled.` }]
  })
}

const windowFaults = ({ windows }: Settings): Fault[] =>
  windows.flatMap(({ start, end }, index) => {
    const path = `windows.${index}.end`
    return start === end ? [{ path, code: 'invalid', message: `${path} must differ from start.` }] : []
  })

const retryFaults = ({ retry }: Settings): Fault[] =>
  retry.flatMap(({ outcome, attempts_max, waits_seconds }, index) => {
    const path = `retry.${index}`
    if (retry.findIndex((rule) => rule.outcome === outcome) < index)
      return [{ path: `${path}.outcome`, code: 'duplicate', message: `${path}.outcome has a rule already.` }]
    if (attempts_max === 1 || waits_seconds.length > 0) return []
    const message = `${path}.waits_seconds must have at least one wait, because attempts_max is above 1.`
    return [{ path: `${path}.waits_seconds`, code: 'too_few', message }]
  })

function timeFaults({ now }: At, { starts_at, ends_at }: Settings): Fault[] {
  if (starts_at === null) return []
  // A start must be a time after which later times can still be stored.
  if (!clocks.isValidTime(Math.max(now, clock.parse(starts_at))))
    return [{ path: 'starts_at', code: 'maximum', message: 'starts_at must not be after the year 9998.' }]
  return ends_at !== null && clock.parse(ends_at) <= clock.parse(starts_at)
    ? [{ path: 'ends_at', code: 'minimum', message: 'ends_at must be after starts_at.' }]
    : []
}
