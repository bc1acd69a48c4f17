import assert from 'node:assert/strict'
import { once } from 'node:events'
import net, { type AddressInfo } from 'node:net'
import { after, test } from 'node:test'
import { readConfig } from '../../server/config.ts'
import { isCluster } from '../support/cluster.ts'
import { createDatabase, openServer, testPool } from '../support/harness.ts'
import { parseMetrics } from '../support/metrics.ts'
import { type Command, command } from '../support/process.ts'

const token = 'sixteen-or-more!'
// Before the first test: one that ends meanwhile would end the file.
const { url: DATABASE_URL } = await createDatabase('metrics_port')
const environment = { PORT: '0', LOG_LEVEL: 'warn', DATABASE_URL, SECRETS_KEY: 'k'.repeat(32) }

async function open(config = {}) {
  const server = await openServer(testPool(), config)
  after(server.close)
  return (headers: Record<string, string> = {}) => server.fetch('GET', '/metrics', undefined, headers)
}

test('without a token, metrics are shown to nobody, and the error says how to read them', async () => {
  const get = await open({ metrics_token: undefined })
  for (const sent of [
    {},
    { 'X-Forwarded-For': '127.0.0.1' },
    { authorization: `Bearer ${token}` },
    { authorization: 'Bearer undefined' },
    { authorization: 'Bearer' },
  ]) {
    const { status, headers, body } = await get(sent)
    assert.deepEqual([status, body.error.code, headers.get('www-authenticate')], [401, 'UNAUTHORIZED', 'Bearer'])
    assert.equal(
      body.error.message,
      'Set METRICS_TOKEN to read metrics here, or METRICS_PORT to read them at another port.',
    )
  }
})

test('with a token, everybody needs it', async () => {
  const get = await open({ metrics_token: token })
  const sent = (value: string) => get({ authorization: `Bearer ${value}` })
  assert.equal((await get()).status, 401)
  for (const wrong of [`${token}x`, token.slice(1), token.toUpperCase(), 'x'])
    assert.equal((await sent(wrong)).status, 401, wrong)
  assert.equal((await get({ authorization: `Basic ${token}` })).status, 401)
  const { status, text } = await sent(token)
  assert.equal(status, 200)
  assert.ok(!text.includes(token))
  assert.equal((await get({ authorization: `Bearer ${token}`, 'x-forwarded-for': '10.0.0.1' })).status, 200)
})

test('the token has at least 16 characters, and is not printed', () => {
  assert.equal(readConfig({ METRICS_TOKEN: token }).metrics_token, token)
  const short = token.slice(1)
  for (const wrong of [short, `${token} with spaces`])
    assert.throws(
      () => readConfig({ METRICS_TOKEN: wrong }),
      ({ message }: Error) => /METRICS_TOKEN must be at least 16/.test(message) && !message.includes(wrong),
    )
  assert.throws(() => readConfig({ METRICS_PORT: '65536' }), /METRICS_PORT must be a port number/)
})

async function freePort(): Promise<number> {
  const server = net.createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  return port
}

/** Before the database is dropped. */
async function stop({ signal, ended }: Command): Promise<void> {
  signal('SIGTERM')
  assert.equal((await ended).code, 0)
}

// A worker is ready when there is a workspace, which another process sets up.
for (const part of ['both', 'api', 'worker']) {
  test(`METRICS_PORT serves the pages for operators alone (${part})`, async () => {
    const port = await freePort()
    const only = part === 'both' ? [] : ['--only', part]
    const running = command(['serve', ...only], { ...environment, METRICS_PORT: String(port) })
    try {
      await running.says(part === 'worker' ? /runs background work/ : /Base address/)
      const get = (path: string) => fetch(`http://127.0.0.1:${port}${path}`)
      assert.deepEqual(await (await get('/health')).json(), { status: 'ok' })
      const ready = await get('/ready')
      assert.deepEqual(
        [ready.status, await ready.json()],
        [200, { status: 'ready', ...(isCluster() && { nodes_down: 0 }) }],
      )
      const metrics = await get('/metrics')
      assert.equal(metrics.status, 200)
      const values = parseMetrics(await metrics.text())
      // A process that serves requests only answers messages.
      const kinds = values.keys().filter((name) => name.startsWith('parley_engine_running'))
      assert.equal(kinds.toArray().length, part === 'api' ? 1 : 16)
      assert.equal(values.get('parley_engine_running{kind="conversations"}'), 0)
      assert.ok(values.has('process_cpu_seconds_total'))
      for (const path of ['/', '/docs', '/openapi.json', '/api/v1/contacts', '/app/session', '/chat.js'])
        assert.equal((await get(path)).status, 404, path)
      assert.equal((await fetch(`http://127.0.0.1:${port}/metrics`, { method: 'POST' })).status, 405)
    } finally {
      await stop(running)
    }
  })
}

test('METRICS_PORT asks for no token, also if there is one for the port of the API', async () => {
  const port = await freePort()
  const running = command(['serve'], { ...environment, METRICS_PORT: String(port), METRICS_TOKEN: token })
  try {
    const [, address = ''] = await running.says(/Base address +(\S+)\/api\/v1/)
    const statusOf = async (origin: string, headers: Record<string, string> = {}) =>
      (await fetch(`${origin}/metrics`, { headers })).status
    assert.equal(await statusOf(`http://127.0.0.1:${port}`), 200)
    const sent = { authorization: `Bearer ${token}` }
    assert.deepEqual([await statusOf(address), await statusOf(address, sent)], [401, 200])
  } finally {
    await stop(running)
  }
})

test('a METRICS_PORT that is taken ends the start with one line', async () => {
  const taken = net.createServer().listen(0, '127.0.0.1')
  await once(taken, 'listening')
  const { port } = taken.address() as AddressInfo
  const { code, stderr } = await command(['serve'], { ...environment, METRICS_PORT: String(port) }).ended
  taken.close()
  assert.equal(code, 1)
  assert.match(stderr, new RegExp(`METRICS_PORT ${port} can't be used: .*EADDRINUSE`))
})
