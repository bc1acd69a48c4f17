import { chooseVersion } from '../agents/choose-version.ts'
import { type Configuration, withMcpTools } from '../agents/configuration.ts'
import { findVersion } from '../agents/find-version.ts'
import * as channels from '../channels/store.ts'
import * as contacts from '../contacts/store.ts'
import type { At } from '../kit/at.ts'
import { newId } from '../kit/id.ts'
import { type Fault, invalid, invalidState } from '../kit/problem.ts'
import type { KeptMcpTool } from '../tools/mcp-schema.ts'
import { findAgent, hasFirstWords, insertWithMessage, newConversation } from './begin.ts'
import { memberFaults, unknown } from './member-faults.ts'
import type { Conversation, NewConversation } from './schema.ts'
import { findOpenThread } from './store.ts'
import { writing_to } from './threads.ts'

/** Begins a conversation over the API. With a message the contact begins, else the agent does if it has first words. */
export async function create(at: At, input: NewConversation, mcp_tools: KeptMcpTool[] = []): Promise<Conversation> {
  const id = newId()
  const { agent, version, channel, counterpart } = await findParts(at, input, id)
  const { message = null } = input
  const begun = newConversation(at, {
    id,
    kind: channel ? 'sms' : 'api',
    channel_id: channel?.id ?? null,
    contact_id: input.contact_id ?? null,
    counterpart,
    agent,
    version,
    awaits_answer: channel !== undefined || message !== null || hasFirstWords(version.configuration),
    ...(input.variables && { variables: input.variables }),
    ...(input.metadata && { metadata: input.metadata }),
    is_test: input.is_test ?? false,
  })
  const draft = version.id === null ? withMcpTools(version.configuration, mcp_tools) : null
  const conversation = await insertWithMessage(at, { conversation: begun, message, draft })
  if (!conversation) throw alreadyOpen((await findOpenThread(at, begun)) ?? begun)
  return conversation
}

const alreadyOpen = ({ id: conversation_id, status }: Pick<Conversation, 'id' | 'status'>) =>
  invalidState('There is an open conversation with this contact on this channel.', { status, conversation_id })

/** Shares the agent and the contact, so that neither is deleted before the transaction ends. */
async function findParts(at: At, input: NewConversation, id: string) {
  const { agent_id, contact_id = null, agent_version_id = null, use_draft = false } = input
  const [agent, has_contact, { channel, fault }] = await Promise.all([
    findAgent(at, agent_id),
    contact_id === null || contacts.share(at, contact_id),
    findChannel(at, input),
  ])
  const version_id = agent && (agent_version_id ?? chooseVersion(agent, contact_id ?? id).id)
  const version = version_id && (await findVersion(at, { agent_id, version_id }))
  const faults: Fault[] = [
    ...(agent ? [] : [unknown('agent_id', 'an agent')]),
    ...(has_contact ? [] : [unknown('contact_id', 'a contact')]),
    ...(agent && !version ? [unknown('agent_version_id', 'a version of this agent')] : []),
    ...(use_draft && agent_version_id !== null ? [draftAndVersion] : []),
    ...(fault ? [fault] : []),
    ...(channel && input.is_test ? [trialOnChannel] : []),
    ...memberFaults(input),
  ]
  if (!agent || !version || faults.length > 0) throw invalid(faults)
  const counterpart = channel && contact_id !== null ? await numberOf(at, contact_id) : null
  return { agent, version: use_draft ? asVersion(agent.draft) : version, channel, counterpart }
}

/** By SMS the agent writes first. */
async function findChannel(at: At, { channel_id = null, contact_id = null, message = null }: NewConversation) {
  if (channel_id === null) return {}
  const channel = await channels.find(at, channel_id)
  if (!channel) return { fault: unknown('channel_id', 'a channel') }
  if (channel.kind !== 'sms' || channel.status === 'disabled')
    return {
      fault: {
        path: 'channel_id',
        code: 'invalid',
        message: 'channel_id must be the id of an SMS channel that is not disabled.',
      },
    }
  if (contact_id === null)
    return { fault: { path: 'contact_id', code: 'required', message: 'contact_id is required with channel_id.' } }
  if (message !== null)
    return {
      fault: {
        path: 'message',
        code: 'not_allowed',
        message: "message can't be used with channel_id: the agent writes first.",
      },
    }
  return { channel }
}

/** Throws when nothing may be sent to the contact. */
async function numberOf(at: At, contact_id: string): Promise<string | null> {
  const phone_number = (await contacts.getMany(at, [contact_id])).get(contact_id)?.phone_number ?? null
  if (phone_number !== null) await at.hooks.run(at, writing_to, { phone_number })
  return phone_number
}

const asVersion = (configuration: Configuration) => ({ id: null, version_label: 'draft', configuration })

const trialOnChannel: Fault = {
  path: 'is_test',
  code: 'conflict',
  message: "is_test can't be used together with channel_id: text messages reach real people.",
}

const draftAndVersion: Fault = {
  path: 'use_draft',
  code: 'conflict',
  message: "use_draft can't be used together with agent_version_id.",
}
