import assert from 'node:assert/strict'
import type http from 'node:http'
import { test } from 'node:test'
import zlib from 'node:zlib'
import { serve } from '../support/harness.ts'
import { receiver, respondWith } from '../support/receivers.ts'
import { assertResult, createAndSend, createWebhook, type Expected, soon } from '../support/webhook-calls.ts'

const { workspace } = await serve({ outbound_allow_hosts: ['127.0.0.1'] })
const minute_ms = 60_000
const hour_ms = 60 * minute_ms
const day_ms = 24 * hour_ms
const short_timeout_ms = 1_000

const endless: Parameters<typeof receiver>[0] = (response) => {
  response.writeHead(200)
  const more = () => {
    while (response.write('x'.repeat(1024)));
    response.once('drain', more)
  }
  more()
}
const endless_headers: typeof endless = ({ socket }) => {
  socket?.write('HTTP/1.1 200 OK\r\n')
  const more = () => {
    while (socket?.writable && socket.write(`x: ${'y'.repeat(1024)}\r\n`));
    socket?.once('drain', more)
  }
  socket?.on('error', () => {})
  more()
}
function sendSlowly({ socket }: http.ServerResponse, first: string, drop: string): void {
  socket?.write(first)
  const timer = setInterval(() => socket?.write(drop), short_timeout_ms / 50)
  socket?.on('error', () => {}).once('close', () => clearInterval(timer))
}
const bomb = zlib.gzipSync(Buffer.alloc(50 * 1024 * 1024))

const receivers: [string, Parameters<typeof receiver>[0], Expected][] = [
  ['200', respondWith(200, {}, 'ok'), { status: 'succeeded', answered: 200, answer: 'ok' }],
  ['204', respondWith(204), { status: 'succeeded', answered: 204, answer: '' }],
  ['301', respondWith(301, { location: 'http://127.0.0.1:9/' }), { status: 'pending', answered: 301, wait_ms: 5_000 }],
  ['400', respondWith(400, {}, 'no'), { status: 'pending', answered: 400, answer: 'no', wait_ms: 5_000 }],
  ['410', respondWith(410), { status: 'failed', answered: 410, endpoint: 'disabled' }],
  [
    '429 with Retry-After',
    respondWith(429, { 'retry-after': '90' }),
    { status: 'pending', answered: 429, wait_ms: 90_000 },
  ],
  [
    '503 with Retry-After of a month',
    respondWith(503, { 'retry-after': '2592000' }),
    { status: 'pending', wait_ms: day_ms },
  ],
  [
    '503 with Retry-After of the last day target is',
    respondWith(503, { 'retry-after': 'Fri, 31 Dec 9999 23:59:59 GMT' }),
    { status: 'pending', wait_ms: day_ms },
  ],
  [
    '429 with Retry-After of very many digits',
    respondWith(429, { 'retry-after': '9'.repeat(400) }),
    { status: 'pending', wait_ms: day_ms },
  ],
  ['429 with Retry-After of -5', respondWith(429, { 'retry-after': '-5' }), { status: 'pending', wait_ms: 5_000 }],
  [
    '429 with Retry-After of nonsense',
    respondWith(429, { 'retry-after': 'later' }),
    { status: 'pending', wait_ms: 5_000 },
  ],
  ['500 with Retry-After', respondWith(500, { 'retry-after': '90' }), { status: 'pending', wait_ms: 5_000 }],
  ['500', respondWith(500), { status: 'pending', answered: 500, wait_ms: 5_000 }],
  ['hang', () => {}, { status: 'pending', error: /no response within/, wait_ms: 5_000, is_slow: true }],
  [
    'hang in the body',
    (response) => response.writeHead(200).write('x'),
    { status: 'pending', error: /no response within/, is_slow: true },
  ],
  ['reset', (response) => response.socket?.resetAndDestroy(), { status: 'pending', error: /closed before/ }],
  ['headers without an end', endless_headers, { status: 'pending', error: /headers are too long/ }],
  ['no HTTP', (response) => response.socket?.end('220 mail\r\n'), { status: 'pending', error: /not HTTP/ }],
  [
    'a header now and then',
    (response) => sendSlowly(response, 'HTTP/1.1 200 OK\r\n', 'x: y\r\n'),
    { status: 'pending', error: /no response within/, is_slow: true },
  ],
  ['endless body', endless, { status: 'succeeded', answered: 200, answer: 'x'.repeat(1024) }],
  [
    'gzip bomb',
    (response) => response.writeHead(200, { 'content-encoding': 'gzip' }).end(bomb),
    { status: 'succeeded', answered: 200, answer: bomb.subarray(0, 1024).toString().replaceAll('\u0000', '\ufffd') },
  ],
  [
    'NUL and half characters',
    (response) => response.end(Buffer.of(0, 0xff)),
    { status: 'succeeded', answer: '\ufffd\ufffd' },
  ],
  [
    'a kilobyte that ends within a character',
    respondWith(200, {}, `a${'\u{1f600}'.repeat(300)}`),
    { status: 'succeeded', answer: `a${'\u{1f600}'.repeat(255)}` },
  ],
]

for (const [name, answer, expected] of receivers) {
  test(`a receiver that answers ${name}: ${expected.status}`, async () => {
    const tenant = await workspace()
    const target = await receiver(answer)
    const { id } = await createWebhook(tenant, target.url)
    const now = soon()
    await createAndSend(tenant, now, expected.is_slow ? short_timeout_ms : undefined)
    assert.equal(target.received.length, 1)
    await assertResult(tenant, id, expected, now)
  })
}

test('a receiver with a self-signed certificate gets nothing', async () => {
  const tenant = await workspace()
  const target = await receiver(respondWith(200), true)
  const { id } = await createWebhook(tenant, target.url)
  const now = soon()
  await createAndSend(tenant, now)
  assert.equal(target.received.length, 0)
  await assertResult(tenant, id, { status: 'pending', error: /SELF_SIGNED/, wait_ms: 5_000 }, now)
})

test('a receiver without TLS, or that does not exist, gets nothing', async () => {
  const tenant = await workspace()
  const target = await receiver()
  const plain = await createWebhook(tenant, target.url.replace('http:', 'https:'))
  const none = await createWebhook(tenant, 'http://127.0.0.1:9/')
  const now = soon()
  await createAndSend(tenant, now)
  assert.equal(target.received.length, 0)
  await assertResult(tenant, plain.id, { status: 'pending', error: /does not speak TLS/ }, now)
  await assertResult(tenant, none.id, { status: 'pending', error: /refused/ }, now)
})
