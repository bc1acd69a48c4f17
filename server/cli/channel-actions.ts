import * as agents from '../agents/find.ts'
import type { Agent } from '../agents/schema.ts'
import * as audit from '../audit/store.ts'
import { checkUrl } from '../channels/check.ts'
import {
  ChannelChange,
  ChannelTest,
  type ChannelTestResult,
  type ChannelWithSettings,
  NewChannel,
} from '../channels/schema.ts'
import * as channels from '../channels/store.ts'
import { type At, type AtOutside, atWorkspace, inTransaction, type Service } from '../kit/at.ts'
import { type RequestSchema, validate } from '../kit/http/validate.ts'
import { isId } from '../kit/id.ts'
import { type Fault, invalid, Problem } from '../kit/problem.ts'
import { testChannel } from '../lines/test-channel.ts'
import { quote } from '../start/greeting.ts'
import { consoleOf, type Shell } from '../start/shell.ts'
import { isRunning } from './api-client.ts'
import { findWorkspace } from './choose-workspace.ts'
import { UsageError } from './command.ts'
import { findByName } from './find-by-name.ts'
import { readSecretFile } from './prompt.ts'
import { type Answer, formatTable } from './run.ts'

export interface ChannelOptions {
  workspace: string
  name?: string
  agent?: string
  accountSid?: string
  authTokenFile?: string
  apiUrl?: string
  origins?: string[]
  voice?: boolean
  perMinute?: number
  perDay?: number
  tokensPerDay?: number | ''
}

export interface NewChannelOptions extends ChannelOptions {
  kind: string
  provider: string
  number?: string
}

export interface ChannelTestOptions {
  workspace: string
  to?: string
}

/** The options by the names of fields, for errors. */
const option_by_field: Record<string, string> = {
  address: '--number',
  agent_id: '--agent',
  account_sid: '--account-sid',
  auth_token: '--auth-token-file',
  api_url: '--api-url',
  origins: '--origins',
  has_voice: '--voice',
  name: '--name',
  kind: '--kind',
  to: '--to',
  messages_per_minute_max: '--per-minute',
  messages_per_day_max: '--per-day',
  tokens_per_day_max: '--tokens-per-day',
}
const isCurrent = () => true

/** Lists all channels, of which a workspace has at most 100. */
export async function listChannels(service: Service, workspace: string): Promise<Answer> {
  const { id } = await findWorkspace(service, workspace)
  const { data } = await channels.list(await atWorkspace(service, id), { limit: 100, offset: 0 })
  const rows = data.map((one) => [
    one.id,
    one.name,
    one.kind,
    one.provider,
    one.address ?? '',
    one.inbound_url ?? one.public_url ?? '',
    one.agent_id ?? '',
    one.error === null ? one.status : `${one.status}: ${one.error}`,
  ])
  const header = ['ID', 'NAME', 'KIND', 'PROVIDER', 'NUMBER', 'URL', 'AGENT', 'STATUS']
  return { data: { channels: data }, text: formatTable(header, rows) }
}

export async function createChannel(service: Service, shell: Shell, options: NewChannelOptions): Promise<Answer> {
  const { kind, provider, number } = options
  const workspace = await findWorkspace(service, options.workspace)
  const at = await atWorkspace(service, workspace.id)
  const settings = await settingsIn(at, options, workspace)
  const given = { ...settings, kind, provider, ...(number !== undefined && { address: number }) }
  return naming(async () => {
    const input = { ...validated<NewChannel>(NewChannel, given), ...trustIn(options) }
    await checkUrl(at, input)
    const channel = await inTransaction(at, (at) => recorded(at, 'channels.create', channels.create(at, input)))
    await checkAddress(at, shell, channel)
    return { data: { channel }, text: describe(at, channel, workspace) }
  })
}

export async function updateChannel(
  service: Service,
  shell: Shell,
  id: string,
  options: ChannelOptions,
): Promise<Answer> {
  if (Object.keys(options).every((name) => name === 'workspace')) throw new UsageError('name what to change')
  return withChannel(service, { id, workspace: options.workspace }, async (at, { workspace }) => {
    const given = await settingsIn(at, options, workspace)
    return naming(async () => {
      const change = { ...validated<ChannelChange>(ChannelChange, given), ...trustIn(options) }
      await checkUrl(at, change)
      const channel = await inTransaction(at, (at) =>
        recorded(at, 'channels.update', channels.update(at, { id, change, isCurrent })),
      )
      await checkAddress(at, shell, channel)
      return { data: { channel }, text: describe(at, channel, workspace) }
    })
  })
}

export const setStatus = (
  service: Service,
  id: string,
  { workspace, status }: { workspace: string; status: 'active' | 'disabled' },
): Promise<Answer> =>
  withChannel(service, { id, workspace }, async (at) => {
    const channel = await inTransaction(at, (at) =>
      recorded(at, 'channels.update', channels.update(at, { id, change: { status }, isCurrent })),
    )
    return { data: { channel }, text: `Channel "${channel.name}" is ${channel.status}.` }
  })

export const runTest = (service: Service, id: string, { workspace, to }: ChannelTestOptions): Promise<Answer> =>
  withChannel(service, { id, workspace }, (at, { channel }) =>
    naming(async () => {
      const result = await testChannel(at, {
        id,
        ...validated<ChannelTest>(ChannelTest, to === undefined ? {} : { to }),
      })
      return { data: { result }, text: describeTest(channel, result), has_failed: !result.is_ok }
    }),
  )

function describeTest({ kind, address }: ChannelWithSettings, { is_ok, error, findings }: ChannelTestResult): string {
  if (findings.length > 0) return findings.map(({ message }) => `- ${message}`).join('\n')
  if (!is_ok) return `It failed: ${error}`
  return kind === 'sms' ? 'The message was sent.' : `Everything is set up. Call ${address} to talk to the agent.`
}

export const deleteChannel = (service: Service, id: string, workspace: string): Promise<Answer> =>
  withChannel(service, { id, workspace }, async (at, { channel }) => {
    await inTransaction(at, async (at) => {
      await channels.remove(at, { id, isCurrent })
      await recorded(at, 'channels.delete', Promise.resolve(channel))
    })
    return { data: { deleted: true, channel }, text: `Channel "${channel.name}" is deleted.` }
  })

/** Records a change in the audit log. */
async function recorded<C extends { id: string }>(at: At, action: string, changing: Promise<C>): Promise<C> {
  const channel = await changing
  await audit.record(at, { action, subject: { type: 'channel', id: channel.id } })
  return channel
}

async function withChannel(
  service: Service,
  { id, workspace: name }: { id: string; workspace: string },
  work: (at: AtOutside, found: { channel: ChannelWithSettings; workspace: { name: string } }) => Promise<Answer>,
): Promise<Answer> {
  const workspace = await findWorkspace(service, name)
  const at = await atWorkspace(service, workspace.id)
  const channel = isId(id) && (await channels.find(at, id)) && (await channels.get(at, id))
  const hint = isId(id) ? '' : ': use the id that "parley channel list" shows'
  if (!channel) throw new Problem('NOT_FOUND', `there is no channel ${id} in "${workspace.name}"${hint}`)
  return work(at, { channel, workspace })
}

/** Lists all agents, of which a workspace has at most 1,000. */
async function listAgents(at: At): Promise<Agent[]> {
  const listed: Agent[] = []
  for (let cursor: string | null | undefined; cursor !== null; ) {
    const page = await agents.list(at, { limit: 100, offset: 0, ...(cursor && { cursor }) })
    listed.push(...page.data)
    cursor = page.pagination.next_cursor
  }
  return listed
}

async function settingsIn(at: At, options: ChannelOptions, workspace: { name: string }): Promise<object> {
  const { name, agent, accountSid, authTokenFile, apiUrl, origins, voice, perMinute, perDay, tokensPerDay } = options
  const given = {
    name,
    agent_id: agent ? findByName(await listAgents(at), agent, 'agent', workspace).id : agent,
    account_sid: accountSid,
    auth_token: authTokenFile === undefined ? undefined : readSecretFile('--auth-token-file', authTokenFile),
    api_url: apiUrl,
    origins,
    has_voice: voice,
    messages_per_minute_max: perMinute,
    messages_per_day_max: perDay,
    tokens_per_day_max: tokensPerDay === '' ? null : tokensPerDay,
  }
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined))
}

/** Trusts the address of an API, because the operator may name any. */
const trustIn = ({ apiUrl }: ChannelOptions) => (apiUrl === undefined ? {} : { is_api_url_trusted: true })

/** Validates input. `Valid` is the type of the schema, which uses only keywords that `validate` checks. */
function validated<Valid>(schema: object, input: object): Valid {
  const { value, faults } = validate(schema as RequestSchema, input)
  if (faults.length > 0) throw invalid(faults)
  return value as Valid
}

/** Runs the work. Its errors name the options instead of the fields. */
async function naming(work: () => Promise<Answer>): Promise<Answer> {
  try {
    return await work()
  } catch (error) {
    const [fault] = error instanceof Problem ? ((error.details.fields ?? []) as Fault[]) : []
    const field = fault?.path.split('.')[0] ?? ''
    const option = option_by_field[field]
    if (!fault || option === undefined) throw error
    throw invalid([{ ...fault, message: fault.message.replace(fault.path, option) }])
  }
}

/**
 * Warns if the service doesn't answer at the address that is printed. The command knows it only from its own settings.
 */
async function checkAddress(at: At, shell: Shell, { public_url, inbound_url }: ChannelWithSettings): Promise<void> {
  const address = at.tools.address()
  const is_shown = public_url !== null || inbound_url !== null
  // Only PUBLIC_URL can begin with https:, and it may be out of reach from here.
  if (!is_shown || address.startsWith('https:') || (await isRunning(address))) return
  consoleOf(shell).error(
    `The service doesn't answer at ${address}, which the addresses below begin with. If it runs elsewhere, set HOST and PORT, ` +
      'or PUBLIC_URL, as for the service: "parley channel list" then shows the right ones.',
  )
}

function describe({ tools }: At, channel: ChannelWithSettings, workspace: { name: string }): string {
  const { id, kind, name, address, public_url, inbound_url, origins } = channel
  const lines = [`Channel "${name}" ${id}`]
  if (public_url !== null) lines.push(`${kind === 'voice' ? 'Page to talk' : 'Chat page'} ${public_url}`)
  if (kind === 'web_chat' && origins.length > 0)
    lines.push(
      `Snippet for your website <script src="${tools.address()}/chat/widget.js" data-channel="${id}" async></script>`,
    )
  if (kind === 'web_chat' && origins.length === 0)
    lines.push(
      'To show it on your website, name the origin of its pages: ' +
        `parley channel update ${id} --workspace ${quote(workspace.name)} --origins https://example.com`,
    )
  if (inbound_url !== null && kind === 'voice')
    lines.push(
      'Connect the number:',
      `1. In the Twilio Console, open ${address}. Under "Voice Configuration", set "A call comes in" to Webhook, HTTP POST and`,
      `   ${inbound_url}`,
      '   Leave "Call status changes" empty: the service asks for reports by itself.',
      `2. Twilio must be able to reach ${tools.address()}, which is the service's PUBLIC_URL.`,
      `3. Check it: parley channel test ${id} --workspace ${quote(workspace.name)}`,
      `4. Call ${address}.`,
    )
  if (inbound_url !== null && kind === 'sms') lines.push(`Tell Twilio to send incoming messages to ${inbound_url}`)
  if (inbound_url?.startsWith('https:') === false)
    lines.push('Twilio can only reach a public address: set PUBLIC_URL to the https:// address of the service.')
  return lines.join('\n')
}
