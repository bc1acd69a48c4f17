import type { EventType } from '../events/catalog.ts'
import { Import } from './schema.ts'

const scope = 'contacts:read'

export const event_types = {
  finished: {
    name: 'import.finished',
    description: 'An import or a dry run ended. Its `status` is `finished`, `canceled` or `failed`.',
    data: Import,
    scope,
  },
  undone: { name: 'import.undone', description: 'The undo of an import ended.', data: Import, scope },
} satisfies Record<string, EventType>
