import { Type } from 'typebox'
import { WebCall } from '../../calls/schema.ts'
import { checkSpeech, createVisitorCall } from '../../calls/web.ts'
import { id } from '../../kit/field.ts'
import * as operation from '../../kit/http/operation.ts'
import { scope, visitorOf } from './door.ts'

/** Operations of the page of a voice channel. They are not part of the public API. */
export const voice_operations: operation.Operation[] = [
  operation.write({
    id: 'web_voice.call',
    method: 'POST',
    path: '/:channel_id/calls',
    collection: '/:channel_id/calls',
    scope,
    is_audited: false,
    summary: 'Talk',
    params: Type.Object({ channel_id: id('The id of the channel.') }),
    errors: ['INVALID_STATE'],
    response: WebCall,
    status: 201,
    before: (at, request) => checkSpeech(at, visitorOf(request)),
    run: (at, request) => createVisitorCall(at, visitorOf(request)),
  }),
]
