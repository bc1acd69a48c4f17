import { type Static, Type } from 'typebox'
import { PhoneNumber } from '../../contacts/phone.ts'
import { roles, statuses, text_length_max } from '../../conversations/schema.ts'
import { id, multiline, oneOf, text, timestamp } from '../../kit/field.ts'

export const ByChannel = Type.Object({ channel_id: id('The id of the channel.') })

/** What a visitor sees of a conversation. */
export const ChatConversation = Type.Object(
  {
    id: id('The unique id of the conversation.'),
    status: oneOf(statuses, { examples: ['open'] }),
    is_answering: Type.Boolean({ examples: [false] }),
    has_phone_number: Type.Boolean({
      description: 'Whether the visitor has left a phone number in it.',
      examples: [false],
    }),
  },
  { title: 'ChatConversation' },
)
export type ChatConversation = Static<typeof ChatConversation>

const turn = {
  seq: Type.Integer({ examples: [1] }),
  role: oneOf(roles, { examples: ['contact'] }),
  text: Type.String({ examples: ['When are you open?'] }),
  created_at: timestamp('When it was said.'),
  links: Type.Optional(
    Type.Array(Type.Object({ title: Type.String(), url: Type.String() }), {
      description: 'The pages that an answer is based on.',
    }),
  ),
}

/** What a visitor sees of a turn. */
export const ChatTurn = Type.Object(turn, { title: 'ChatTurn' })
export type ChatTurn = Static<typeof ChatTurn>

const agent_name = Type.String({ description: 'Who answers.', examples: ['Reception'] })

export const NewChatSession = Type.Object(
  {
    token: Type.String({ description: 'Identifies the visitor for 30 days.' }),
    conversation: ChatConversation,
    agent_name,
  },
  { title: 'NewChatSession' },
)
export type NewChatSession = Static<typeof NewChatSession>

export const ChatSession = Type.Object(
  { conversation: ChatConversation, agent_name, turns: Type.Array(ChatTurn) },
  { title: 'ChatSession' },
)
export type ChatSession = Static<typeof ChatSession>

export const NewChatMessage = Type.Object(
  {
    text: text({ maxLength: text_length_max, ...multiline }),
    after: Type.Optional(
      Type.String({
        pattern: '^[0-9a-f-]{36}:\\d{1,9}$',
        description:
          'The conversation and the last turn that the visitor knows of. If the same text came after it, it is not added again.',
      }),
    ),
  },
  { title: 'NewChatMessage', additionalProperties: false },
)
export type NewChatMessage = Static<typeof NewChatMessage>

export const ChatMessage = Type.Object(
  {
    ...turn,
    conversation_id: id('The conversation that it was added to.'),
    is_new_conversation: Type.Boolean({
      description: 'Whether it began a conversation, because the last one was closed.',
    }),
  },
  { title: 'ChatMessage' },
)
export type ChatMessage = Static<typeof ChatMessage>

/** This is also the response: what was kept, and nothing else. */
export const ChatPhoneNumber = Type.Object(
  { phone_number: PhoneNumber },
  { title: 'ChatPhoneNumber', additionalProperties: false },
)
