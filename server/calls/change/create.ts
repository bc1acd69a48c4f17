import { chooseVersion } from '../../agents/choose-version.ts'
import * as agents from '../../agents/find.ts'
import { findVersion } from '../../agents/find-version.ts'
import { canBegin, chooseActive, explainNoChoice } from '../../channels/choose.ts'
import * as channels from '../../channels/store.ts'
import { refusal } from '../../consent/refusals.ts'
import * as contacts from '../../contacts/store.ts'
import { findAgent, memberFaults, unknown } from '../../conversations/begin.ts'
import { type At, type AtOutside, simulatesPeople } from '../../kit/at.ts'
import * as clock from '../../kit/clock.ts'
import { isId } from '../../kit/id.ts'
import { type Fault, invalid, invalidState, Problem } from '../../kit/problem.ts'
import * as workspaces from '../../workspaces/store.ts'
import { speechFinder } from '../carrier.ts'
import { countEarlier, countInFlight, insert, lineOf, newCall } from '../queue.ts'
import { type Row, shownOf } from '../rows.ts'
import type { Call, NewCall } from '../schema.ts'
import { findRules } from '../store.ts'

const scheduled_ahead_max_ms = 366 * clock.day_ms

type Input = NewCall & Partial<Pick<Row, 'keeps_quiet_hours' | 'campaign_id'>>

/** Creates a call, which is dialled in the background. Other rooms call it in their transactions. */
export async function create(at: At, input: Input): Promise<Call> {
  const [created] = await createMany(at, [input])
  if (!created || created instanceof Problem) throw created
  return created
}

/**
 * Returns a problem for each call that is refused. Concurrent requests of a workspace come together, because each locks
 * it.
 */
export async function createMany(at: At, inputs: Input[]): Promise<(Call | Problem)[]> {
  const prepared = await Promise.all(inputs.map((input) => prepare(at, input).catch(asProblem)))
  const admitted = await admitAll(at, prepared)
  await insert(
    at,
    admitted.flatMap((one) => (one instanceof Problem ? [] : [one])),
  )
  return admitted.map((one) => (one instanceof Problem ? one : shownOf(one)))
}

function asProblem(error: unknown): Problem {
  if (error instanceof Problem) return error
  throw error
}

async function prepare(at: At, input: Input): Promise<Row> {
  const due_at = Math.max(at.now, clock.parse(input.scheduled_at ?? clock.iso(at.now)))
  const is_scheduled = due_at > at.now
  const { agent, version, channel, recipient } = await findParts(at, input)
  const { to, contact_id } = recipient
  const simulate = input.simulate ?? null
  const is_test = simulatesPeople(at) || simulate !== null || channel?.provider === 'simulator'
  const [[rule], attempt] = await Promise.all([findRules(at, [{ to, is_test }]), countEarlier(at, to)])
  if (rule) throw refusal(rule)
  return newCall(at, {
    agent,
    version,
    channel,
    to,
    contact_id,
    is_test,
    line: simulate === null ? lineOf(at, channel) : null,
    attempt: attempt + 1,
    status: is_scheduled ? 'scheduled' : 'queued',
    scheduled_at: input.scheduled_at ? clock.iso(clock.parse(input.scheduled_at)) : null,
    campaign_id: input.campaign_id ?? null,
    metadata: input.metadata ?? {},
    variables: input.variables ?? {},
    simulate,
    due_at: clock.iso(due_at),
    keeps_quiet_hours: input.keeps_quiet_hours ?? false,
  })
}

/**
 * Checks before the transaction, because it takes long, whether the agent can hear and speak, if it is to call a
 * telephone.
 */
export async function assertSpeech(at: AtOutside, input: Input): Promise<void> {
  const { agent_id, agent_version_id = null, simulate = null } = input
  if (simulatesPeople(at) || simulate !== null) return
  const { channel = null } = await findChannel(at, input)
  if (lineOf(at, channel) === null) return
  const agent = isId(agent_id) ? await agents.get(at, agent_id).catch(asProblem) : undefined
  // `createMany` reports what is unknown.
  if (!agent || agent instanceof Problem) return
  const version_id = agent_version_id ?? chooseVersion(agent, await findNumber(at, input)).id
  const version = isId(version_id) ? await findVersion(at, { agent_id, version_id }) : undefined
  if (version) await speechFinder.of(at)(at, version.configuration)
}

/** Finds the number by which the version of the agent is chosen. */
async function findNumber(at: At, { to = null, contact_id = null }: Input): Promise<string> {
  if (to !== null || contact_id === null || !isId(contact_id)) return to ?? ''
  return (await contacts.getMany(at, [contact_id])).get(contact_id)?.phone_number ?? ''
}

/**
 * Refuses calls for which there is no room. Locks the workspace, so that the number of calls in flight can't grow
 * meanwhile: as late as possible, because others wait.
 */
export async function admitAll(at: At, prepared: (Row | Problem)[]): Promise<(Row | Problem)[]> {
  const isQueued = (one: Row | Problem) => !(one instanceof Problem) && one.status === 'queued'
  if (!prepared.some(isQueued)) return prepared
  await workspaces.lock(at)
  const { calls_in_flight_max } = await workspaces.readSettings(at)
  let room = calls_in_flight_max - (await countInFlight(at, calls_in_flight_max))
  return prepared.map((one) => {
    if (!isQueued(one)) return one
    room -= 1
    return room >= 0 ? one : noRoom(calls_in_flight_max)
  })
}

const noRoom = (calls_in_flight_max: number): Problem =>
  invalidState(`The workspace can have at most ${calls_in_flight_max} calls in flight: see \`calls_in_flight_max\`.`, {
    calls_in_flight_max,
  })

/** Shares the agent and the contact, so that neither is deleted before the transaction ends. */
async function findParts(at: At, input: Input) {
  const { agent_id, agent_version_id = null } = input
  const [agent, recipient, { channel = null, faults: channel_faults }] = await Promise.all([
    findAgent(at, agent_id),
    findRecipient(at, input),
    findChannel(at, input),
  ])
  const counterpart = 'to' in recipient ? recipient.to : ''
  const version_id = agent && (agent_version_id ?? chooseVersion(agent, counterpart).id)
  const version = version_id && (await findVersion(at, { agent_id, version_id }))
  const faults: Fault[] = [
    ...(agent ? [] : [unknown('agent_id', 'an agent')]),
    ...('fault' in recipient ? [recipient.fault] : []),
    ...(agent && !version ? [unknown('agent_version_id', 'a version of this agent')] : []),
    ...channel_faults,
    ...timeFaults(at, input),
    ...memberFaults(input),
  ]
  if (!agent || !version || 'fault' in recipient || faults.length > 0) throw invalid(faults)
  return { agent, version, channel, recipient }
}

type Recipient = { to: string; contact_id: string | null } | { fault: Fault }

async function findRecipient(at: At, { to = null, contact_id = null }: Input): Promise<Recipient> {
  if (to !== null && contact_id !== null) return { fault: both_recipients }
  if (to !== null) return { to, contact_id: await findHolder(at, to) }
  if (contact_id === null) return { fault: no_recipient }
  // The number is read when it can't be deleted any more.
  const contact = (await contacts.share(at, contact_id)) && (await contacts.getMany(at, [contact_id])).get(contact_id)
  return contact ? { to: contact.phone_number, contact_id } : { fault: unknown('contact_id', 'a contact') }
}

/** The contact that has the number, if there is one. */
async function findHolder(at: At, phone_number: string): Promise<string | null> {
  const id = (await contacts.idsByNumber(at, [phone_number])).get(phone_number)
  return id !== undefined && (await contacts.share(at, id)) ? id : null
}

const no_recipient: Fault = { path: 'to', code: 'required', message: 'to or contact_id is required.' }
const both_recipients: Fault = {
  path: 'contact_id',
  code: 'conflict',
  message: "contact_id can't be used together with to.",
}

interface FoundChannel {
  channel?: channels.StoredChannel
  faults: Fault[]
}

/** A simulated person needs no channel. */
async function findChannel(at: At, { channel_id = null, simulate = null }: Input): Promise<FoundChannel> {
  const withFault = (code: string, message: string) => ({ faults: [{ path: 'channel_id', code, message }] })
  if (channel_id === null) {
    if (simulate !== null) return { faults: [] }
    const channel = await chooseActive(at, 'voice')
    if (channel) return { channel, faults: [] }
    const { reason } = await explainNoChoice(at, 'voice')
    return withFault(
      'required',
      `channel_id is required: the workspace has ${reason}. To let a simulated person answer, set simulate instead.`,
    )
  }
  const channel = await channels.find(at, channel_id)
  if (!channel) return { faults: [unknown('channel_id', 'a channel')] }
  if (canBegin(channel, 'voice')) return { channel, faults: [] }
  return withFault('invalid', 'channel_id must be the id of a voice channel that can call and is not disabled.')
}

function timeFaults({ now }: At, { scheduled_at = null }: Input): Fault[] {
  if (scheduled_at === null || clock.parse(scheduled_at) <= now + scheduled_ahead_max_ms) return []
  return [{ path: 'scheduled_at', code: 'too_late', message: 'scheduled_at must be at most a year ahead.' }]
}
