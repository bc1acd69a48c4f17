import assert from 'node:assert/strict'
import { test } from 'node:test'
import { pino } from 'pino'
import { createApp } from '../../server/kit/http/app.ts'
import { newId } from '../../server/kit/id.ts'
import { mockLocalhost } from '../support/localhost.ts'

test('on every address of localhost, a connection that can not be accepted ends no other', async () => {
  const addresses = ['127.0.0.1', '127.0.0.2']
  const lookup = mockLocalhost(addresses)
  const sendAnswer = () => {}
  const app = createApp({ trust_proxy: [], newRequestId: newId, sendAnswer, log: pino({ level: 'silent' }) })
  app.get('/', (request, reply) => {
    const { server } = Object(request.raw.socket)
    server.emit('error', new Error('EMFILE'))
    void reply.send(String(server.maxConnections))
  })
  try {
    await app.listen({ host: 'localhost', port: 0 })
    lookup.restore()
    const { port } = Object(app.server.address())
    for (const address of [...addresses, ...addresses]) {
      const response = await fetch(`http://${address}:${port}/`)
      assert.deepEqual([response.status, await response.text()], [200, '10000'], address)
    }
  } finally {
    lookup.restore()
    await app.close()
  }
})
