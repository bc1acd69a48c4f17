import assert from 'node:assert/strict'
import { test } from 'node:test'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { request } from 'undici'
import { chooseEncoding } from '../../server/kit/http/compression.ts'
import { serve } from '../support/harness.ts'

const { url } = await serve()

/** Sends the request without `fetch`, which reads compressed bodies by itself. */
async function get(path: string, headers: Record<string, string> = {}, method: 'GET' | 'HEAD' = 'GET') {
  const response = await request(`${url}${path}`, { method, headers })
  return {
    status: response.statusCode,
    headers: response.headers,
    bytes: Buffer.from(await response.body.arrayBuffer()),
  }
}

const open = { br: brotliDecompressSync, gzip: gunzipSync }

test('the encoding is the one that the client likes best', () => {
  const both = ['br', 'gzip'] as const
  for (const [header, expected] of [
    [undefined, undefined],
    ['', undefined],
    ['gzip, deflate, br, zstd', 'br'],
    ['GZIP', 'gzip'],
    ['gzip;q=1.0, br;q=0.5', 'gzip'],
    ['br ; q=0, gzip', 'gzip'],
    ['br;q=0', undefined],
    ['*', 'br'],
    ['*;q=0', undefined],
    ['*;q=0, gzip', 'gzip'],
    ['br;q=0, *', 'gzip'],
    ['identity', undefined],
    ['identity;q=1, gzip;q=0.5', undefined],
    ['identity;q=0.5, gzip', 'gzip'],
    ['x-br, brotli', undefined],
    ['br;q=nonsense, gzip;q=2', undefined],
    [','.repeat(10_000), undefined],
  ] as const)
    assert.equal(chooseEncoding(header, both), expected, String(header).slice(0, 50))
  assert.equal(chooseEncoding('br, gzip;q=0.1', ['gzip']), 'gzip')
  assert.equal(chooseEncoding('br', []), undefined)
})

for (const path of ['/openapi.json', '/docs'])
  test(`${path} is compressed, with an ETag for each encoding`, async () => {
    const plain = await get(path)
    assert.deepEqual(
      [plain.status, plain.headers['content-encoding'], plain.headers.vary],
      [200, undefined, 'accept-encoding'],
    )
    const etags = [plain.headers.etag]
    for (const encoding of ['br', 'gzip'] as const) {
      const { status, headers, bytes } = await get(path, { 'accept-encoding': encoding })
      assert.deepEqual([status, headers['content-encoding'], headers.vary], [200, encoding, 'accept-encoding'])
      assert.ok(open[encoding](bytes).equals(plain.bytes))
      assert.ok(bytes.length < plain.bytes.length / 4, `${bytes.length} of ${plain.bytes.length} bytes`)
      const { etag = '' } = headers
      const again = await get(path, { 'accept-encoding': encoding, 'if-none-match': String(etag) })
      assert.deepEqual([again.status, again.bytes.length, again.headers.etag], [304, 0, etag])
      const other = await get(path, { 'if-none-match': String(etag) })
      assert.equal(other.status, 200, 'another encoding is another body')
      etags.push(etag)
    }
    assert.equal(new Set(etags).size, 3)
    const head = await get(path, { 'accept-encoding': 'gzip' }, 'HEAD')
    assert.deepEqual([head.status, head.headers['content-encoding'], head.bytes.length], [200, 'gzip', 0])
  })

test('files of pages follow q-values too', async () => {
  const compressed = await get('/chat/widget.js', { 'accept-encoding': 'br;q=0, gzip' })
  assert.equal(compressed.headers['content-encoding'], 'gzip')
  const plain = await get('/chat/widget.js', { 'accept-encoding': 'br;q=0, gzip;q=0' })
  assert.deepEqual([plain.headers['content-encoding'], plain.headers.vary], [undefined, 'accept-encoding'])
  assert.ok(gunzipSync(compressed.bytes).equals(plain.bytes))
})
