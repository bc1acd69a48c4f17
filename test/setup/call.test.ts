import assert from 'node:assert/strict'
import { once } from 'node:events'
import http from 'node:http'
import type net from 'node:net'
import { text as readAll } from 'node:stream/consumers'
import { after, test } from 'node:test'
import * as api_keys from '../../server/api-keys/store.ts'
import { createDatabase } from '../support/harness.ts'
import { command, serveInProcess } from '../support/process.ts'

// The service stops first: the hook of `createDatabase` runs after this one.
const stack = new AsyncDisposableStack()
after(() => stack.disposeAsync())
const { url: DATABASE_URL, pool } = await createDatabase('call')
// It creates the agent Receptionist. The calls themselves are those of a stand-in, so that each word has its moment.
const SECRETS_KEY = 'a'.repeat(32)
const service_url = await serveInProcess(stack, { DATABASE_URL, SECRETS_KEY })

const id = '019a84c4-5f00-7c3e-9d53-2f1a64c0b7aa'
const queued = {
  id,
  status: 'queued',
  outcome: null,
  end_reason: null,
  duration_ms: null,
  turn_count: 0,
  to: '+14155550100',
  agent_name: 'Receptionist',
  recording: { status: 'none' },
  updated_at: '2026-11-16T09:00:00.000Z',
}
type Call = typeof queued
const later = (seconds: number, fields: object): Call => ({
  ...queued,
  ...fields,
  updated_at: `2026-11-16T09:00:0${seconds}.000Z`,
})
const ended = later(9, {
  status: 'completed',
  outcome: 'answered',
  end_reason: 'agent_hung_up',
  duration_ms: 12_400,
  turn_count: 3,
  recording: { status: 'ready' },
})

const event = (name: string, data: object, seq?: number) =>
  `${seq === undefined ? '' : `id: ${seq}\n`}event: ${name}\ndata: ${JSON.stringify(data)}\n\n`
const updated = (call: Call) => event('call.updated', { call })
const finished = (seq: number, role: string, text: string, more: object = {}) =>
  event('turn.finished', { turn: { seq, role, text, heard: text, is_interrupted: false, ...more } }, seq)

interface Request {
  method: string
  path: string
  body: string
  last_event_id: string
}
type Respond = (request: Request, response: http.ServerResponse) => void

const json = (response: http.ServerResponse, status: number, body: object) =>
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))

async function passOn({ url, headers }: http.IncomingMessage, response: http.ServerResponse): Promise<void> {
  const { authorization = '' } = headers
  const answer = await fetch(`${service_url}${url}`, { headers: { authorization } })
  response.writeHead(answer.status, { 'content-type': 'application/json' }).end(await answer.text())
}

/** A service with one call. The rest is the real one's. */
async function standIn(respond: Respond) {
  const requests: Request[] = []
  const server = http.createServer((incoming, response) => void answer(incoming, response))
  const answer = async (incoming: http.IncomingMessage, response: http.ServerResponse) => {
    const { method = '', url = '', headers } = incoming
    const body = await readAll(incoming)
    const request = { method, path: url, body, last_event_id: String(headers['last-event-id'] ?? '') }
    requests.push(request)
    if (['/health', '/api/v1/workspace'].includes(url) || url.startsWith('/api/v1/agents'))
      return passOn(incoming, response)
    if (url === '/api/v1/calls') json(response, 201, { data: queued })
    else respond(request, response)
  }
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  stack.defer(() => {
    server.closeAllConnections()
    server.close()
  })
  const { port } = server.address() as net.AddressInfo
  const call = (words: string[]) =>
    command(['call', '+14155550100', '--agent', 'Receptionist', ...words], { DATABASE_URL, PORT: String(port) })
  return { requests, call, address: `http://127.0.0.1:${port}` }
}

const ownKeys = async () => (await api_keys.listAll({ db: pool })).filter(({ name }) => name === 'parley call')

test('a call is placed and printed as it happens, to its end', async () => {
  const { requests, call, address } = await standIn(({ path }, response) => {
    if (path !== `/api/v1/calls/${id}/live`) return json(response, 404, {})
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    response.write('retry: 1000\n\n')
    response.write(updated(later(1, { status: 'ringing' })) + updated(later(2, { status: 'in_progress' })))
    response.write(finished(1, 'contact', 'Hello?\u001b[31m'))
    response.write(event('turn.started', { seq: 2, role: 'agent' }) + event('turn.delta', { seq: 2, text: 'How can ' }))
    response.write(finished(2, 'agent', 'How can I help you today?', { heard: 'How can I', is_interrupted: true }))
    response.end(finished(3, 'human', 'I am taking over.') + updated(ended))
  })
  const { code, stdout, stderr } = await call(['--simulate', '13']).ended
  assert.equal(code, 0, stderr)
  assert.equal(
    stdout,
    [
      'Calling +14155550100',
      '(ringing)',
      '(answered)',
      'Contact: Hello?[31m',
      'Receptionist: How can I —',
      'Person: I am taking over.',
      '(the call has ended: completed, answered, agent hung up, after 12 s)',
      `Recording: ${address}/api/v1/calls/${id}/recording`,
      `In the dashboard: ${address}/calls/${id}`,
      '',
    ].join('\n'),
  )
  const { agent_id, ...placed } = JSON.parse(requests.find(({ method }) => method === 'POST')?.body ?? '')
  assert.deepEqual([typeof agent_id, placed], ['string', { to: '+14155550100', simulate: '13' }])
  assert.deepEqual(await ownKeys(), [])
})

test('with --json each event is a line, and a lost connection is continued', async () => {
  let connections = 0
  const { requests, call } = await standIn(({ path }, response) => {
    if (!path.endsWith('/live')) return json(response, 404, {})
    connections += 1
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    if (connections === 1) return response.end(finished(1, 'contact', 'Hello?'))
    const turns = finished(2, 'agent', 'Hello.') + finished(3, 'contact', 'Bye.')
    return response.end(updated(later(3, { status: 'in_progress' })) + turns + updated(ended))
  })
  const { code, stdout, stderr } = await call(['--json']).ended
  assert.equal(code, 0, stderr)
  const events = stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
  assert.deepEqual(
    events.map(({ event, call, turn }) => [event, turn?.text ?? call.status]),
    [
      ['call.created', 'queued'],
      ['turn.finished', 'Hello?'],
      ['call.updated', 'in_progress'],
      ['turn.finished', 'Hello.'],
      ['turn.finished', 'Bye.'],
      ['call.updated', 'completed'],
    ],
  )
  const lives = requests.filter(({ path }) => path.endsWith('/live'))
  assert.deepEqual(
    lives.map(({ last_event_id }) => last_event_id),
    ['0', '1'],
  )
})

test('Ctrl-C hangs up, or cancels before the answer', async () => {
  const canceled = later(5, { status: 'canceled', outcome: 'canceled', end_reason: 'canceled' })
  const { requests, call } = await standIn(({ path }, response) => {
    if (path.endsWith('/hang_up')) {
      const error = { code: 'INVALID_STATE', message: 'The call is ringing.' }
      return json(response, 409, { success: false, error })
    }
    if (path.endsWith('/cancel')) return json(response, 200, { data: canceled })
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    response.write(updated(later(1, { status: 'ringing' })))
    if (requests.some(({ path }) => path.endsWith('/cancel'))) response.end()
  })
  const running = call([])
  await running.says(/\(ringing\)/)
  running.signal('SIGINT')
  const { code, stdout, stderr } = await running.ended
  assert.equal(code, 130, stderr)
  assert.match(stdout, /\n\(the call has ended: canceled, canceled, canceled\)\nIn the dashboard: [^\n]+\n$/)
  const asked = requests.filter(({ method }) => method === 'POST').map(({ path }) => path.split('/').at(-1))
  assert.deepEqual(asked, ['calls', 'hang_up', 'cancel'])
  assert.deepEqual(await ownKeys(), [])
})

test('in a test workspace it says how to let time pass', async () => {
  const words = ['workspace', 'create', 'Trial', '--test', '--json']
  const { api_key } = JSON.parse((await command(words, { DATABASE_URL, SECRETS_KEY }).ended).stdout)
  const created = await fetch(`${service_url}/api/v1/agents`, {
    method: 'POST',
    headers: { authorization: `Bearer ${api_key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ name: 'Receptionist' }),
  })
  assert.equal(created.status, 201)
  const { call } = await standIn((_, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    response.end(updated(later(1, { status: 'failed', outcome: 'busy', end_reason: 'not_answered' })))
  })
  const { code, stdout, stderr } = await call(['--workspace', 'Trial']).ended
  assert.equal(code, 0, stderr)
  assert.match(stderr, /^The clock of "Trial" stands still\. .*npx parley clock advance 5m --workspace "Trial"$/m)
  assert.match(stdout, /^\(the call has ended: failed, busy, not answered\)$/m)
})

test('words that arrive before the end of the turn before them are shown after it, once', async () => {
  const { call } = await standIn((_, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    response.write(event('turn.started', { seq: 2, role: 'agent' }) + event('turn.delta', { seq: 2, text: 'We are ' }))
    response.write(finished(1, 'contact', 'When are you open?') + event('turn.delta', { seq: 2, text: 'open' }))
    response.end(finished(2, 'agent', 'We are open now.') + updated({ ...ended, turn_count: 2 }))
  })
  const { code, stdout, stderr } = await call([]).ended
  assert.equal(code, 0, stderr)
  const said = stdout.split('\n').filter((line) => /^(Contact|Receptionist): /.test(line))
  assert.deepEqual(said, ['Contact: When are you open?', 'Receptionist: We are open now.'])
})

test('--channel chooses the channel to call from', async () => {
  const { requests, call } = await standIn((_, response) =>
    response.writeHead(200, { 'content-type': 'text/event-stream' }).end(updated({ ...ended, turn_count: 0 })),
  )
  const { code, stderr } = await call(['--channel', id]).ended
  assert.equal(code, 0, stderr)
  const placed = requests.find(({ method }) => method === 'POST')
  assert.equal(JSON.parse(placed?.body ?? '{}').channel_id, id)
})

test('a wrong person, a missing agent and a refused call are errors', async () => {
  const { call } = await standIn((_, response) => json(response, 404, {}))
  for (const person of ['20', '5', 'friendly']) {
    const { code, stderr } = await call(['--simulate', person]).ended
    assert.equal(code, 1)
    assert.match(stderr, /Use two digits from 00 to 19/)
  }
  const missing = await command(['call', '+14155550100'], { DATABASE_URL }).ended
  assert.match(missing.stderr, /required option '--agent <agent>' not specified/)
})
