import * as contacts from '../../contacts/store.ts'
import { beginChat } from '../../conversations/begin.ts'
import * as messages from '../../conversations/people.ts'
import * as visited from '../../conversations/people.ts'
import type { Conversation } from '../../conversations/schema.ts'
import * as conversations from '../../conversations/store.ts'
import { stream } from '../../conversations/stream.ts'
import type { At } from '../../kit/at.ts'
import * as clock from '../../kit/clock.ts'
import type { Subscriber } from '../../kit/http/operation.ts'
import { invalid, invalidState, notFound, Problem, signedOut } from '../../kit/problem.ts'
import type { ChatConversation, ChatMessage, ChatSession, ChatTurn, NewChatMessage, NewChatSession } from './schema.ts'
import * as visitors from './visitors.ts'

const turns_shown_max = 100

/** A channel that visitors can chat on. */
export interface ChatChannel {
  id: string
  agent_id: string
  /** Whether visitors can also talk by voice. */
  has_voice: boolean
}

/** Begins a conversation, so that the agent can greet the visitor. */
export async function beginSession(at: At, channel: ChatChannel): Promise<NewChatSession> {
  const conversation = await beginConversation(at, { channel, message: null })
  const { id: conversation_id, agent_name } = conversation
  const token = await visitors.add(at, { channel_id: channel.id, conversation_id, now: clock.wall() })
  return { token, conversation: toShownConversation(conversation), agent_name }
}

async function beginConversation(
  at: At,
  { channel, message }: { channel: ChatChannel; message: string | null },
): Promise<Conversation> {
  const conversation = await beginChat(at, { channel_id: channel.id, agent_id: channel.agent_id, message })
  // The agent was deleted after the channel was read.
  if (!conversation) throw notFound()
  return conversation
}

export async function readSession(at: At, { conversation_id }: visitors.ChatVisitor): Promise<ChatSession> {
  const conversation = await getConversation(at, conversation_id)
  const turns = await visited.lastTurns(at, { id: conversation_id, limit: turns_shown_max })
  const { agent_name } = conversation
  return { conversation: toShownConversation(conversation), agent_name, turns: turns.map(toShownTurn) }
}

/** Returns a conversation. Retention deletes old ones: the visitor then begins anew, as without a token. */
async function getConversation(at: At, id: string): Promise<Conversation> {
  try {
    return await conversations.get(at, id)
  } catch (error) {
    if (error instanceof Problem && error.code === 'NOT_FOUND') throw unknownVisitor()
    throw error
  }
}

export const unknownVisitor = (): Problem =>
  signedOut('A valid token of this chat is required. Begin a new chat to get one.')

interface VisitorMessage {
  visitor: visitors.ChatVisitor
  channel: ChatChannel
  message: NewChatMessage
}

/** Adds what the visitor says. If the conversation is closed, it begins another one. */
export async function say(at: At, { visitor, channel, message }: VisitorMessage): Promise<ChatMessage> {
  const { text, after } = message
  const { token_hash, conversation_id: id } = await lock(at, visitor)
  const last_seq = after === undefined ? undefined : seqIn(id, after)
  const repeated = last_seq === undefined ? undefined : await visited.findSaid(at, { id, after: last_seq, text })
  if (repeated) return { ...repeated, conversation_id: id, is_new_conversation: false }
  const [added] = await messages.add(at, [{ id, text }], 'web_chat')
  if (added && !(added instanceof Problem)) {
    return { ...toShownTurn(added), conversation_id: id, is_new_conversation: false }
  }
  if (added && !isOver(added)) throw added
  const conversation = await beginConversation(at, { channel, message: text })
  await visitors.move(at, { token_hash, conversation_id: conversation.id })
  const turn: ChatTurn = { seq: 1, role: 'contact', text, created_at: conversation.created_at }
  return { ...turn, conversation_id: conversation.id, is_new_conversation: true }
}

async function lock(at: At, visitor: visitors.ChatVisitor): Promise<visitors.ChatVisitor> {
  const locked = await visitors.lock(at, visitor)
  if (!locked) throw unknownVisitor()
  return locked
}

/** Whether this problem means that nothing more can be said in the conversation. */
const isOver = ({ code, details }: Problem): boolean => code === 'NOT_FOUND' || details.status === 'closed'

/**
 * Keeps a number that anyone could have typed. It is not linked to the contact that has it, and the answer is the same
 * whether there is one, so that nothing can be learnt or changed by typing someone else's number.
 */
export async function leavePhoneNumber(
  at: At,
  { visitor, phone_number }: { visitor: visitors.ChatVisitor; phone_number: string },
): Promise<{ phone_number: string }> {
  const { conversation_id: id } = await lock(at, visitor)
  if (!(await visited.keepCounterpart(at, { id, counterpart: phone_number })))
    throw invalidState('A phone number was left in this chat before, or the chat has ended.')
  // A number that is in use is a Problem, which is ignored on purpose.
  await contacts.create(at, [{ phone_number, source: 'inbound' }])
  return { phone_number }
}

/** Streams the conversation as the visitor may see it. */
export async function* streamSession(
  at: At,
  { conversation_id: id }: visitors.ChatVisitor,
  { last_event_id, signal }: Subscriber,
): AsyncGenerator<string> {
  await getConversation(at, id)
  const shown = {
    conversation: toShownConversation,
    turn: toShownTurn,
    eventId: (seq: number) => `${id}:${seq}`,
  }
  const last_seq = last_event_id === undefined ? undefined : String(seqIn(id, last_event_id))
  yield* stream(at, { id, shown }, { last_event_id: last_seq, signal })
}

/**
 * Returns the number of the turn at a position such as `<conversation>:12`. Positions in other conversations count as
 * 0.
 */
function seqIn(id: string, position: string): number {
  const [, conversation, seq] = /^([0-9a-f-]{36}):(\d{1,9})$/.exec(position) ?? []
  if (conversation !== undefined) return conversation === id ? Number(seq) : 0
  const message = 'Last-Event-ID must be the id of an event of this stream.'
  throw invalid([{ path: 'Last-Event-ID', code: 'format', message }])
}

function toShownConversation({ id, status, is_answering, counterpart }: Conversation): ChatConversation {
  return { id, status, is_answering, has_phone_number: counterpart !== null }
}

/** Returns the turn as visitors see it: they can open documents that were fetched from a URL. */
function toShownTurn({ seq, role, text, created_at, citations }: visited.SeenTurn): ChatTurn {
  const links = new Map(citations.flatMap(({ title, url }) => (url === null ? [] : [[url, { title, url }]])))
  return { seq, role, text, created_at, ...(links.size > 0 && { links: [...links.values()] }) }
}
