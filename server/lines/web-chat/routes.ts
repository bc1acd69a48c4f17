import * as operation from '../../kit/http/operation.ts'
import { channelOf, scopes, visitorOf } from './door.ts'
import * as schema from './schema.ts'
import * as chat from './web-chat.ts'

const path = '/:channel_id'
const collection = `${path}/session`

/** What the page of a web chat does. Not part of the public API. */
export const chat_operations: operation.Operation[] = [
  operation.write({
    id: 'web_chat.begin',
    method: 'POST',
    path: `${path}/sessions`,
    collection,
    scope: scopes.anyone,
    summary: 'Begin a chat',
    params: schema.ByChannel,
    response: schema.NewChatSession,
    status: 201,
    run: (at, call) => chat.beginSession(at, channelOf(call)),
  }),
  operation.get({
    id: 'web_chat.get',
    path: collection,
    scope: scopes.visitor,
    summary: 'Read the chat',
    params: schema.ByChannel,
    response: schema.ChatSession,
    run: (at, call) => chat.readSession(at, visitorOf(call)),
  }),
  operation.write({
    id: 'web_chat.say',
    method: 'POST',
    path: `${path}/messages`,
    collection,
    scope: scopes.visitor,
    summary: 'Say something',
    params: schema.ByChannel,
    body: schema.NewChatMessage,
    response: schema.ChatMessage,
    status: 201,
    run: (at, call) => chat.say(at, { visitor: visitorOf(call), channel: channelOf(call), message: call.body }),
  }),
  operation.write({
    id: 'web_chat.leave_phone_number',
    method: 'POST',
    path: `${path}/phone_number`,
    scope: scopes.visitor,
    summary: 'Leave a phone number',
    params: schema.ByChannel,
    body: schema.ChatPhoneNumber,
    errors: ['INVALID_STATE'],
    response: schema.ChatPhoneNumber,
    run: (at, call) => chat.leavePhoneNumber(at, { visitor: visitorOf(call), ...call.body }),
  }),
  operation.stream({
    id: 'web_chat.stream',
    path: `${path}/stream`,
    scope: scopes.visitor,
    summary: 'Follow the chat',
    params: schema.ByChannel,
    stream: { content_type: 'text/event-stream', example: '' },
    run: (at, call, subscriber) => chat.streamSession(at, visitorOf(call), subscriber),
  }),
]
