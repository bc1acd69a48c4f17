import assert from 'node:assert/strict'
import { once } from 'node:events'
import http from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { WebSocketServer } from 'ws'
import { final, opcodes } from '../../support/raw-sockets.ts'
import type { Attack, AttackWorld } from './attack.ts'
import { openSocket, openTalker, type Place } from './live-calls.ts'

const message = '{"type":"a"}'
const flood_bytes = 2_400_000
const frame_ms = 20
const echo_frames = 100
const flooded_ms = 4_000

/** A provider that hears speech answers a stream with very many messages. */
export const attacks: Attack[] = [1, 10].map((calls) => ({
  name: `a speech provider that floods ${calls === 1 ? 'one call' : `${calls} calls`}`,
  async run(world) {
    const ear = await openEar(world.stack)
    const place = await openTalker(world, world.attacker, {
      provider: { kind: 'elevenlabs', base_url: ear.base_url, default_model: undefined },
      model: 'scribe_v2_realtime',
      greeting: 'Hello, and thank you for calling. How can I help you today?',
    })
    const places = await Promise.all(Array.from({ length: calls }, place))
    await Promise.all(places.map((one) => speakTo(world, one)))
    assert.ok(ear.streams() >= calls, `${ear.streams()} streams of ${calls} calls`)
    world.print(`${calls} calls: ${ear.streams()} streams were flooded`)
  },
}))

/** Says to the agent what the agent has said: that is speech. */
async function speakTo({ stack }: AttackWorld, place: Place): Promise<void> {
  const client = openSocket(stack, place)
  const frames: Buffer[] = []
  client.socket.on('message', (data: Buffer, is_binary) => {
    if (is_binary) frames.push(data)
  })
  await client.next('ready')
  while (frames.length < echo_frames) await sleep(frame_ms)
  for (const frame of frames.slice(0, echo_frames)) {
    client.socket.send(frame)
    await sleep(frame_ms)
  }
  await sleep(flooded_ms)
  if (client.socket.readyState === client.socket.OPEN) client.send({ type: 'end' })
  await client.closed
}

async function openEar(stack: AsyncDisposableStack): Promise<{ base_url: string; streams: () => number }> {
  const frame = Buffer.concat([Buffer.from([final | opcodes.text, message.length]), Buffer.from(message)])
  const flood = Buffer.alloc(Math.floor(flood_bytes / message.length) * frame.length, frame)
  const server = http.createServer((_request, response) => response.writeHead(500).end())
  const sockets = new WebSocketServer({ noServer: true })
  let streams = 0
  server.on('upgrade', (request, connection, head) => {
    connection.on('error', () => {})
    sockets.handleUpgrade(request, connection, head, () => {
      streams += 1
      connection.write(flood)
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  stack.defer(() => {
    for (const socket of sockets.clients) socket.terminate()
    server.closeAllConnections()
    server.close()
  })
  return { base_url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`, streams: () => streams }
}
