import { Type } from 'typebox'
import type { EventType } from '../events/catalog.ts'
import { Call } from './schema.ts'

const scope = 'calls:read'

export const event_types = {
  started: { name: 'call.started', description: 'A number was dialled, or a call came in.', data: Call, scope },
  answered: { name: 'call.answered', description: 'Someone or something answered a call.', data: Call, scope },
  ended: {
    name: 'call.ended',
    description: 'A call ended. What is learned about it later is sent as `call.updated`.',
    data: Call,
    scope,
  },
  updated: {
    name: 'call.updated',
    description:
      'The `metadata` of a call was changed, and `previous` has its previous value, or more was learned about the call.',
    data: Call,
    previous: Type.Partial(Type.Pick(Call, ['metadata']), { title: 'PreviousCall' }),
    scope,
  },
  recording_ready: {
    name: 'call.recording_ready',
    description: 'The recording of a call can be downloaded.',
    data: Call,
    scope,
  },
} satisfies Record<string, EventType>
