import type { EventType } from '../events/catalog.ts'
import { Document } from './schema.ts'

const scope = 'documents:read'

export const event_types = {
  ready: {
    name: 'document.ready',
    description: 'A document was read: agents find its text from now on.',
    data: Document,
    scope,
  },
  failed: {
    name: 'document.failed',
    description: 'A document could not be read: `error` says why. What was read of it before, stays.',
    data: Document,
    scope,
  },
} satisfies Record<string, EventType>
