import type { EventType } from '../events/catalog.ts'
import { Agent } from './schema.ts'

export const event_types = {
  created: {
    name: 'agent.created',
    description: 'An agent was created and its first version was deployed.',
    data: Agent,
    scope: 'agents:read',
  },
} satisfies Record<string, EventType>
