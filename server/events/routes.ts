import { ById } from '../kit/field.ts'
import * as operation from '../kit/http/operation.ts'
import type { Catalog } from './catalog.ts'
import * as feed from './feed.ts'
import { readerWith } from './named.ts'
import * as schema from './schema.ts'
import { stream } from './stream.ts'

const example = `retry: 1000

id: 019a84c4-5f00-7c3e-9d53-2f1a64c0b7ab
event: contact.deleted
data: {"id":"019a84c4-5f00-7c3e-9d53-2f1a64c0b7ab","type":"contact.deleted","resource_id":"019a84c4-5f00-7c3e-9d53-2f1a64c0b7aa","created_at":"2026-11-15T09:30:00.000Z","actor":{"type":"key","id":"019a84c4-5f00-7c3e-9d53-2f1a64c0b7ac","name":"CRM sync"},"subject":{"type":"contact","id":"019a84c4-5f00-7c3e-9d53-2f1a64c0b7aa","name":null},"data":{"id":"019a84c4-5f00-7c3e-9d53-2f1a64c0b7aa"},"previous":null}

`

const shownNames = (catalog: Catalog, scopes: operation.Scopes, pattern?: string) =>
  feed.toNamesFilter(catalog, catalog.readableNames(scopes, pattern))

export const operations = (catalog: Catalog): operation.Operation[] => [
  operation.list({
    id: 'events.list',
    path: '/events',
    scope: 'events:read',
    summary: 'List events',
    description:
      'Returns the events of the workspace, newest first. With `after`, returns the events after that one, in the order in ' +
      'which they were committed; an `after` that is unknown or too old gives 400. Events are kept for 30 days unless the ' +
      'service is configured otherwise. A key sees only events of resources that it may read: `contact.*` and `import.*` ' +
      'require `contacts:read`, `agent.*` requires `agents:read`, and so on.',
    query: schema.eventQuery(catalog),
    items: schema.eventSchema(catalog),
    isExpensive: ({ type }) => type !== undefined,
    run: (at, { query, caller }) =>
      feed.list(at, {
        query,
        names: catalog.readableNames(caller.scopes, query.type),
        catalog,
        ...readerWith(caller.scopes),
      }),
  }),
  operation.stream({
    id: 'events.stream',
    path: '/events/stream',
    scope: 'events:read',
    summary: 'Stream events',
    description:
      'Sends events as they happen, as server-sent events. It starts after the event that `Last-Event-ID` or `after` names, ' +
      'or else with new events. Events come in order; none is skipped or repeated. `data` is the event as in the list, on ' +
      'one line. A quiet stream sends a comment every 15 seconds. The stream ends when the key is revoked or expires, or ' +
      'when the service stops: reconnect with the last id that you received. It sends the same types as the list.',
    query: schema.streamQuery(catalog),
    stream: { content_type: 'text/event-stream', example, events: schema.streamEvents(catalog) },
    run: (at, { query, caller }, subscriber) =>
      stream(
        at,
        {
          after: query.after,
          names: shownNames(catalog, caller.scopes, query.type),
          ...readerWith(caller.scopes),
        },
        subscriber,
      ),
  }),
  operation.get({
    id: 'events.get',
    path: '/events/:id',
    scope: 'events:read',
    summary: 'Get an event',
    params: ById,
    response: schema.eventSchema(catalog),
    run: (at, { params, caller }) =>
      feed.get(at, {
        id: params.id,
        names: catalog.readableNames(caller.scopes),
        ...readerWith(caller.scopes),
      }),
  }),
]
