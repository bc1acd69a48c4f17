import { WebCall } from '../../calls/schema.ts'
import { checkSpeech, createVisitorCall } from '../../calls/web.ts'
import * as operation from '../../kit/http/operation.ts'
import { callerOf, channelOf, scopes, visitorOf } from './door.ts'
import * as schema from './schema.ts'
import * as chat from './web-chat.ts'

const path = '/:channel_id'
const collection = `${path}/session`

/** Operations of the page of a web chat. They are not part of the public API. */
export const chat_operations: operation.Operation[] = [
  operation.write({
    id: 'web_chat.begin',
    method: 'POST',
    path: `${path}/sessions`,
    collection,
    scope: scopes.anyone,
    is_audited: false,
    summary: 'Begin a chat',
    params: schema.ByChannel,
    response: schema.NewChatSession,
    status: 201,
    run: (at, request) => chat.beginSession(at, channelOf(request)),
  }),
  operation.get({
    id: 'web_chat.get',
    path: collection,
    scope: scopes.visitor,
    summary: 'Read the chat',
    params: schema.ByChannel,
    response: schema.ChatSession,
    run: (at, request) => chat.readSession(at, visitorOf(request)),
  }),
  operation.write({
    id: 'web_chat.say',
    method: 'POST',
    path: `${path}/messages`,
    collection,
    scope: scopes.visitor,
    is_audited: false,
    summary: 'Say something',
    params: schema.ByChannel,
    body: schema.NewChatMessage,
    response: schema.ChatMessage,
    status: 201,
    run: (at, request) =>
      chat.say(at, { visitor: visitorOf(request), channel: channelOf(request), message: request.body }),
  }),
  operation.write({
    id: 'web_chat.leave_phone_number',
    method: 'POST',
    path: `${path}/phone_number`,
    scope: scopes.visitor,
    is_audited: false,
    summary: 'Leave a phone number',
    params: schema.ByChannel,
    body: schema.ChatPhoneNumber,
    errors: ['INVALID_STATE'],
    response: schema.ChatPhoneNumber,
    run: (at, request) => chat.leavePhoneNumber(at, { visitor: visitorOf(request), ...request.body }),
  }),
  operation.write({
    id: 'web_chat.call',
    method: 'POST',
    path: `${path}/calls`,
    collection,
    scope: scopes.caller,
    is_audited: false,
    summary: 'Talk',
    params: schema.ByChannel,
    errors: ['INVALID_STATE'],
    response: WebCall,
    status: 201,
    before: (at, request) => checkSpeech(at, callerOf(request)),
    run: (at, request) => createVisitorCall(at, callerOf(request)),
  }),
  operation.stream({
    id: 'web_chat.stream',
    path: `${path}/stream`,
    scope: scopes.visitor,
    summary: 'Follow the chat',
    params: schema.ByChannel,
    stream: { content_type: 'text/event-stream', example: '', events: {} },
    run: (at, request, subscriber) => chat.streamSession(at, visitorOf(request), subscriber),
  }),
]
