import { ById } from '../kit/field.ts'
import * as operation from '../kit/http/operation.ts'
import * as schema from './schema.ts'
import * as channels from './store.ts'

const path = '/channels'

/** People who are not owners see which channels there are, but not where. */
function shown({ caller }: operation.Call, channel: schema.Channel): schema.Channel {
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
    run: async (at, call) => {
      const page = await channels.list(at, call.query)
      return { ...page, data: page.data.map((channel) => shown(call, channel)) }
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
    run: async (at, call) => shown(call, await channels.get(at, call.params.id)),
  }),
]
