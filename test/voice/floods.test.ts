import assert from 'node:assert/strict'
import { once } from 'node:events'
import { after, before, describe, test } from 'node:test'
import { WebSocket } from 'ws'
import { ended, newCaller } from '../support/calls.ts'
import { addFakeSpeech } from '../support/fake-speech.ts'
import { openServer, testPool } from '../support/harness.ts'
import { final, frameOf, opcodes, openRaw, repeated, textOf } from '../support/raw-sockets.ts'
import { openVoiceClient, placeWebCall } from '../support/voice-client.ts'

const server = await openServer(testPool())
after(server.close)
addFakeSpeech(server)
const tenant = await server.workspace()
const agent_id = await newCaller(tenant, { greeting: 'Hello.' })

/* What the server has read, by its sockets. All other sockets of this process are clients. */
const read = new Map<WebSocket, number>()
const emit = WebSocket.prototype.emit
before(() => {
  WebSocket.prototype.emit = function (event: string | symbol, ...values: unknown[]) {
    if (event === 'message' || event === 'ping' || event === 'pong') read.set(this, (read.get(this) ?? 0) + 1)
    return emit.call(this, event, ...values)
  }
})
after(() => {
  WebSocket.prototype.emit = emit
})

const sent_frames = 50_000
/** More than a second's worth and the piece that is being read, twice, because a second may end between. */
const read_frames_max = 5_000
/** A close frame with the code 1008. */
const refusal = '\x88\x02\x03\xf0'

const floodOf = (frame: Buffer, count = sent_frames) => repeated(frame, count)
const open = (path: string) => openRaw(server.url, path)

/** Sends it all, and returns how many frames the server has read when the connection is closed. */
async function flood({ socket, closed }: Awaited<ReturnType<typeof open>>, bytes: Buffer): Promise<number> {
  read.clear()
  socket.write(bytes)
  await closed
  return Math.max(0, ...read.values())
}

async function openCall() {
  const { call, token } = await placeWebCall(tenant, { agent_id })
  const opened = await open('/voice')
  opened.socket.write(textOf({ type: 'start', token, sample_rate: 16_000 }))
  while (!opened.received().includes('ready')) await once(opened.socket, 'data')
  return { ...opened, call }
}

describe('who sends frames without end is disconnected', () => {
  for (const [kind, opcode] of Object.entries(opcodes)) {
    const frames = floodOf(frameOf(final | opcode))
    for (const path of ['/voice', '/phone'])
      test(`at ${path}: ${kind}, before the token`, async () => {
        const count = await flood(await open(path), frames)
        assert.ok(count > 0 && count < read_frames_max, `${count} frames were read`)
      })
    test(`after it was refused: ${kind}`, async () => {
      const opened = await open('/voice')
      opened.socket.write(textOf({ type: 'start', token: 'x', sample_rate: 16_000 }))
      await once(opened.socket, 'data')
      const count = await flood(opened, frames)
      assert.ok(count < read_frames_max, `${count} frames were read`)
    })
    test(`within a call: ${kind}`, async () => {
      const { call, ...opened } = await openCall()
      const count = await flood(opened, frames)
      assert.ok(count > 0 && count < read_frames_max, `${count} frames were read`)
      await tenant.call('POST', `/calls/${call.id}/end`)
    })
  }

  test('at /phone: messages that say nothing', async () => {
    const count = await flood(await open('/phone'), floodOf(textOf({ event: 'connected' })))
    assert.ok(count > 0 && count < read_frames_max, `${count} frames were read`)
  })

  test('in one message of many pieces', async () => {
    const { socket, closed, received } = await openCall()
    socket.write(Buffer.concat([frameOf(opcodes.text, '{'), floodOf(frameOf(0), 1_000)]))
    await closed
    assert.ok(received().endsWith(refusal))
  })

  test('after it has said goodbye', async () => {
    const { socket, closed } = await open('/voice')
    // A write that fails was not read to its end.
    const { promise: error, resolve } = Promise.withResolvers<Error | null | undefined>()
    socket.write(Buffer.concat([frameOf(final | 8), Buffer.alloc(64 * 1024 * 1024)]), resolve)
    await closed
    assert.ok(await error)
  })
})

test('sound and messages that were held up for five seconds are taken at once', async () => {
  const { call, ...place } = await placeWebCall(tenant, { agent_id })
  const client = openVoiceClient(place, { is_live: false })
  await client.next('ready')
  for (let count = 0; count < 240; count += 1) client.socket.send(Buffer.alloc(640))
  for (let count = 0; count < 90; count += 1) client.send({ type: 'played', ms: count })
  client.send({ type: 'end' })
  assert.equal((await ended(tenant, call.id)).end_reason, 'contact_hung_up')
  assert.equal(await client.closed, 1_000)
})
