import assert from 'node:assert/strict'
import { once } from 'node:events'
import net from 'node:net'
import { after, describe, test } from 'node:test'
import { WebSocket } from 'ws'
import { waitUntil } from '../faults/client.ts'
import { ended, newCaller } from '../support/calls.ts'
import { addFakeSpeech } from '../support/fake-speech.ts'
import { openServer, type Server, testPool } from '../support/harness.ts'
import { placeWebCall } from '../support/voice-client.ts'

const socketsOf = (server: Server) => `${server.url.replace('http', 'ws')}/voice`
const [server, server_alone] = await Promise.all([
  openServer(testPool(), { trust_proxy: ['127.0.0.1', '10.0.0.0/8'] }),
  openServer(testPool()),
])
for (const one of [server, server_alone]) {
  after(one.close)
  addFakeSpeech(one)
}
const tenant = await server.workspace()
const agent_id = await newCaller(tenant, { greeting: 'Hello.' })

/** Opens a socket for a client at this address, behind the proxy. What it gets is `closed`, or `ready`. */
async function open(address: string, token?: string, url = socketsOf(server)) {
  const socket = new WebSocket(url, { headers: { 'x-forwarded-for': address } })
  const messages: { type: string; code?: string; message?: string }[] = []
  socket.on('message', (data, is_binary) => is_binary || messages.push(JSON.parse(data.toString())))
  socket.on('error', () => {})
  const closed = once(socket, 'close').then(([code]): number => code)
  await Promise.race([once(socket, 'open'), closed])
  if (token !== undefined) socket.send(JSON.stringify({ type: 'start', token, sample_rate: 16_000 }))
  return { socket, messages, closed }
}

/** A client at this address has a call, which it then ends. It tries until what it had open before is closed. */
async function talkFrom(address: string): Promise<void> {
  const { call, token } = await placeWebCall(tenant, { agent_id })
  await waitUntil('it is connected', async () => {
    const { socket, messages, closed } = await open(address, token)
    await Promise.race([once(socket, 'message'), closed])
    const is_ready = messages.some(({ type }) => type === 'ready')
    if (is_ready) socket.send(JSON.stringify({ type: 'end' }))
    return is_ready
  })
  await ended(tenant, call.id)
}

async function assertLimited({ messages, closed }: Awaited<ReturnType<typeof open>>): Promise<void> {
  assert.equal(await closed, 1_013)
  assert.equal(messages[0]?.code, 'rate_limited')
  assert.match(messages[0]?.message ?? '', /^Too many attempts from your network\. Try again in \d+ seconds\.$/)
}

const times = <T>(count: number, make: (index: number) => Promise<T>): Promise<T[]> =>
  Promise.all(Array.from({ length: count }, (_, index) => make(index)))

describe('sockets that have shown no token', { concurrency: true }, () => {
  test('are limited for a network, and others can talk', async () => {
    const waiting = await times(20, () => open('203.0.113.1'))
    await assertLimited(await open('203.0.113.1'))
    // What a client says itself about its address comes before what the proxies say.
    await assertLimited(await open('198.51.100.7, 203.0.113.1, 10.1.2.3'))
    await talkFrom('203.0.113.2')
    for (const { socket } of waiting) socket.terminate()
    await talkFrom('203.0.113.1')
  })

  test('are those of one network if their addresses begin with the same 64 bits', async () => {
    const waiting = await times(20, (index) => open(`2001:db8::${index}`))
    await assertLimited(await open('2001:db8:0:0:ffff::1'))
    await talkFrom('2001:db8:0:1::1')
    for (const { socket } of waiting) socket.terminate()
  })

  test('are not told apart by a header that no proxy has sent', async () => {
    const url = socketsOf(server_alone)
    const waiting = await times(20, (index) => open(`203.0.113.${index}`, undefined, url))
    await assertLimited(await open('203.0.113.99', undefined, url))
    for (const { socket } of waiting) socket.terminate()
  })

  test('are not opened when the refused ones of their network stay', async () => {
    const { port } = new URL(server.url)
    const head = [
      'GET /voice HTTP/1.1',
      'Host: localhost',
      'Connection: Upgrade',
      'Upgrade: websocket',
      'Sec-WebSocket-Version: 13',
      'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==',
      'X-Forwarded-For: 203.0.113.3',
    ]
    const request = async () => {
      const socket = net.connect(Number(port), '127.0.0.1')
      socket.on('error', () => {})
      socket.write(`${head.join('\r\n')}\r\n\r\n`)
      const [bytes] = await once(socket, 'data')
      return { socket, status: String(bytes).split(' ')[1] }
    }
    const opened = await times(40, request)
    assert.ok(opened.every(({ status }) => status === '101'))
    const { socket, status } = await request()
    assert.equal(status, '429')
    if (!socket.readableEnded) await once(socket, 'end')
    for (const one of opened) one.socket.destroy()
    await talkFrom('203.0.113.3')
  })
})

test('a network whose tokens are refused too often is told to wait, and others can talk', async () => {
  const address = '203.0.113.4'
  for (let count = 0; count < 60; count += 15)
    for (const { closed } of await times(15, () => open(address, 'x'))) assert.equal(await closed, 4_401)
  const { token } = await placeWebCall(tenant, { agent_id })
  await assertLimited(await open(address, token))
  await talkFrom('203.0.113.5')
})
