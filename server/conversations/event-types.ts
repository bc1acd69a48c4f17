import { Type } from 'typebox'
import type { EventType } from '../events/catalog.ts'
import { id, oneOf, optionalText } from '../kit/field.ts'
import { Conversation, message_statuses, Turn } from './schema.ts'

const scope = 'conversations:read'

const Message = Type.Object(
  {
    id: id('The unique id of the message.'),
    conversation_id: id('The conversation that it belongs to.'),
    seq: Type.Integer({ description: 'The number of its turn.', examples: [1] }),
    status: oneOf(message_statuses, { examples: ['delivered'] }),
    error: optionalText({ description: 'Why it was not sent or delivered.', examples: [null] }),
  },
  { title: 'Message' },
)

const TurnOfConversation = Type.Object(
  {
    id: id('The id of the conversation.'),
    contact_id: Type.Unsafe<string | null>({ type: ['string', 'null'], format: 'uuid', examples: [null] }),
    turn: Turn,
  },
  { title: 'TurnOfConversation' },
)

export const event_types = {
  started: { name: 'conversation.started', description: 'A conversation began.', data: Conversation, scope },
  turn: {
    name: 'conversation.turn',
    description: 'Someone said something in a conversation by text.',
    data: TurnOfConversation,
    scope,
  },
  handed_over: {
    name: 'conversation.handed_over',
    description: 'A conversation was handed over to a person.',
    data: Conversation,
    scope,
  },
  taken_back: {
    name: 'conversation.taken_back',
    description: 'A person gave a conversation back to the agent.',
    data: Conversation,
    scope,
  },
  closed: { name: 'conversation.closed', description: 'A conversation was closed.', data: Conversation, scope },
  received: {
    name: 'message.received',
    description: 'A message of a contact arrived by a carrier.',
    data: Message,
    scope,
  },
  sent: { name: 'message.sent', description: 'A carrier has accepted a message.', data: Message, scope },
  delivered: { name: 'message.delivered', description: 'A message has reached the contact.', data: Message, scope },
  failed: {
    name: 'message.failed',
    description: 'A message was not sent or not delivered, or the carrier does not know it (status `unknown`).',
    data: Message,
    scope,
  },
} satisfies Record<string, EventType>
