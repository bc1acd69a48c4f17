import assert from 'node:assert/strict'
import { test } from 'node:test'
import { serve } from '../support/harness.ts'
import { exchangeBytes, parseResponse, rawRequest } from '../support/raw-http.ts'
import { newContact } from '../support/samples.ts'
import { inChunksOfOneByte } from '../support/small-chunks.ts'

const { workspace, url } = await serve()
const tenant = await workspace()

async function sendInChunksOfOneByte(path: string, type: string, body: string) {
  const lines = [`Content-Type: ${type}`, 'Transfer-Encoding: chunked']
  const received = await exchangeBytes(url, (socket) => {
    socket.write(rawRequest(tenant, `POST ${path}`, lines))
    socket.write(inChunksOfOneByte(body))
  })
  const answer = parseResponse(received)
  return { ...answer, ...JSON.parse(received.slice(received.indexOf('{'), received.lastIndexOf('}') + 1)) }
}

test('a body of JSON in chunks of one byte is read like any other', async () => {
  const contact = { ...newContact(), first_name: 'Åsa' }
  const { status, data } = await sendInChunksOfOneByte('/api/v1/contacts', 'application/json', JSON.stringify(contact))
  assert.equal(status, 201, JSON.stringify(data))
  assert.equal(data.first_name, contact.first_name)
})

test('an upload in chunks of one byte is stored whole', async () => {
  const text = 'We open at nine. '.repeat(3_000)
  const part = 'Content-Disposition: form-data; name="file"; filename="hours.txt"'
  const body = `--xx\r\n${part}\r\n\r\n${text}\r\n--xx--\r\n`
  const { status, data } = await sendInChunksOfOneByte('/api/v1/documents', 'multipart/form-data; boundary=xx', body)
  assert.equal(status, 201, JSON.stringify(data))
  assert.equal(data.bytes, text.length)
})

test('a body in chunks of one byte that is too long is refused', async () => {
  const body = JSON.stringify({ first_name: 'x'.repeat(1_200_000) })
  const { status, code } = await sendInChunksOfOneByte('/api/v1/contacts', 'application/json', body)
  assert.deepEqual([status, code], [413, 'PAYLOAD_TOO_LARGE'])
})
