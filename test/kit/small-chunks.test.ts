import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import { after, test } from 'node:test'
import { JoiningRequest } from '../../server/kit/http/body/joining-request.ts'
import { fetchThrough } from '../../server/kit/outbound/fetch.ts'
import { openOutbound } from '../../server/kit/outbound/outbound.ts'
import { exchangeBytes } from '../support/raw-http.ts'
import { receiver } from '../support/receivers.ts'
import { answerInChunksOfOneByte, inChunksOfOneByte } from '../support/small-chunks.ts'

const outbound = openOutbound({ allowed: ['127.0.0.1'] })
after(() => outbound.close())

const chunks_max = 100_000
const limits = { head_timeout_ms: 20_000, timeout_ms: 20_000, bytes_max: 1_000_000, whole_bytes_max: 1_000_000 }
const request = { ...limits, headers: {}, body: '{}' }
const text = 'We open at nine. '.repeat(1_000)
const type = 'text/plain'
const too_many = /^The response has more than 100000 chunks of less than 64 bytes\.$/

const serverOf = (body: string, times = 1) =>
  receiver((response) => answerInChunksOfOneByte(response, { type, body, times }))

test('an answer in chunks of one byte is the same, in a few pieces', async () => {
  const { url } = await serverOf(text)
  const { body } = await outbound.stream(url, request)
  const pieces = await Array.fromAsync(body)
  assert.equal(Buffer.concat(pieces).toString(), text)
  assert.ok(pieces.length < text.length / 100, `${pieces.length} pieces of ${text.length} bytes`)
  assert.equal((await outbound.send(url, request)).body.toString(), text)
  const fetched = await fetchThrough(outbound, { ...limits, origin: new URL(url).origin, is_trusted: false })(url)
  assert.equal(await fetched.text(), text)
})

test('an answer has at most 100,000 small chunks', async () => {
  const most = await serverOf('x'.repeat(chunks_max / 10), 10)
  assert.equal((await outbound.send(most.url, request)).body.length, chunks_max)
  const { body } = await outbound.stream(most.url, request)
  assert.equal(Buffer.concat(await Array.fromAsync(body)).length, chunks_max)
  const more = await serverOf('x'.repeat(chunks_max + 1))
  await assert.rejects(outbound.send(more.url, request), { message: too_many })
  const refused = await outbound.stream(more.url, request)
  await assert.rejects(Array.fromAsync(refused.body), { message: too_many })
})

test('an answer in chunks of one byte that is too long is cut, or refused', async () => {
  const { url } = await serverOf(text)
  const shorter = { ...request, bytes_max: 10_001 }
  assert.equal((await outbound.send(url, shorter)).body.toString(), text.slice(0, 10_001))
  const { body } = await outbound.stream(url, shorter)
  await assert.rejects(Array.fromAsync(body), /more than 10001 bytes/)
})

test('other work runs while an answer in chunks of one byte is read', async () => {
  const { url } = await serverOf(text)
  let turns = 0
  let is_read = false
  const countTurns = () => {
    turns += 1
    if (!is_read) setImmediate(countTurns)
  }
  countTurns()
  await outbound.send(url, request)
  const whole = turns
  const { body } = await outbound.stream(url, request)
  await Array.fromAsync(body)
  is_read = true
  assert.ok(whole > 1 && turns > whole + 1)
})

test('a request in chunks of one byte is the same, in a few pieces, in whatever order chunks of any size come', async () => {
  const server = createServer({ IncomingMessage: JoiningRequest }, (incoming, response) => {
    void Array.fromAsync(incoming).then((pieces) =>
      response.end(JSON.stringify({ text: Buffer.concat(pieces).toString(), count: pieces.length })),
    )
  }).listen(0, '127.0.0.1')
  after(() => server.close())
  await once(server, 'listening')
  const { port } = Object(server.address())
  const small = inChunksOfOneByte(text).subarray(0, -5)
  const large = Buffer.from(`${text.length.toString(16)}\r\n${text}\r\n`)
  const end = Buffer.from('0\r\n\r\n')
  const head = 'POST / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nTransfer-Encoding: chunked\r\n\r\n'
  for (const parts of [[], [small], [small, large], [large, small, large], [large, large, small, small]]) {
    const received = await exchangeBytes(`http://127.0.0.1:${port}`, (socket) =>
      socket.write(Buffer.concat([Buffer.from(head), ...parts, end])),
    )
    const answer = JSON.parse(received.slice(received.indexOf('{'), received.lastIndexOf('}') + 1))
    assert.equal(answer.text, text.repeat(parts.length))
    assert.ok(answer.count < 50, `${answer.count} pieces`)
  }
})
