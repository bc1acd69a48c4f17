import assert from 'node:assert/strict'
import { PassThrough } from 'node:stream'
import { test } from 'node:test'
import { WebSocket } from 'ws'
import { openUnprovenSockets } from '../../server/lines/unproven-sockets.ts'

/** As the library makes it for a server. The types don't know this form. */
const newSocket = (): WebSocket => Reflect.construct(WebSocket, [null, undefined, {}])

test('no more sockets are opened while 500 tokens are being checked', () => {
  const unproven = openUnprovenSockets()
  const open = () => {
    const [connection, socket] = [new PassThrough(), newSocket()]
    unproven.add(connection, '203.0.113.1')
    unproven.open(connection, socket)
    unproven.beginCheck(socket)
    return socket
  }
  const [first] = Array.from({ length: 499 }, open)
  assert.equal(unproven.is_full, false)
  open()
  assert.equal(unproven.is_full, true)
  assert.ok(first)
  unproven.remove(first)
  assert.equal(unproven.is_full, false)
})
