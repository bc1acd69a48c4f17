import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { readEvents, type ServerEvent } from '../../sdk/src/streams.ts'

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
