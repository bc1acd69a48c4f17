import assert from 'node:assert/strict'
import { once } from 'node:events'
import { PassThrough } from 'node:stream'
import { text } from 'node:stream/consumers'
import { after, test } from 'node:test'
import { pino } from 'pino'
import { nameTrace } from '../../server/kit/log.ts'
import { openOutbound } from '../../server/kit/outbound/outbound.ts'
import { openExporter } from '../../server/kit/traces/exporter.ts'
import { type Attributes, currentSpan, inSpan, Span } from '../../server/kit/traces/span.ts'
import { openCollector } from '../support/collector.ts'
import { until } from '../support/model-servers.ts'
import { respondWith } from '../support/receivers.ts'

const queue_max = 2_048

/** An exporter, and what it has logged and dropped. */
function open(endpoint: string) {
  const outbound = openOutbound({ allowed: [] })
  after(() => outbound.close())
  const stream = new PassThrough()
  const logged = text(stream)
  const counts = { dropped: 0 }
  const exporter = openExporter({
    url: `${endpoint}/v1/traces`,
    headers: {},
    resource: { attributes: { 'service.name': 'test' }, scope: { name: 'test', version: '1' } },
    outbound,
    log: pino(stream),
    onDropped: (count) => {
      counts.dropped += count
    },
  })
  const before = { trace_id: 'a'.repeat(32), is_sampled: true }
  const add = (count: number, attributes: Attributes = {}) => {
    for (let nth = 0; nth < count; nth += 1)
      new Span({ name: 'work', kind: 'internal', attributes }, before, exporter.add).end()
  }
  const readLog = async () => {
    stream.end()
    return (await logged).split('\n').flatMap((line) => (line === '' ? [] : [JSON.parse(line)]))
  }
  return { add, counts, close: exporter.close, readLog }
}

test('while a collector does not answer, spans wait up to a limit, and one request is open', async () => {
  const held = Promise.withResolvers<void>()
  let open_requests = 0
  let most_requests = 0
  const collector = await openCollector(async (response, request) => {
    open_requests += 1
    most_requests = Math.max(most_requests, open_requests)
    await held.promise
    open_requests -= 1
    respondWith(200)(response, request)
  })
  const { add, counts, close, readLog } = open(collector.endpoint)
  add(600)
  await until(() => open_requests === 1)
  add(3_000)
  assert.equal(counts.dropped, 3_600 - queue_max)
  held.resolve()
  await until(() => collector.spans.length === queue_max)
  assert.equal(most_requests, 1)
  assert.equal(new Set(collector.spans.map(({ span_id }) => span_id)).size, queue_max, 'each arrives once')
  add(1)
  await close()
  assert.equal(collector.spans.length, queue_max + 1)
  const lines = await readLog()
  assert.equal(lines.length, 1, 'one line a minute')
  assert.match(lines[0].msg, /collector/)
})

test('what a collector can not take now is sent again, and what it refuses is dropped', async () => {
  const statuses = [503, 200, 500, 400, 200]
  const collector = await openCollector((response, request) => respondWith(statuses.shift() ?? 200)(response, request))
  const { add, counts, close, readLog } = open(collector.endpoint)
  add(10)
  await until(() => collector.spans.length === 20)
  assert.equal(counts.dropped, 0)
  const sendOne = async (received: number) => {
    add(1)
    await until(() => collector.spans.length === received)
  }
  await sendOne(21)
  await until(() => counts.dropped === 1)
  await sendOne(22)
  await until(() => counts.dropped === 2)
  await sendOne(23)
  await close()
  assert.equal(counts.dropped, 2)
  assert.match((await readLog())[0].reason, /503/)
})

test('spans that can not be written are dropped, and the log has the error', async () => {
  const collector = await openCollector()
  const { add, counts, close, readLog } = open(collector.endpoint)
  add(1, { wrong: JSON.parse('null') })
  await until(() => counts.dropped === 1)
  add(1)
  await until(() => collector.spans.length === 1)
  await close()
  const [{ reason, dropped, err }, ...more] = await readLog()
  assert.deepEqual([reason, dropped, err.type, more], ['They could not be sent.', 1, 'TypeError', []])
})

test('the answer of a collector is not read to its end', async () => {
  const collector = await openCollector(async (response) => {
    response.writeHead(200)
    const closed = once(response, 'close')
    while (!response.closed)
      if (!response.write('x'.repeat(64 * 1024))) await Promise.race([once(response, 'drain'), closed])
  })
  const { add, counts, close } = open(collector.endpoint)
  add(1)
  await until(() => collector.spans.length === 1)
  add(1)
  await until(() => collector.spans.length === 2)
  await close()
  assert.equal(counts.dropped, 0)
})

test('a stop does not wait for a collector that never answers', async () => {
  const collector = await openCollector(() => {})
  const { add, counts, close } = open(collector.endpoint)
  add(700)
  await until(() => collector.spans.length > 0)
  // A stop that waits would take longer than the test may.
  await close()
  assert.equal(counts.dropped, 700)
  add(1)
  assert.equal(counts.dropped, 700)
})

test('what runs in a span is found there, until it ends', async () => {
  const span = new Span({ name: 'work', kind: 'internal' }, { trace_id: 'b'.repeat(32), is_sampled: false }, () => {})
  assert.equal(currentSpan(), undefined)
  assert.deepEqual(nameTrace(), {})
  await inSpan(span, async () => {
    await Promise.resolve()
    assert.equal(currentSpan(), span)
    assert.deepEqual(nameTrace(), { trace_id: 'b'.repeat(32) })
    assert.equal(
      inSpan(undefined, () => currentSpan()),
      undefined,
    )
    assert.equal(span.child({ name: 'part', kind: 'internal' }), undefined, 'it is not sent')
    span.end()
    assert.equal(currentSpan(), undefined)
  })
})
