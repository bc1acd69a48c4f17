import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import type { ServerResponse } from 'node:http'
import { after, test } from 'node:test'
import { newId } from '../../server/kit/id.ts'
import { sql } from '../../server/kit/postgres/sql.ts'
import { waitUntil } from '../faults/client.ts'
import { type Answer, createDatabase, openServer, type Server, type Tenant, testPool } from '../support/harness.ts'
import { movedTime } from '../support/moved-time.ts'
import { serveInProcess } from '../support/process.ts'
import { receiver } from '../support/receivers.ts'
import { newTool } from '../support/samples.ts'

const secrets_key = randomBytes(32).toString('base64')
const own_database = await createDatabase('remote_keys')

/** Two servers on one database stand for two processes. */
const configuration = { secrets_key, outbound_allow_hosts: ['127.0.0.1'] }
const server = await openServer(testPool(), configuration)
const other = await openServer(testPool(), configuration)
after(server.close)
after(other.close)

const environment = { DATABASE_URL: own_database.url, SECRETS_KEY: secrets_key, OUTBOUND_ALLOW_HOSTS: '127.0.0.1' }

const body = { arguments: { day: 'tue' } }

/** A tool that answers when it is told to. */
async function openTool() {
  const waiting: ServerResponse[] = []
  let is_open = false
  const { url, received } = await receiver((response) => (is_open ? response.end() : waiting.push(response)))
  const release = () => {
    is_open = true
    for (const response of waiting.splice(0)) response.end()
  }
  return { url, received, release }
}

async function addTool({ call }: Tenant, fields: object): Promise<string> {
  return (await call('POST', '/tools', newTool(fields))).body.data.id
}

const testTool = ({ key }: Tenant, id: string, sent: object = body, to: Pick<Server, 'fetch'> = server) =>
  to.fetch('POST', `/api/v1/tools/${id}/test`, sent, { authorization: `Bearer ${key}`, 'idempotency-key': 'k' })

/** Repeats the request as long as the first one is running. */
async function answerOf(send: () => Promise<Answer>, onInProgress: () => void): Promise<Answer> {
  for (;;) {
    const answer = await send()
    if (answer.body.error?.code !== 'IDEMPOTENCY_IN_PROGRESS') return answer
    onInProgress()
  }
}

const isReplayed = ({ headers }: Answer) => headers.get('idempotent-replayed') === 'true'

/** Instead of waiting for a minute. */
const letMinutePass = ({ id }: Tenant) =>
  server.pool.run(
    sql`update idempotency_keys
      set expires_at = ${movedTime('expires_at', '-1 minute')}, wall_expires_at = ${movedTime('wall_expires_at', '-1 minute')}
      where workspace_id = ${id}`,
  )

const assertUnknown = ({ status, body: { error } }: Answer) => {
  assert.deepEqual([status, error.code, error.details.reason], [409, 'INVALID_STATE', 'unknown'])
}

test('requests at once with one key, to one or two processes, call the tool once', async () => {
  const tenant = await server.workspace()
  const { url, received, release } = await openTool()
  const id = await addTool(tenant, { url })
  const first = testTool(tenant, id)
  await waitUntil('the tool is called', () => received.length > 0)
  const waiting = new Set<Server>()
  const repeats = [server, other].map((to) =>
    answerOf(
      () => testTool(tenant, id, body, to),
      () => waiting.add(to),
    ),
  )
  await waitUntil('both wait', () => waiting.size === 2)
  release()
  const { status, text } = await first
  assert.deepEqual([status, isReplayed(await first)], [200, false])
  for (const repeat of await Promise.all(repeats)) {
    assert.deepEqual([repeat.status, repeat.text, isReplayed(repeat)], [200, text, true])
  }
  const later = await testTool(tenant, id, body, other)
  assert.deepEqual([later.text, isReplayed(later), received.length], [text, true, 1])
})

for (const kind of ['live', 'test']) {
  test(`in a ${kind} workspace the key of a request that is running is taken, for any body, until it is answered`, async () => {
    const tenant = await server.workspace(kind === 'test' ? Date.parse('2026-01-01') : undefined)
    const { url, received, release } = await openTool()
    const id = await addTool(tenant, { url })
    const first = testTool(tenant, id)
    await waitUntil('the tool is called', () => received.length > 0)
    const repeat = await testTool(tenant, id, body, other)
    assert.deepEqual([repeat.status, repeat.body.error.code], [409, 'IDEMPOTENCY_IN_PROGRESS'])
    assert.equal(repeat.headers.get('retry-after'), '1')
    assert.equal((await testTool(tenant, id, {}, other)).status, 422)
    await letMinutePass(tenant)
    assertUnknown(await testTool(tenant, id, body, other))
    release()
    const { text } = await first
    const replay = await testTool(tenant, id, body, other)
    assert.deepEqual([replay.text, isReplayed(replay), received.length], [text, true, 1])
  })
}

test('a request that is refused before anything is sent leaves no key', async () => {
  const tenant = await server.workspace()
  assert.equal((await testTool(tenant, newId())).status, 404)
  const keys = await server.pool.many(sql`select key from idempotency_keys where workspace_id = ${tenant.id}`)
  assert.deepEqual(keys, [])
  const { url, received, release } = await openTool()
  release()
  const { status } = await testTool(tenant, await addTool(tenant, { url }))
  assert.deepEqual([status, received.length], [200, 1])
})

test('a stop during a request answers 503, and its key stays taken', async (t) => {
  await using stack = new AsyncDisposableStack()
  const survivor = await openServer(testPool(own_database.url), configuration)
  t.after(survivor.close)
  const tenant = await survivor.workspace()
  const { url, received } = await openTool()
  const id = await addTool(tenant, { url, timeout_ms: 20_000 })
  const stopped_url = await serveInProcess(stack, environment)
  const headers = { authorization: `Bearer ${tenant.key}`, 'content-type': 'application/json', 'idempotency-key': 'k' }
  const sent = fetch(`${stopped_url}/api/v1/tools/${id}/test`, { method: 'POST', headers, body: JSON.stringify(body) })
  await waitUntil('the tool is called', () => received.length > 0)
  const stopping = stack.disposeAsync()
  const answer = await sent
  const { error } = Object(await answer.json())
  assert.deepEqual([answer.status, error.code, error.details.reason], [503, 'SERVICE_UNAVAILABLE', 'stopping'])
  await stopping
  const repeat = await testTool(tenant, id, body, survivor)
  assert.deepEqual([repeat.status, repeat.body.error?.code], [409, 'IDEMPOTENCY_IN_PROGRESS'])
  assert.equal(received.length, 1)
})
