import assert from 'node:assert/strict'
import { once } from 'node:events'
import { after, test } from 'node:test'
import { fetchThrough } from '../../server/kit/outbound/fetch.ts'
import { openOutbound } from '../../server/kit/outbound/outbound.ts'
import { until } from '../support/model-servers.ts'
import { receiver, respondWith } from '../support/receivers.ts'

const outbound = openOutbound({ allowed: ['127.0.0.1'] })
const guarded = openOutbound({ allowed: [] })
after(() => Promise.all([outbound.close(), guarded.close()]))

const limits = { head_timeout_ms: 10_000, timeout_ms: 10_000, bytes_max: 1_000_000, whole_bytes_max: 1_000_000 }
const request = { ...limits, headers: {}, body: '{}' }

const text = async (body: ReadableStream<Uint8Array>) => Buffer.concat(await Array.fromAsync(body)).toString()

test('a body arrives piece by piece', async () => {
  let sendNext = () => {}
  const there = await receiver(async (response) => {
    for (const word of ['one ', 'two ', 'three']) {
      response.write(word)
      await new Promise<void>((resolve) => {
        sendNext = resolve
      })
    }
    response.end()
  })
  const { status, body } = await outbound.stream(there.url, request)
  assert.equal(status, 200)
  const words: string[] = []
  for await (const chunk of body) {
    words.push(Buffer.from(chunk).toString())
    sendNext()
  }
  assert.deepEqual(words, ['one ', 'two ', 'three'])
})

for (const how of ['signal', 'cancel'] as const) {
  test(`an abort by ${how} closes the connection`, async () => {
    let is_closed = false
    const there = await receiver((response) => {
      response.on('close', () => {
        is_closed = true
      })
      response.write('one')
    })
    const { signal, abort } = controller()
    const { body } = await outbound.stream(there.url, { ...request, signal })
    const reader = body.getReader()
    await reader.read()
    if (how === 'signal') abort()
    else await reader.cancel()
    await until(() => is_closed)
    if (how === 'signal') await assert.rejects(reader.read(), /canceled/)
  })
}

function controller(): { signal: AbortSignal; abort: () => void } {
  const opened = new AbortController()
  return { signal: opened.signal, abort: () => opened.abort() }
}

test('an abort before the response rejects the request and closes the connection', async () => {
  let closed = 0
  const there = await receiver((response) => response.on('close', () => (closed += 1)))
  const { signal, abort } = controller()
  const stream = outbound.stream(there.url, { ...request, signal })
  const whole = outbound.send(there.url, { headers: {}, body: '', timeout_ms: 10_000, bytes_max: 10, signal })
  await until(() => there.received.length === 2)
  abort()
  await assert.rejects(stream, /canceled/)
  await assert.rejects(whole, /canceled/)
  await until(() => closed === 2)
})

test('a request that is already aborted is not sent', async () => {
  const there = await receiver()
  const signal = AbortSignal.abort()
  await assert.rejects(outbound.stream(there.url, { ...request, signal }), /canceled/)
  assert.deepEqual(there.received, [])
})

test('a server that sends no head, or hangs in the body, is given up', async () => {
  const silent = await receiver(() => {})
  await assert.rejects(outbound.stream(silent.url, { ...request, head_timeout_ms: 50 }), /within 0\.05 seconds/)
  const hanging = await receiver((response) => response.write('one'))
  const { body } = await outbound.stream(hanging.url, { ...request, timeout_ms: 500 })
  await assert.rejects(text(body), /within 0\.5 seconds/)
})

test('a server that resets the connection fails the body', async () => {
  const there = await receiver((response) => {
    response.write('one', () => response.socket?.resetAndDestroy())
  })
  const { body } = await outbound.stream(there.url, request)
  await assert.rejects(text(body), /closed before the whole response arrived/)
})

test('a body may have as many bytes as allowed, and no more', async () => {
  const there = await receiver(respondWith(200, {}, 'x'.repeat(100_000)))
  const { body } = await outbound.stream(there.url, { ...request, bytes_max: 100_000 })
  assert.equal((await text(body)).length, 100_000)
  const { body: larger } = await outbound.stream(there.url, { ...request, bytes_max: 99_999 })
  await assert.rejects(text(larger), /more than 99999 bytes/)
})

test('a body that nobody reads is not read into memory', async () => {
  let written = 0
  let is_open = true
  const there = await receiver(async (response) => {
    const closed = once(response, 'close').then(() => {
      is_open = false
    })
    const piece = Buffer.alloc(64 * 1024)
    while (is_open && written < 512 * 1024 * 1024) {
      written += piece.length
      if (!response.write(piece)) await Promise.race([closed, once(response, 'drain')])
    }
  })
  const { body } = await outbound.stream(there.url, { ...request, bytes_max: 1024 ** 3 })
  let before = -1
  await until(() => {
    const is_steady = written > 0 && written === before
    before = written
    return is_steady
  })
  assert.ok(written < 64 * 1024 * 1024, `${written} bytes were taken`)
  await body.cancel()
  await until(() => !is_open)
})

test('private addresses are refused, unless the URL is trusted', async () => {
  const there = await receiver()
  await assert.rejects(guarded.stream(there.url, request), /public address/)
  assert.deepEqual(there.received, [])
  assert.equal((await guarded.stream(there.url, request, { is_trusted: true })).status, 200)
})

const fetchFrom = (url: string) => fetchThrough(outbound, { ...limits, origin: new URL(url).origin, is_trusted: false })

test('as a fetch it sends method, headers and body, and returns a Response', async () => {
  const there = await receiver(respondWith(200, { 'content-type': 'application/json', 'set-cookie': 'a=1' }, '{"a":1}'))
  const response = await fetchFrom(there.url)(there.url, { method: 'POST', headers: { 'x-key': '1' }, body: '{}' })
  assert.deepEqual([response.status, await response.json()], [200, { a: 1 }])
  assert.deepEqual([there.received[0]?.headers['x-key'], there.received[0]?.body], ['1', '{}'])
})

test('as a fetch it follows no redirect and calls no other server', async () => {
  const other = await receiver()
  const there = await receiver(respondWith(307, { location: other.url }))
  assert.equal((await fetchFrom(there.url)(there.url)).status, 307)
  await assert.rejects(fetchFrom(there.url)(other.url), /another server/)
  assert.deepEqual(other.received, [])
})

test('as a fetch it returns responses without a body, and rejects statuses that no Response can have', async () => {
  const empty = await receiver(respondWith(204))
  assert.equal(await (await fetchFrom(empty.url)(empty.url)).text(), '')
  const strange = await receiver(respondWith(700))
  await assert.rejects(fetchFrom(strange.url)(strange.url), /not HTTP/)
})

test('as a fetch it rejects with the reason of its signal', async () => {
  const there = await receiver(() => {})
  const opened = new AbortController()
  const response = fetchFrom(there.url)(there.url, { signal: opened.signal })
  await until(() => there.received.length === 1)
  opened.abort()
  await assert.rejects(response, { name: 'AbortError' })
})

test('as a fetch it sends bytes and forms, and no other bodies', async () => {
  const there = await receiver()
  const send = fetchFrom(there.url)
  const bytes = Buffer.from('sound')
  await send(there.url, { method: 'POST', headers: { 'content-type': 'audio/wav' }, body: new Uint8Array(bytes) })
  assert.deepEqual([there.received[0]?.body, there.received[0]?.headers['content-type']], ['sound', 'audio/wav'])
  const form = new FormData()
  form.append('model', 'small')
  form.append('file', new File([bytes], 'a', { type: 'audio/wav' }), 'a.wav')
  await send(there.url, { method: 'POST', body: form })
  const [, boundary = ''] =
    /^multipart\/form-data; boundary=(.+)$/.exec(there.received[1]?.headers['content-type'] ?? '') ?? []
  assert.equal(there.received[1]?.body.split(`--${boundary}`).length, 4, 'two parts')
  assert.match(
    there.received[1]?.body ?? '',
    /name="file"; filename="a.wav"\r\nContent-Type: audio\/wav\r\n\r\nsound\r\n/,
  )
  await assert.rejects(send(there.url, { method: 'POST', body: new URLSearchParams('a=1') }), /neither text nor bytes/)
})
