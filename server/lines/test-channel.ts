import * as agents from '../agents/find.ts'
import { findVersion } from '../agents/find-version.ts'
import { sound } from '../audio/sound.ts'
import { ChannelTest, ChannelTestResult, type Finding } from '../channels/schema.ts'
import * as channels from '../channels/store.ts'
import { reserve } from '../channels/usage.ts'
import { type AtOutside, inTransaction } from '../kit/at.ts'
import * as clock from '../kit/clock.ts'
import { ById } from '../kit/field.ts'
import * as operation from '../kit/http/operation.ts'
import { newId } from '../kit/id.ts'
import { isPublicHost } from '../kit/outbound/outbound.ts'
import { invalid, invalidState, notFound, rateLimited, tooManyAttempts } from '../kit/problem.ts'
import { assertMaySend } from '../messages/outgoing.ts'
import { carriers } from './carriers.ts'
import { checkNumber } from './twilio/number.ts'

const test_message = 'This is a test message. Your channel works.'

/** Tests of a channel, for people in the dashboard. */
export const operations: operation.Operation[] = [
  operation.remote({
    id: 'channels.test',
    path: '/channels/:id/test',
    scope: 'channels:write',
    summary: 'Test a channel',
    description:
      'An SMS channel sends a message to `to`. A telephone number at Twilio is looked up there, and nobody is called.',
    params: ById,
    body: ChannelTest,
    errors: ['INVALID_STATE'],
    response: ChannelTestResult,
    run: (at, { params, body }) => testChannel(at, { id: params.id, ...body }),
  }),
]

export async function testChannel(at: AtOutside, { id, to }: { id: string } & ChannelTest): Promise<ChannelTestResult> {
  const channel = await channels.find(at, id)
  if (!channel) throw notFound()
  const { kind, provider, status } = channel
  const is_telephone = kind === 'voice' && provider === 'twilio'
  if (kind !== 'sms' && !is_telephone) throw invalidState('Tests are for SMS channels and for telephone numbers.')
  if (status === 'disabled') throw invalidState('This channel is disabled. Enable it first.', { status })
  if (is_telephone) {
    if (to !== undefined) throw toFault('unexpected', 'to must not be sent for voice channels: nobody is called.')
    return testNumber(at, channel)
  }
  if (to === undefined) throw toFault('required', 'to is required for SMS channels.')
  return sendTestMessage(at, { channel, to })
}

const toFault = (code: string, message: string) => invalid([{ path: 'to', code, message }])

/**
 * Sends a message that belongs to no conversation. It counts against the limits of the channel, and asks the ledger as
 * all others do.
 */
async function sendTestMessage(
  at: AtOutside,
  { channel, to }: { channel: channels.StoredChannel; to: string },
): Promise<ChannelTestResult> {
  const { id } = channel
  const carrier = carriers[channel.provider]
  if (!carrier) throw invalidState('This channel sends no messages.')
  await inTransaction(at, async (at) => {
    await assertMaySend(at, to)
    const { granted, retry_at } = (await reserve(at, { channels: [channel], wanted: new Map([[id, 1]]) })).get(id) ?? {}
    if (granted !== 1) throw tooManyAttempts(Math.ceil(((retry_at ?? at.now) - at.now) / 1_000))
  })
  const began = clock.ticks()
  const result = await carrier.send(at, { channel, id: newId(), to, text: test_message })
  const duration_ms = Math.round(clock.ticks() - began)
  if (result.type === 'accepted')
    return { is_ok: result.status !== 'failed', status: null, duration_ms, error: result.error, findings: [] }
  const error = result.type === 'unknown' ? 'The carrier did not answer. The message may have been sent.' : result.error
  return { is_ok: false, status: null, duration_ms, error, findings: [] }
}

async function testNumber(at: AtOutside, channel: channels.StoredChannel): Promise<ChannelTestResult> {
  if (at.tools.tests.count(at.workspace, clock.wall()).is_exceeded) throw rateLimited(1)
  const inbound_url = (await channels.get(at, channel.id)).inbound_url ?? ''
  const own_findings = [...addressFindings(at), ...(await speechFindings(at, channel))]
  const began = clock.ticks()
  const findings = [...(await checkNumber(at, { channel, inbound_url })), ...own_findings]
  const duration_ms = Math.round(clock.ticks() - began)
  const error = findings.map(({ message }) => message).join(' ') || null
  return { is_ok: findings.length === 0, status: null, duration_ms, error, findings }
}

function addressFindings({ tools }: AtOutside): Finding[] {
  const address = tools.address()
  const { protocol, hostname } = new URL(address)
  if (protocol === 'https:' && isPublicHost(hostname)) return []
  return [
    {
      code: 'public_url_not_reachable',
      message:
        `Twilio can't reach the service at ${address}. Set PUBLIC_URL to its public address, which must begin with https://, ` +
        'and restart the service.',
    },
  ]
}

/**
 * Returns a finding if the agent can't hear callers. A caller may get the deployed version or the candidate, so both
 * are checked.
 */
async function speechFindings(at: AtOutside, { agent_id }: channels.StoredChannel): Promise<Finding[]> {
  if (agent_id === null || sound.of(at).offline.isInstalled()) return []
  const { deployed_version, candidate } = await agents.get(at, agent_id)
  const references = [deployed_version, ...(candidate ? [candidate.version] : [])]
  const versions = await Promise.all(references.map(({ id }) => findVersion(at, { agent_id, version_id: id })))
  if (versions.every((version) => version?.configuration.speech.listen)) return []
  return [
    {
      code: 'speech_not_installed',
      message:
        "The agent can't hear callers: offline speech is not installed, and the agent has no provider to listen with. Run " +
        '"parley speech install", or choose a provider in the call settings of the agent.',
    },
  ]
}
