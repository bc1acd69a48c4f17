import assert from 'node:assert/strict'
import { PassThrough } from 'node:stream'
import { text } from 'node:stream/consumers'
import { test } from 'node:test'
import { pino } from 'pino'
import { openApi } from '../../server/api.ts'
import { readConfig } from '../../server/config.ts'
import { system } from '../../server/kit/at.ts'
import { openRequestLog } from '../../server/kit/http/request-log.ts'
import { migrations, serve } from '../support/harness.ts'
import { newContact } from '../support/samples.ts'

const { workspace, pool } = await serve()

/** Collects the lines of a real log. */
function openLines(level: 'debug' | 'info') {
  const stream = new PassThrough()
  const logged = text(stream)
  const read = async () => {
    stream.end()
    return (await logged)
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line))
      .filter(({ msg }) => msg === 'answered')
  }
  return { log: pino({ level }, stream), read }
}

/** Logs requests at the times that the test says. */
function openSampled({
  level = 'info',
  is_terminal = false,
}: {
  level?: 'debug' | 'info'
  is_terminal?: boolean
} = {}) {
  const { log, read } = openLines(level)
  let now = 5_000
  const logRequest = openRequestLog(log, { ticks: () => now, is_terminal })
  const caller = {
    id: 'a key',
    workspace: 'a workspace',
    authenticated_by: 'key' as const,
    scopes,
    is_test: false,
    actor: system,
  }
  const answer = (count: number, status = 200) => {
    for (let nth = 0; nth < count; nth += 1)
      logRequest({ id: 'a request', method: 'GET', caller }, { route: '/contacts/:id', status, duration_ms: 1.26 })
  }
  return { answer, pass: (ms: number) => (now += ms), read }
}
const scopes = { has: () => true, is_open: true }

/** How many lines stand for one request, and for ten. */
const countLines = (lines: { sampled?: number }[]) => [
  lines.filter(({ sampled }) => sampled === undefined).length,
  lines.filter(({ sampled }) => sampled === 10).length,
]

test('up to 100 requests in a second have a line each', async () => {
  const { answer, pass, read } = openSampled()
  answer(60)
  pass(999)
  answer(40)
  pass(1)
  answer(100)
  const lines = await read()
  assert.deepEqual(countLines(lines), [200, 0])
  const { time: _time, pid: _pid, hostname: _hostname, ...line } = lines[0]
  assert.deepEqual(line, {
    level: 30,
    request_id: 'a request',
    method: 'GET',
    route: '/contacts/:id',
    status: 200,
    duration_ms: 1.3,
    key_id: 'a key',
    workspace: 'a workspace',
    msg: 'answered',
  })
})

test('of more requests one in ten has a line, which says so', async () => {
  const { answer, pass, read } = openSampled()
  answer(109)
  pass(999)
  answer(1)
  pass(1)
  // What was left out before counts for the next line: none is forgotten.
  answer(105)
  pass(1_000)
  answer(105)
  assert.deepEqual(countLines(await read()), [300, 2])
})

test('errors of the server have a line each, and take none of others', async () => {
  const { answer, read } = openSampled()
  answer(50, 500)
  answer(100)
  answer(50, 503)
  answer(10, 404)
  const lines = await read()
  assert.deepEqual(countLines(lines), [200, 1])
  assert.equal(lines.filter(({ status }) => status >= 500).length, 100)
})

test('on a terminal requests are logged at the level debug only', async () => {
  for (const [level, is_terminal, count] of [
    ['info', true, 0],
    ['debug', true, 1],
    ['debug', false, 1],
    ['info', false, 1],
  ] as const) {
    const { answer, read } = openSampled({ level, is_terminal })
    answer(1)
    const lines = await read()
    assert.equal(lines.length, count, `${level} ${is_terminal}`)
    if (is_terminal && count > 0) assert.equal(lines[0].level, 20)
  }
})

test('the line of a request has its route, key and workspace, and nothing of what was sent', async () => {
  const { log, read } = openLines('debug')
  const { app } = openApi(pool, readConfig({ LOG_LEVEL: 'silent' }), migrations, log)
  const { id: workspace_id, key } = await workspace()
  const contact = newContact()
  const send = (method: 'GET' | 'POST', path: string, headers: Record<string, string> = {}, body?: object) =>
    app.inject({ method, url: path, headers, ...(body && { body }) })
  const by_key = { authorization: `Bearer ${key}` }
  const { id } = (await send('POST', '/api/v1/contacts', by_key, contact)).json().data
  await send('GET', `/api/v1/contacts/${id}?unknown=words`, by_key)
  await send('GET', `/api/v1/contacts?search=${encodeURIComponent(contact.phone_number)}`)
  await send('GET', '/app/session')
  await send('GET', '/health')
  await send('GET', `/nowhere/${id}`)
  await app.close()
  const lines = await read()
  const key_id = lines[0].key_id
  assert.match(key_id, /^[0-9a-f-]{36}$/)
  const shown = lines.map(({ method, route, status, key_id, workspace }) => [method, route, status, key_id, workspace])
  assert.deepEqual(shown, [
    ['POST', '/api/v1/contacts', 201, key_id, workspace_id],
    ['GET', '/api/v1/contacts/:id', 400, key_id, workspace_id],
    ['GET', '/api/v1/contacts', 401, undefined, undefined],
    ['GET', '/app/session', 200, undefined, undefined],
    ['GET', '/health', 200, undefined, undefined],
    ['GET', '(none)', 404, undefined, undefined],
  ])
  const all = JSON.stringify(lines)
  for (const secret of [id, key, contact.phone_number, 'words', '127.0.0.1']) assert.ok(!all.includes(secret), secret)
})
