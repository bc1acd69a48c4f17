import type { EventType } from '../events/catalog.ts'
import { TestRun } from './schema.ts'

export const event_types = {
  completed: {
    name: 'test_run.completed',
    description: 'A run of tests was completed. `failed` and `errors` say whether tests have failed.',
    data: TestRun,
    scope: 'agents:read',
  },
} satisfies Record<string, EventType>
