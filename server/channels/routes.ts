import { ById, Deleted } from '../kit/field.ts'
import * as operation from '../kit/http/operation.ts'
import { checkUrl } from './check.ts'
import * as schema from './schema.ts'
import * as channels from './store.ts'

const path = '/channels'

/** Hides the settings of a channel from people who are not owners: they only see which channels there are. */
function shown({ caller }: operation.ValidRequest, channel: schema.Channel): schema.Channel {
  const is_hidden = caller.authenticated_by === 'session' && !caller.scopes.has('channels:write')
  return is_hidden ? { ...channel, address: null, public_url: null, inbound_url: null } : channel
}

export const operations: operation.Operation[] = [
  operation.list({
    id: 'channels.list',
    path,
    scope: 'channels:read',
    summary: 'List channels',
    description: 'Newest first. Owners set channels up in the dashboard or on the command line.',
    query: schema.ChannelQuery,
    items: schema.Channel,
    run: async (at, request) => {
      const page = await channels.list(at, request.query)
      return { ...page, data: page.data.map((channel) => shown(request, channel)) }
    },
  }),
  operation.get({
    id: 'channels.get',
    path: `${path}/:id`,
    scope: 'channels:read',
    summary: 'Get a channel',
    params: ById,
    response: schema.Channel,
    version: schema.channelVersion,
    run: async (at, request) => shown(request, await channels.get(at, request.params.id)),
  }),
]

/** The operations that people use in the dashboard. API keys only view channels, and never have the scope. */
export const owner_operations: operation.Operation[] = [
  operation.write({
    id: 'channels.create',
    method: 'POST',
    path,
    scope: 'channels:write',
    summary: 'Create a channel',
    body: schema.NewChannel,
    errors: ['CONFLICT', 'INVALID_STATE'],
    response: schema.ChannelWithSettings,
    status: 201,
    version: schema.channelVersion,
    before: (at, { body }) => checkUrl(at, body),
    run: (at, { body }) => channels.create(at, body),
  }),
  operation.get({
    id: 'channels.get_settings',
    path: `${path}/:id/settings`,
    scope: 'channels:write',
    summary: 'Get a channel with its settings',
    params: ById,
    response: schema.ChannelWithSettings,
    version: schema.channelVersion,
    run: (at, { params }) => channels.get(at, params.id),
  }),
  operation.write({
    id: 'channels.update',
    method: 'PATCH',
    path: `${path}/:id`,
    scope: 'channels:write',
    summary: 'Update a channel',
    params: ById,
    body: schema.ChannelChange,
    response: schema.ChannelWithSettings,
    version: schema.channelVersion,
    before: (at, { body }) => checkUrl(at, body),
    run: (at, { params, body, isCurrent }) => channels.update(at, { id: params.id, change: body, isCurrent }),
  }),
  operation.write({
    id: 'channels.delete',
    method: 'DELETE',
    path: `${path}/:id`,
    scope: 'channels:write',
    summary: 'Delete a channel',
    description: 'While someone is on the line in a call by telephone, the response is 409 with `details.used_by`.',
    params: ById,
    errors: ['INVALID_STATE'],
    response: Deleted,
    version: schema.channelVersion,
    run: (at, { params, isCurrent }) => channels.remove(at, { id: params.id, isCurrent }),
  }),
]
