import type { EventType } from '../events/catalog.ts'
import { Campaign } from './schema.ts'

const scope = 'campaigns:read'
const data = Campaign

export const event_types = {
  started: { name: 'campaign.started', description: 'A campaign began to run.', data, scope },
  paused: {
    name: 'campaign.paused',
    description: 'A campaign was paused. `pause_reason` says why.',
    data,
    scope,
  },
  resumed: { name: 'campaign.resumed', description: 'A paused campaign goes on.', data, scope },
  completed: { name: 'campaign.completed', description: 'A campaign has nothing left to do.', data, scope },
  canceled: { name: 'campaign.canceled', description: 'A campaign was canceled.', data, scope },
  progress: {
    name: 'campaign.progress',
    description: 'The `counts` of a running campaign have changed. Sent at most once a second for a campaign.',
    data,
    scope,
  },
} satisfies Record<string, EventType>
