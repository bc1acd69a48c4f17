import { readForDraft } from '../agents/mcp-tools.ts'
import { ById } from '../kit/field.ts'
import * as operation from '../kit/http/operation.ts'
import type { KeptMcpTool } from '../tools/mcp-schema.ts'
import { create } from './begin.ts'
import { redact } from './erase.ts'
import * as messages from './people.ts'
import * as people from './people.ts'
import * as schema from './schema.ts'
import * as conversations from './store.ts'
import { stream, waitForAnswer } from './stream.ts'
import * as turns from './turns.ts'

const path = '/conversations'
const read = 'conversations:read'
const write = 'conversations:write'

const stream_example = `retry: 1000

event: turn.started
data: {"seq":2,"role":"agent"}

event: turn.delta
data: {"seq":2,"text":"We are open "}

id: 2
event: turn.finished
data: {"turn":{"seq":2,"role":"agent","text":"We are open from nine to six."}}

`

/** Tells whether a person or a program closes a conversation. */
const reasonOf = ({ authenticated_by }: operation.Caller) => (authenticated_by === 'session' ? 'human_ended' : 'api')

const personIdOf = ({ id, authenticated_by }: operation.Caller) => (authenticated_by === 'session' ? id : null)

export const operations: operation.Operation[] = [
  operation.write({
    id: 'conversations.create',
    method: 'POST',
    path,
    scope: write,
    is_audited: false,
    summary: 'Start a conversation',
    description:
      'Starts a conversation with an agent over the API. With `message`, the contact begins. Without it, the agent says its ' +
      'greeting or the first words of its script, if it has any. Read its answers with the turns or the stream of the ' +
      'conversation.',
    body: schema.NewConversation,
    response: schema.Conversation,
    status: 201,
    before: async (at, { body }) => (body.use_draft ? readForDraft(at, body.agent_id) : []),
    // `before` has returned it.
    run: (at, { body, prepared }) => create(at, body, prepared as KeptMcpTool[]),
  }),
  operation.list({
    id: 'conversations.list',
    path,
    scope: read,
    tool: {
      name: 'list_conversations',
      description:
        'Lists conversations by text and voice, newest first, with filters such as agent, contact and status.',
    },
    summary: 'List conversations',
    description: 'Newest first. Trials are left out unless you ask for them with `is_test=true`.',
    query: schema.ConversationQuery,
    items: schema.Conversation,
    run: (at, { query }) => conversations.list(at, query),
  }),
  operation.get({
    id: 'conversations.get',
    path: `${path}/:id`,
    scope: read,
    tool: {
      name: 'get_conversation',
      description: 'Returns the state of a conversation: its agent, contact, status, results and summary.',
    },
    summary: 'Get a conversation',
    params: ById,
    response: schema.Conversation,
    run: (at, { params }) => conversations.get(at, params.id),
  }),
  operation.writeMany({
    id: 'conversations.say',
    method: 'POST',
    path: `${path}/:id/messages`,
    collection: `${path}/:id/turns`,
    scope: write,
    is_audited: false,
    summary: 'Say something as the contact',
    description:
      "Adds the contact's words, and returns them as a turn at once. The agent answers in the background. Words that arrive " +
      'while the agent answers interrupt it: it then answers all of them together. Only for conversations of kind `api`.',
    params: ById,
    body: schema.NewMessage,
    errors: ['INVALID_STATE'],
    response: schema.Turn,
    status: 201,
    run: (at, requests) =>
      messages.add(
        at,
        requests.map(({ params, body }) => ({ id: params.id, text: body.text })),
      ),
  }),
  operation.list({
    id: 'conversations.list_turns',
    path: `${path}/:id/turns`,
    scope: read,
    tool: {
      name: 'read_conversation',
      description: 'Returns what was said in a conversation, with the tools that the agent called.',
      without: ['wait_ms'],
    },
    summary: 'List turns, or wait for an answer',
    description:
      'Returns finished turns, oldest first. With `after`, only those after this one. With `wait_ms`, it returns as soon as a turn of ' +
      'the agent or a person after `after` is finished or the status changes, at once if the conversation is closed, and else after ' +
      'the wait. A workspace can have 200 such requests waiting at a time. A `cursor` is the place itself: leave out `after` and `wait_ms`.',
    params: ById,
    query: schema.TurnQuery,
    items: schema.Turn,
    wait: (at, { params, query }) => {
      turns.assertOnePlace(query)
      return query.wait_ms > 0 ? (signal) => waitForAnswer(at, { ...query, id: params.id }, signal) : undefined
    },
    run: (at, { params, query }) => turns.read(at, { conversation_id: params.id, query }),
  }),
  operation.stream({
    id: 'conversations.stream',
    path: `${path}/:id/stream`,
    scope: read,
    summary: 'Stream a conversation',
    description:
      'Sends what happens in the conversation, as server-sent events: `turn.started` with `{seq, role}`, `turn.delta` with `{seq, ' +
      'text}` while the agent answers, `turn.finished` with `{turn}`, and `conversation.updated` with `{conversation}`. It begins ' +
      'with the conversation and the turns after `Last-Event-ID`, or else with new ones. Only finished turns have an id, their `seq`. An answer that ' +
      'another process makes comes whole, as `turn.finished`.',
    params: ById,
    stream: { content_type: 'text/event-stream', example: stream_example, events: schema.stream_events },
    run: (at, { params }, subscriber) => stream(at, { id: params.id }, subscriber),
  }),
  operation.write({
    id: 'conversations.hand_over',
    method: 'POST',
    path: `${path}/:id/hand_over`,
    scope: write,
    is_audited: false,
    summary: 'Hand a conversation over to a person',
    description: 'The agent is silent from now on, and people answer: see "Answer as a person".',
    params: ById,
    body: schema.HandOver,
    errors: ['INVALID_STATE'],
    response: schema.Conversation,
    run: (at, { params, body }) => people.handOver(at, { id: params.id, reason: body.reason ?? null }),
  }),
  operation.write({
    id: 'conversations.answer',
    method: 'POST',
    path: `${path}/:id/answers`,
    collection: `${path}/:id/turns`,
    scope: write,
    is_audited: false,
    summary: 'Answer as a person',
    description: 'Only while the conversation is handed over.',
    params: ById,
    body: schema.NewMessage,
    errors: ['INVALID_STATE'],
    response: schema.Turn,
    status: 201,
    run: (at, { params, body, caller }) =>
      people.answer(at, { id: params.id, text: body.text, author_id: personIdOf(caller) }),
  }),
  operation.write({
    id: 'conversations.take_back',
    method: 'POST',
    path: `${path}/:id/take_back`,
    scope: write,
    is_audited: false,
    summary: 'Give a conversation back to the agent',
    description: 'The agent also answers what the contact has said meanwhile.',
    params: ById,
    errors: ['INVALID_STATE'],
    response: schema.Conversation,
    run: (at, { params }) => people.takeBack(at, params.id),
  }),
  operation.write({
    id: 'conversations.close',
    method: 'POST',
    path: `${path}/:id/close`,
    scope: write,
    is_audited: false,
    summary: 'Close a conversation',
    description: 'Nothing more can be said in it.',
    params: ById,
    errors: ['INVALID_STATE'],
    response: schema.Conversation,
    run: (at, { params, caller }) => people.close(at, { id: params.id, reason: reasonOf(caller) }),
  }),
  operation.write({
    id: 'conversations.link',
    method: 'POST',
    path: `${path}/:id/link`,
    scope: write,
    is_audited: false,
    summary: 'Link a web chat to a contact',
    description:
      'A number that a visitor of a web chat has typed is not verified, and does not link the conversation to a contact. Link it ' +
      'when you have made sure who it is: the agent then knows the contact, and its tools may change it.',
    params: ById,
    body: schema.Link,
    errors: ['INVALID_STATE'],
    response: schema.Conversation,
    run: (at, { params, body }) => people.link(at, { id: params.id, contact_id: body.contact_id }),
  }),
  operation.write({
    id: 'conversations.redact',
    method: 'POST',
    path: `${path}/:id/redact`,
    scope: write,
    erases: true,
    summary: 'Redact a conversation',
    description:
      "Erases what was said, for good: the words, the counterpart's number, variables, metadata, results, the summary, and the " +
      'arguments and results of tools, also in events, webhook deliveries and stored answers. A conversation that is not closed ' +
      'is closed before. In the dashboard only owners may do this.',
    params: ById,
    response: schema.Conversation,
    run: (at, { params, caller }) => redact(at, { id: params.id, reason: reasonOf(caller) }),
  }),
]
