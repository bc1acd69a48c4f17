import assert from 'node:assert/strict'
import { once } from 'node:events'
import { after, describe, test } from 'node:test'
import { WebSocket } from 'ws'
import { waitUntil } from '../faults/client.ts'
import { ended, newCaller } from '../support/calls.ts'
import { addFakeSpeech } from '../support/fake-speech.ts'
import { openServer, type Server, testPool } from '../support/harness.ts'
import { final, frameOf, opcodes, openRaw, textOf } from '../support/raw-sockets.ts'
import { placeWebCall } from '../support/voice-client.ts'

const socketsOf = (server: Server, path = '/voice') => `${server.url.replace('http', 'ws')}${path}`
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

/** Opens them one after the other, so that it is known which one has waited longest. */
async function openInOrder(addresses: string[], url?: string) {
  const opened: Awaited<ReturnType<typeof open>>[] = []
  for (const address of addresses) opened.push(await open(address, undefined, url))
  return opened
}

type Opened = Awaited<ReturnType<typeof open>>
const openOf = (opened: Opened[]) => opened.flatMap(({ socket }, index) => (socket.readyState === 1 ? [index] : []))
const closeAll = async (opened: Opened[]) => {
  for (const { socket } of opened) socket.terminate()
  await Promise.all(opened.map(({ closed }) => closed))
}
const many = (count: number, addressOf: (index: number) => string) =>
  Array.from({ length: count }, (_, index) => addressOf(index))
const openFrom = (address: string, path = '/voice') => openRaw(server.url, path, [`X-Forwarded-For: ${address}`])
const upTo = (end: number, start = 0) => Array.from({ length: end - start }, (_, index) => start + index)

describe('of sockets that have shown no token', () => {
  for (const path of ['/voice', '/phone']) {
    test(`8 of a network stay open at ${path}, and beyond them the one that has waited longest makes room`, async () => {
      const waiting = await openInOrder(
        many(8, () => '203.0.113.1'),
        socketsOf(server, path),
      )
      // What a client says itself about its address comes before what the proxies say.
      const last = await open('198.51.100.7, 203.0.113.1, 10.1.2.3', undefined, socketsOf(server, path))
      assert.equal(await waiting[0]?.closed, 1_006)
      await talkFrom('203.0.113.2')
      assert.deepEqual(openOf([...waiting, last]), upTo(9, 1))
      await closeAll([...waiting, last])
    })
  }

  test('8 are of one network if their addresses begin with the same 64 bits', async () => {
    const waiting = await openInOrder(many(8, (index) => `2001:db8::${index}`))
    const other = await open('2001:db8:0:1::1')
    const last = await open('2001:db8:0:0:ffff::1')
    assert.equal(await waiting[0]?.closed, 1_006)
    assert.deepEqual(openOf([...waiting, last, other]), upTo(10, 1))
    await closeAll([...waiting, last, other])
  })

  test('a network is not told by a header that no proxy has sent', async () => {
    const url = socketsOf(server_alone)
    const waiting = await openInOrder(
      many(9, (index) => `203.0.113.${index}`),
      url,
    )
    assert.equal(await waiting[0]?.closed, 1_006)
    assert.deepEqual(openOf(waiting), upTo(9, 1))
    await closeAll(waiting)
  })

  test('64 stay open in all, and beyond them the network that has most makes room', async () => {
    const first = await open('203.0.113.100')
    const waiting = await openInOrder(many(63, (index) => `203.0.113.${Math.floor(index / 8)}`))
    assert.deepEqual(openOf([first, ...waiting]), upTo(64))
    await talkFrom('203.0.113.101')
    assert.equal(await waiting[0]?.closed, 1_006)
    assert.deepEqual(openOf([first, ...waiting]), [0, ...upTo(64, 2)])
    await closeAll([first, ...waiting])
  })

  test('those that do not close their side when they are refused count', async () => {
    const refused = await times(8, async () => {
      const opened = await openFrom('203.0.113.3')
      opened.socket.write(textOf({ type: 'end' }))
      return opened
    })
    const destroyed = Promise.race(refused.map(({ socket }) => once(socket, 'close')))
    const last = await open('203.0.113.3')
    await destroyed
    for (const { socket } of refused) socket.destroy()
    await closeAll([last])
  })

  test('none stays open for longer than five seconds', async () => {
    const opened = await Promise.all(
      ['/voice', '/phone'].map((path) => open('203.0.113.6', undefined, socketsOf(server, path))),
    )
    assert.deepEqual(await Promise.all(opened.map(({ closed }) => closed)), [1_008, 1_008])
  })
})

describe('before it shows a token a client sends at most', () => {
  const connected = { event: 'connected' }
  const ping = frameOf(final | opcodes.ping)
  const starts = {
    '/voice': { type: 'start', token: 'x', sample_rate: 16_000 },
    '/phone': {
      event: 'start',
      streamSid: 'MZ1',
      start: { streamSid: 'MZ1', callSid: 'CA1', customParameters: { token: 'x' } },
    },
  }
  /** With the code 4401. */
  const close_frame = Buffer.from([0x88, 2, 4_401 >> 8, 4_401 & 255]).toString('latin1')
  const paths = ['/voice', '/phone'] as const

  /** Whether the service reads the token, and refuses it. It disconnects those that have sent too much before. */
  async function isRead(path: (typeof paths)[number], bytes: Buffer): Promise<boolean> {
    const { socket, closed, received } = await openFrom('203.0.113.7', path)
    const isRefused = () => received().includes(close_frame)
    socket.write(bytes)
    while (!(isRefused() || socket.destroyed)) await Promise.race([once(socket, 'data'), closed])
    socket.destroy()
    return isRefused()
  }

  for (const path of paths) {
    const start = textOf(starts[path])
    const before = path === '/phone' ? textOf(connected) : ping
    test(`2 messages, at ${path}`, async () => {
      assert.equal(await isRead(path, Buffer.concat([before, start])), true)
      assert.equal(await isRead(path, Buffer.concat([before, before, start])), false)
      assert.equal(await isRead(path, Buffer.concat([ping, ping, start])), false)
    })

    test(`4 kB, at ${path}`, async () => {
      const ofBytes = (bytes: number) => frameOf(final | opcodes.text, JSON.stringify(starts[path]).padEnd(bytes - 8))
      assert.equal(ofBytes(4_096).length, 4_096)
      assert.equal(await isRead(path, ofBytes(4_096)), true)
      assert.equal(await isRead(path, ofBytes(4_097)), false)
    })
  }

  test('and the token of one who has sent more still works', async () => {
    const { call, token } = await placeWebCall(tenant, { agent_id })
    const start = textOf({ ...starts['/voice'], token })
    const { socket: other, closed, received } = await openFrom('203.0.113.7')
    other.write(Buffer.concat([ping, ping, start]))
    await closed
    assert.equal(received().includes('ready'), false)
    const { socket, messages } = await open('203.0.113.8', token)
    await once(socket, 'message')
    assert.equal(messages[0]?.type, 'ready')
    socket.send(JSON.stringify({ type: 'end' }))
    await ended(tenant, call.id)
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
