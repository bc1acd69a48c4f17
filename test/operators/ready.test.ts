import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:net'
import { after, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from '../../server/kit/postgres/sql.ts'
import { createDatabase } from '../support/harness.ts'
import { holdTransaction } from '../support/held-transaction.ts'
import { type Command, command } from '../support/process.ts'

const { url: DATABASE_URL, pool } = await createDatabase('ready')
const environment = { LOG_LEVEL: 'warn', DATABASE_URL, SECRETS_KEY: 'k'.repeat(32) }

const running: Command[] = []

async function freePort(): Promise<string> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  server.close()
  await once(server, 'close')
  return String(typeof address === 'object' && address?.port)
}

/** Starts the service. What it serves is asked before it says where it listens. */
async function start(options: string[], more: Record<string, string>) {
  const [PORT, METRICS_PORT] = [await freePort(), await freePort()]
  const service = command(['serve', ...options], { ...environment, PORT, METRICS_PORT, ...more })
  running.push(service)
  const statusOf = async (port: string, path: string, key = ''): Promise<number> => {
    const headers = { authorization: `Bearer ${key}` }
    // Until it listens.
    const response = await fetch(`http://127.0.0.1:${port}${path}`, { headers }).catch(() => undefined)
    await response?.arrayBuffer()
    return response?.status ?? 0
  }
  return {
    service,
    ready: () => statusOf(PORT, '/ready'),
    readyAtMetrics: () => statusOf(METRICS_PORT, '/ready'),
    list: (key: string) => statusOf(PORT, '/api/v1/contacts', key),
  }
}

/** Before the database is dropped. */
async function stopAll(): Promise<void> {
  for (const { signal, ended } of running.splice(0)) {
    signal('SIGTERM')
    assert.equal((await ended).code, 0)
  }
}
after(stopAll)

async function until(condition: () => Promise<boolean>): Promise<void> {
  while (!(await condition())) await sleep(10)
}

test('a worker is ready when some other process has set up the first workspace', async () => {
  const worker = await start(['--only', 'worker'], {})
  await worker.service.says(/runs background work/)
  assert.equal(await worker.readyAtMetrics(), 503)
  const api = await start(['--only', 'api'], {})
  await api.service.says(/Base address/)
  await until(async () => (await worker.readyAtMetrics()) === 200)
  assert.equal(await api.ready(), 200)
  await stopAll()
})

for (const part of ['api', 'both'])
  test(`the key of BOOTSTRAP_API_KEY is valid as soon as a process is ready (${part})`, async () => {
    const key = `pk_${part.padEnd(40, 'x')}`
    await using held = await holdTransaction(pool, (db) => db.run(sql`lock table api_keys in share row exclusive mode`))
    const { ready, readyAtMetrics, list, service } = await start(part === 'both' ? [] : ['--only', 'api'], {
      BOOTSTRAP_API_KEY: key,
    })
    await held.waitUntilBlocking(service.ended)
    assert.deepEqual([await ready(), await readyAtMetrics()], [503, 503])
    assert.equal(await list(key), 401)
    await held.end()
    await until(async () => (await ready()) === 200)
    assert.equal(await list(key), 200, 'that it was unknown a moment ago is forgotten')
    assert.equal(await readyAtMetrics(), 200)
    await stopAll()
  })
