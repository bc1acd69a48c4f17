import { Type } from 'typebox'
import { readForDraft } from '../agents/mcp-tools.ts'
import { stream_events as conversation_events } from '../conversations/schema.ts'
import { ById } from '../kit/field.ts'
import * as operation from '../kit/http/operation.ts'
import * as page from '../kit/postgres/page.ts'
import type { KeptMcpTool } from '../tools/mcp-schema.ts'
import { assertSpeech, createMany } from './change/create.ts'
import { cancel, hangUp } from './change/end.ts'
import { redact } from './erase.ts'
import { list } from './read/find.ts'
import { streamCall } from './read/stream.ts'
import { operations as recordings } from './record/routes.ts'
import * as schema from './schema.ts'
import * as calls from './store.ts'
import { listEvents, update } from './store.ts'
import { checkSpeech, createWebCall } from './web.ts'

const path = '/calls'
const read = 'calls:read'
const write = 'calls:write'
const version = schema.callVersion

const live_example = [
  'event: call.updated',
  'data: {"call":{"id":"019a84c4-5f00-7c3e-9d53-2f1a64c0b7aa","status":"in_progress"}}',
  '',
  'event: turn.started',
  'data: {"seq":1,"role":"agent"}',
  '',
  'event: turn.delta',
  'data: {"seq":1,"text":"Hello, "}',
  '',
  'id: 1',
  'event: turn.finished',
  'data: {"turn":{"seq":1,"role":"agent","text":"Hello, this is Reception."}}',
  '',
  '',
].join('\n')

const live_events = { 'call.updated': Type.Object({ call: schema.Call }), ...conversation_events }

export const operations: operation.Operation[] = [
  operation.writeMany({
    id: 'calls.create',
    method: 'POST',
    path,
    scope: write,
    tool: {
      name: 'place_call',
      description:
        'Lets an agent call a contact or a phone number now. A real person is called in a live workspace: ask the user first.',
      is_open_world: true,
    },
    is_audited: false,
    summary: 'Place a call',
    description:
      'An agent calls a number or a contact, now or at `scheduled_at`. The number is dialled in the background: follow the call ' +
      'with its live stream, or with events. With `simulate`, a simulated person answers instead. An agent that can neither hear nor ' +
      'speak calls no telephones: `details.reason` is `speech_not_installed` or `speech_not_available`.',
    body: schema.NewCall,
    errors: ['INVALID_STATE'],
    response: schema.Call,
    status: 201,
    version,
    before: (at, { body }) => assertSpeech(at, body),
    run: (at, calls) =>
      createMany(
        at,
        calls.map(({ body }) => body),
      ),
  }),
  operation.write({
    id: 'calls.create_web',
    method: 'POST',
    path: `${path}/web`,
    collection: path,
    resource: 'call',
    scope: write,
    is_audited: false,
    summary: 'Talk in a browser',
    description:
      'Prepares a call with an agent over a WebSocket: see "Voice in the browser" in the guide. The call is `queued` until the ' +
      'socket is opened with the token. If that does not happen within 60 seconds, the call is `failed`.',
    body: schema.NewWebCall,
    errors: ['INVALID_STATE'],
    is_secret: true,
    response: schema.WebCall,
    status: 201,
    before: async (at, { body }) => {
      await checkSpeech(at, body)
      return body.use_draft ? readForDraft(at, body.agent_id) : []
    },
    // `before` has returned it.
    run: (at, { body, prepared }) => createWebCall(at, body, { mcp_tools: prepared as KeptMcpTool[] }),
  }),
  operation.list({
    id: 'calls.list',
    path,
    scope: read,
    tool: {
      name: 'list_calls',
      description: 'Lists calls, newest first. With `search`, those in which these words were said.',
    },
    summary: 'List calls',
    description: 'Newest first. With `search`, only those in which these words were said.',
    query: schema.CallQuery,
    items: schema.Call,
    isExpensive: ({ search }) => search !== undefined,
    run: (at, { query }) => list(at, query),
  }),
  operation.get({
    id: 'calls.get',
    path: `${path}/:id`,
    scope: read,
    tool: {
      name: 'get_call',
      description: 'Returns a call: its status, outcome, times and costs, and why it failed if it did.',
    },
    summary: 'Get a call',
    params: ById,
    response: schema.Call,
    version,
    run: (at, { params }) => calls.get(at, params.id),
  }),
  operation.write({
    id: 'calls.update',
    method: 'PATCH',
    path: `${path}/:id`,
    scope: write,
    is_audited: false,
    summary: 'Update a call',
    description: 'Replaces the metadata.',
    params: ById,
    body: schema.CallChange,
    response: schema.Call,
    version,
    run: (at, { params, body, isCurrent }) => update(at, { id: params.id, change: body, isCurrent }),
  }),
  operation.write({
    id: 'calls.cancel',
    method: 'POST',
    path: `${path}/:id/cancel`,
    scope: write,
    is_audited: false,
    summary: 'Cancel a call',
    description:
      'Before it is answered. A call that was not dialled yet is canceled at once; one that rings ends within seconds.',
    params: ById,
    errors: ['INVALID_STATE'],
    response: schema.Call,
    version,
    run: (at, { params }) => cancel(at, params.id),
  }),
  operation.write({
    id: 'calls.hang_up',
    method: 'POST',
    path: `${path}/:id/hang_up`,
    scope: write,
    is_audited: false,
    summary: 'Hang up',
    description: 'Ends a call in progress, within seconds.',
    params: ById,
    errors: ['INVALID_STATE'],
    response: schema.Call,
    version,
    run: (at, { params }) => hangUp(at, params.id),
  }),
  operation.list({
    id: 'calls.list_events',
    path: `${path}/:id/events`,
    scope: read,
    tool: {
      name: 'list_call_events',
      description: 'Returns what happened on the line of a call, step by step.',
    },
    summary: 'List what happened on the line',
    description:
      'What the carrier has reported and how the call ended, each once, in the order in which it became known.',
    params: ById,
    query: page.query({}, ['seq', 20]),
    items: schema.CallEvent,
    run: (at, { params, query }) => listEvents(at, { id: params.id, query }),
  }),
  operation.stream({
    id: 'calls.live',
    path: `${path}/:id/live`,
    scope: read,
    summary: 'Follow a call',
    description:
      "Sends what happens in the call, as server-sent events: `call.updated` with `{call}`, and the events of the conversation's " +
      'stream. It begins with the call and the turns after `Last-Event-ID`, or else all turns, and ends with the call.',
    params: ById,
    stream: { content_type: 'text/event-stream', example: live_example, events: live_events },
    run: (at, { params }, subscriber) => streamCall(at, params.id, subscriber),
  }),
  operation.write({
    id: 'calls.redact',
    method: 'POST',
    path: `${path}/:id/redact`,
    scope: write,
    erases: true,
    summary: 'Redact a call',
    description:
      'Erases what was said, for good: the words, the recording, the numbers, variables, metadata, results and the summary, also ' +
      'in events, webhook deliveries and stored answers. A call that was not dialled yet is canceled before; one that goes on ' +
      'must be ended first. In the dashboard only owners may do this.',
    params: ById,
    errors: ['INVALID_STATE'],
    response: schema.Call,
    version,
    run: (at, { params, caller }) =>
      redact(at, { id: params.id, by: caller.authenticated_by === 'session' ? 'human' : 'system' }),
  }),
  ...recordings,
]
