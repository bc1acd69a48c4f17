import { Type } from 'typebox'
import type { EventType } from '../events/catalog.ts'
import { id } from '../kit/field.ts'
import { Conversation, Turn } from './schema.ts'

const scope = 'conversations:read'

export const event_types = {
  started: { name: 'conversation.started', description: 'A conversation began.', data: Conversation, scope },
  turn: {
    name: 'conversation.turn',
    description: 'Someone said something in a conversation by text.',
    data: Type.Object({
      id: id('The id of the conversation.'),
      contact_id: Type.Unsafe<string | null>({ type: ['string', 'null'], format: 'uuid', examples: [null] }),
      turn: Turn,
    }),
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
} satisfies Record<string, EventType>
