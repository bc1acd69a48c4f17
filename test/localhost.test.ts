import assert from 'node:assert/strict'
import dns from 'node:dns'
import { mock, test } from 'node:test'
import { pino } from 'pino'
import { createApp } from '../server/kit/http/app.ts'
import { newId } from '../server/kit/id.ts'

test('on every address of localhost, a connection that can not be accepted ends no other', async () => {
  const addresses = ['127.0.0.1', '127.0.0.2']
  const toFound = (address: string) => ({ address, family: 4 })
  // Fastify asks for all addresses, as there are two on a machine with IPv6.
  const lookup = mock.method(
    dns,
    'lookup',
    (host: string, _options: object, done: (error: null, all: object) => void) =>
      done(null, (host === 'localhost' ? addresses : [host]).map(toFound)),
  )
  const sendAnswer = () => {}
  const app = createApp({ trust_proxy: [], newRequestId: newId, sendAnswer, log: pino({ level: 'silent' }) })
  app.get('/', (request, reply) => {
    const { server } = Object(request.raw.socket)
    server.emit('error', new Error('EMFILE'))
    void reply.send(String(server.maxConnections))
  })
  try {
    await app.listen({ host: 'localhost', port: 0 })
    lookup.mock.restore()
    const { port } = Object(app.server.address())
    for (const address of [...addresses, ...addresses]) {
      const response = await fetch(`http://${address}:${port}/`)
      assert.deepEqual([response.status, await response.text()], [200, '10000'], address)
    }
  } finally {
    lookup.mock.restore()
    await app.close()
  }
})
