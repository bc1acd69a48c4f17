import type { Visitor } from '../../calls/web.ts'
import { openOwnerLookup } from '../../channels/owners.ts'
import * as channels from '../../channels/store.ts'
import { atWall, type Service, system } from '../../kit/at.ts'
import { isSecret } from '../../kit/crypto/secret.ts'
import { isSameOrigin } from '../../kit/http/browser.ts'
import type { Door, RequestHead } from '../../kit/http/door.ts'
import type { Caller, ValidRequest } from '../../kit/http/operation.ts'
import { openRateLimit } from '../../kit/limits/rate.ts'
import { openTokenLookup } from '../../kit/limits/token-lookup.ts'
import { clientNetwork } from '../../kit/network.ts'
import { Problem, tooManyAttempts } from '../../kit/problem.ts'
import * as visitors from './visitors.ts'
import { type ChatChannel, unknownVisitor } from './web-chat.ts'

/** The scopes of the operations: what anyone may do, what needs the token of a visitor, and who calls. */
export const scopes = { anyone: 'anyone:chat', visitor: 'visitor:chat', caller: 'caller:chat' }
/** A network may begin this many chats, and send this many messages, per minute in a workspace. */
const chats_per_minute_max = 10
const messages_per_minute_max = 60
const calls_per_minute_max = 3

/** The caller of an operation of web chats. */
interface ChatCaller extends Caller {
  channel: ChatChannel
  network: string
  /** The origin of the page that has sent the request. */
  origin: string | null
  /** The visitor. Undefined in the request that begins a chat. */
  visitor: visitors.ChatVisitor | undefined
}

interface WantedToken extends visitors.WantedVisitor {
  /** The token with its channel: a token that is unknown on one channel is not unknown on all. */
  token: string
  now: number
}

export interface FoundChannel {
  channel: ChatChannel
  workspace: string
  is_test: boolean
  origins: string[]
}

export type FindChannel = (id: string, now: number) => Promise<FoundChannel | undefined>

/** Finds the web chats that visitors can use. */
export function openChannelLookup(service: Service): FindChannel {
  const findOwner = openOwnerLookup(service.pool)
  return async (id, now) => {
    const owner = await findOwner(id, now)
    const found = owner && (await channels.find(atWall(service, owner.workspace_id, now), id))
    if (!owner || found?.kind !== 'web_chat' || found.status === 'disabled' || found.agent_id === null) return undefined
    const { agent_id, origins, has_voice } = found
    return { channel: { id, agent_id, has_voice }, workspace: owner.workspace_id, is_test: owner.is_test, origins }
  }
}

/** Identifies visitors by their tokens, and limits what a network may do. */
export function identifyChatVisitor(
  { pool: db }: Service,
  findChannel: FindChannel,
  public_url: string | undefined,
): Door['identify'] {
  const limits = {
    [scopes.anyone]: openRateLimit(chats_per_minute_max, 60),
    [scopes.visitor]: openRateLimit(messages_per_minute_max, 60),
    [scopes.caller]: openRateLimit(calls_per_minute_max, 60),
  }
  const findVisitor = openTokenLookup<WantedToken, visitors.ChatVisitor>((wanted) =>
    visitors.findByTokens({ db, now: wanted[0]?.now ?? 0 }, wanted),
  )
  /**
   * The conversation of a visitor when its stream began. A stream ends when the visitor goes on in another
   * conversation.
   */
  const first_conversations = new WeakMap<RequestHead, string>()

  return async (head, now, { is_recheck = false } = {}): Promise<ChatCaller> => {
    const { operation, params, headers, token, method } = head
    if (headers.origin !== undefined && !isSameOrigin(headers, public_url)) throw otherOrigin()
    const { channel_id = '' } = params
    const found = await findChannel(channel_id, now)
    if (!found || operation.kind === 'raw') throw new Problem('NOT_FOUND', 'This chat is not available.')
    const { workspace, is_test, channel } = found
    const network = clientNetwork(head.ip)
    const id = `${workspace} ${network}`
    if (method === 'POST') {
      const limit = limits[operation.scope]?.count(id, now)
      if (limit?.is_exceeded) throw tooManyAttempts(limit.wait_seconds)
    }
    const caller = {
      id,
      workspace,
      is_test,
      channel,
      network,
      origin: headers.origin ?? null,
      authenticated_by: 'token' as const,
      actor: system,
      scopes: { has: () => true, is_open: false },
    }
    if (operation.scope === scopes.caller && !channel.has_voice) throw noVoice()
    if (operation.scope !== scopes.visitor) return { ...caller, visitor: undefined }
    const secret = token !== undefined && isSecret(token) ? token : undefined
    const visitor =
      secret === undefined
        ? undefined
        : await findVisitor({ token: `${channel_id} ${secret}`, secret, workspace, channel_id, now }, now)
    const first = first_conversations.get(head) ?? visitor?.conversation_id
    if (!visitor || (is_recheck && first !== visitor.conversation_id)) throw unknownVisitor()
    first_conversations.set(head, visitor.conversation_id)
    return { ...caller, visitor }
  }
}

/** Refuses pages other than this server's own, which may be in a frame of another page. */
const otherOrigin = (): Problem =>
  new Problem('FORBIDDEN', "Requests must come from the chat's own page. The Origin header names another one.")

const noVoice = (): Problem => new Problem('NOT_FOUND', "Visitors of this chat can't talk.")

/** Returns the caller of an operation of web chats. Only the door that `identifyChatVisitor` protects serves these. */
const toCaller = ({ caller }: Pick<ValidRequest, 'caller'>): ChatCaller => caller as ChatCaller

/** Returns the visitor who wants to talk. */
export function callerOf(request: Pick<ValidRequest, 'caller'>): Visitor & { agent_id: string; origin: string | null } {
  const { channel, network, origin } = toCaller(request)
  return { channel_id: channel.id, agent_id: channel.agent_id, network, origin }
}

export const channelOf = (request: Pick<ValidRequest, 'caller'>): ChatChannel => toCaller(request).channel

export function visitorOf(request: Pick<ValidRequest, 'caller'>): visitors.ChatVisitor {
  const { visitor } = toCaller(request)
  if (!visitor) throw unknownVisitor()
  return visitor
}
