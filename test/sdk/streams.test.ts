import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { ConnectionError, ParleyError } from '../../sdk/src/errors.ts'
import { followStream, readEvents, type ServerEvent } from '../../sdk/src/streams.ts'

const bytesOf = (text: string) => new TextEncoder().encode(text)

function bodyOf(text: string, chunk_bytes: number): ReadableStream<Uint8Array> {
  const bytes = bytesOf(text)
  let start = 0
  return new ReadableStream({
    pull(controller) {
      if (start >= bytes.length) return controller.close()
      controller.enqueue(bytes.subarray(start, start + chunk_bytes))
      start += chunk_bytes
    },
  })
}

const read = (text: string, chunk_bytes: number): Promise<ServerEvent[]> =>
  Array.fromAsync(readEvents(bodyOf(text, chunk_bytes)))

/** Counts the characters of all texts that are searched. */
function countSearched({ mock }: TestContext): () => number {
  let searched = 0
  for (const name of ['split', 'indexOf', 'lastIndexOf', 'search', 'match', 'matchAll', 'replace'] as const) {
    const original = String.prototype[name] as (...given: unknown[]) => unknown
    const counting = function counting(this: string, ...given: unknown[]): unknown {
      searched += this.length
      return original.apply(this, given)
    }
    mock.method(String.prototype, name, counting as never)
  }
  return () => searched
}

test('events are the same however their bytes are cut', async () => {
  const text =
    ':\n\nid: 1\nevent: turn.delta\ndata: {"text":"é\\n\u2028"}\n\n\nevent: b\ndata: 2\n\nid: 3\nevent: c\ndata: null\n\n'
  const whole = await read(text, 1_000)
  assert.deepEqual(whole, [
    { type: '', id: undefined, data: null },
    { type: 'turn.delta', id: '1', data: { text: 'é\n\u2028' } },
    { type: 'b', id: undefined, data: 2 },
    { type: 'c', id: '3', data: null },
  ])
  for (let bytes = 1; bytes <= text.length; bytes += 1)
    assert.deepEqual(await read(text, bytes), whole, `${bytes} bytes`)
})

test('lines may end with CR LF, a field may have no space, and data several lines', async () => {
  const text = ':\r\n\r\nid:1\r\nevent:a\r\ndata:{"a":\r\ndata: 1}\r\n\r\nevent: b\rdata: 2\r\r:'
  for (let bytes = 1; bytes <= text.length; bytes += 1)
    assert.deepEqual(await read(text, bytes), [
      { type: '', id: undefined, data: null },
      { type: 'a', id: '1', data: { a: 1 } },
      { type: 'b', id: undefined, data: 2 },
    ])
})

test('an event without data, or with something else, is an error', async () => {
  for (const block of ['event: a', 'event: a\ndata: null', 'event: a\ndata: {'])
    await assert.rejects(
      Array.fromAsync(followStream(async () => new Response(`${block}\n\n`), undefined, undefined)),
      {
        code: 'UNEXPECTED_ANSWER',
      },
    )
})

test('a stream waits an hour at most, whatever the service asks for', async (context) => {
  const waits = skipWaits(context)
  let connections = 0
  const open = async () => {
    connections += 1
    if (connections === 1) return new Response('event: a\ndata: 1\n\n')
    if (connections === 3) throw refused()
    throw new ParleyError({ code: 'SERVICE_UNAVAILABLE', status: 503, message: 'later', retryAfter: 1e9 })
  }
  await assert.rejects(Array.fromAsync(followStream(open, undefined, undefined)), { code: 'UNAUTHORIZED' })
  assert.equal(Math.max(...waits), 3_600_000)
})

test('each character of a long event is searched a few times, however small its chunks are', async (context) => {
  const long = 'x'.repeat(200_000)
  const text = `event: a\ndata: "${long}"\n\n`
  const searched = countSearched(context)
  const [event] = await read(text, 100)
  assert.equal(event?.data, long)
  assert.ok(searched() < 10 * text.length, `${searched()} characters searched`)
})

test('an event that is too long is an error', async () => {
  const longest = 'x'.repeat(15_999_000)
  assert.equal((await read(`data: "${longest}"\n\n`, 64_000))[0]?.data, longest)
  await assert.rejects(read(`data: "${longest}${longest}`, 64_000), { code: 'UNEXPECTED_ANSWER' })
})

const failing = [
  () => new ConnectionError({ code: 'CONNECTION_FAILED', message: 'down' }),
  () => new ParleyError({ code: 'UNEXPECTED_ANSWER', status: 502, message: 'no upstream' }),
  () => new ParleyError({ code: 'SERVICE_UNAVAILABLE', status: 503, message: 'stopping', retryAfter: 90 }),
]
const refused = () => new ParleyError({ code: 'UNAUTHORIZED', status: 401, message: 'revoked' })
const silence_max_ms = 60_000

/** Ends waits at once. Returns how long they would have been. */
function skipWaits({ mock }: TestContext): number[] {
  const waits: number[] = []
  const { setTimeout } = globalThis
  mock.method(globalThis, 'setTimeout', (run: () => void, ms: number) => {
    if (ms === silence_max_ms) return setTimeout(() => {}, 0)
    waits.push(ms)
    return setTimeout(run, 0)
  })
  return waits
}

test('a stream that was open reconnects through any outage, and throws when it is refused', async (context) => {
  const waits = skipWaits(context)
  const outage = 20
  const seen: (string | undefined)[] = []
  let connections = 0
  const open = async (last_id: string | undefined) => {
    connections += 1
    seen.push(last_id)
    if (connections === 1) return new Response('id: 1\nevent: a\ndata: 1\n\n')
    if (connections <= outage) throw failing[connections % failing.length]?.()
    if (connections === outage + 1) return new Response('id: 2\nevent: a\ndata: 2\n\n')
    throw refused()
  }
  const received: unknown[] = []
  const follow = async () => {
    for await (const { data } of followStream(open, undefined, undefined)) received.push(data)
  }
  await assert.rejects(follow(), { code: 'UNAUTHORIZED' })
  assert.deepEqual(received, [1, 2])
  assert.deepEqual(seen, [undefined, ...Array(outage).fill('1'), '2'])
  const [first = 0] = waits
  assert.ok(first >= 750 && first <= 1_250, `${first} ms`)
  assert.equal(Math.max(...waits), 90_000, 'as the service asks')
  assert.ok(
    waits.filter((ms) => ms !== 90_000).every((ms) => ms <= 37_500),
    `${waits} ms`,
  )
})

test('a stream that can not be opened throws', async () => {
  const open = async () => {
    throw failing[0]?.()
  }
  await assert.rejects(followStream(open, undefined, undefined).next(), { code: 'CONNECTION_FAILED' })
})
