import { ById } from '../kit/field.ts'
import { operation } from '../kit/http/operation.ts'
import { readableTypes } from './catalog.ts'
import * as feed from './feed.ts'
import * as schema from './schema.ts'
import { stream } from './stream.ts'

const example = `retry: 1000

id: 019a84c4-5f00-7c3e-9d53-2f1a64c0b7ab
event: contact.deleted
data: {"id":"019a84c4-5f00-7c3e-9d53-2f1a64c0b7ab","type":"contact.deleted","resource_id":"019a84c4-5f00-7c3e-9d53-2f1a64c0b7aa","created_at":"2026-11-15T09:30:00.000Z","data":{"id":"019a84c4-5f00-7c3e-9d53-2f1a64c0b7aa"},"previous":null}

`

export const operations = [
  operation({
    id: 'events.list',
    method: 'GET',
    path: '/events',
    scope: 'events:read',
    summary: 'List events',
    description:
      'What happened in the workspace: the newest first, or with `after` what came after an event, in the order in which ' +
      'it was committed. An `after` that is not kept (any more) is refused. Events are kept for 30 days, unless the ' +
      'service is set otherwise. A key sees only events of resources that it may read: `contact.*` and `import.*` need ' +
      '`contacts:read`, `agent.*` needs `agents:read`, and so on.',
    query: schema.EventQuery,
    items: schema.Event,
    isDear: ({ type }) => type !== undefined,
    run: ({ db, workspace }, { query, caller }) => feed.list(db, workspace, query, readableTypes(caller.scopes)),
  }),
  operation({
    id: 'events.stream',
    method: 'GET',
    path: '/events/stream',
    scope: 'events:read',
    summary: 'Stream events',
    description:
      'Sends events as they happen, as server-sent events: what came after the one that `Last-Event-ID` or `after` ' +
      'names, or else what comes from now on. None is skipped, none comes twice, all come in their order. `data` is the ' +
      'event as the list shows it, on one line. A quiet stream has a comment every 15 seconds. It ends when the key is ' +
      'revoked or expires, and when the service stops: then connect again, with the last id that you have. It has the ' +
      'same types as the list.',
    query: schema.StreamQuery,
    file: { content_type: 'text/event-stream', example },
    run: ({ db, workspace }, { query, caller, listener }) =>
      stream(db, workspace, query, readableTypes(caller.scopes), listener),
  }),
  operation({
    id: 'events.get',
    method: 'GET',
    path: '/events/:id',
    scope: 'events:read',
    summary: 'Get an event',
    params: ById,
    response: schema.Event,
    run: ({ db, workspace }, { params, caller }) => feed.get(db, workspace, params.id, readableTypes(caller.scopes)),
  }),
]
