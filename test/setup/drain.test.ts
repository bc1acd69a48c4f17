import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import fs from 'node:fs'
import path from 'node:path'
import { after, describe, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { WebSocket } from 'ws'
import { newToken } from '../../server/api-keys/token.ts'
import { newId } from '../../server/kit/id.ts'
import { waitUntil } from '../faults/client.ts'
import { temporaryFolder } from '../support/folders.ts'
import { createDatabase } from '../support/harness.ts'
import { byForm } from '../support/property-runs.ts'
import { openVoiceClient, type Place } from '../support/voice-client.ts'

const checkout = path.resolve(import.meta.dirname, '../..')
const command = `node ${path.join(checkout, 'bin/run.mjs')} test/support/voice-server.ts serve`
const { url: database_url } = await createDatabase('launcher_drain')
const key = newToken()

/** Starts the service in its own session, as a terminal does, with `npm start` or without, and has a call in it. */
async function startWithCall(by: 'npm' | 'node', options: string[] = []) {
  const folder = temporaryFolder()
  fs.writeFileSync(path.join(folder, 'package.json'), JSON.stringify({ scripts: { start: command } }))
  const { PATH = '', HOME = '' } = process.env
  const [program = '', ...words] = by === 'npm' ? ['npm', 'start'] : [...command.split(' '), ...options]
  const child = spawn(program, words, {
    cwd: folder,
    detached: true,
    env: {
      PATH,
      HOME,
      DATABASE_URL: database_url,
      SECRETS_KEY: 'a secret that is long enough for this',
      BOOTSTRAP_API_KEY: key,
      PORT: '0',
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let output = ''
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text) => {
      output += text
    })
  const { pid = 0 } = child
  let is_over = false
  // All processes that have its output have ended.
  const exited = once(child, 'close').then(() => {
    is_over = true
  })
  after(() => is_over || process.kill(-pid, 'SIGKILL'))
  const addressIn = () => /Base address +(\S+)\/api\/v1/.exec(output)?.[1]
  await waitUntil(
    'it is ready',
    () => addressIn() !== undefined,
    () => output,
  )
  const request = async (method: string, url: string, body?: object) => {
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
    const answer = await fetch(`${addressIn()}/api/v1${url}`, { method, headers, body: JSON.stringify(body) })
    return ((await answer.json()) as { data: never }).data
  }
  const agent: { id: string } = await request('POST', '/agents', { name: `A ${newId()}`, greeting: 'Hello.' })
  const place: Place = await request('POST', '/calls/web', { agent_id: agent.id })
  const client = openVoiceClient(place)
  await waitUntil('the agent speaks', () => client.heard() > 0)
  return { pid, client, exited, output: () => output, address: addressIn() ?? '' }
}

/** The first signal, and the second one. A terminal sends both to all processes. */
const all_ways: [string, 'npm' | 'node', ...((pid: number) => void)[]][] = [
  ['Ctrl-C in the terminal of npm start', 'npm', interruptAll, interruptAll],
  // It ends npm, and the launcher notices.
  ['SIGTERM to npm start', 'npm', (pid) => process.kill(pid, 'SIGTERM'), (pid) => process.kill(-pid, 'SIGTERM')],
  ['SIGTERM to the launcher', 'node', (pid) => process.kill(pid, 'SIGTERM'), (pid) => process.kill(pid, 'SIGTERM')],
]

const ways = all_ways.slice(0, byForm({ short: 1, long: all_ways.length }))

function interruptAll(pid: number): void {
  process.kill(-pid, 'SIGINT')
}

/** Longer than any process passes on a signal, and than the launcher needs to notice that npm has ended. */
const passing_on_ms = 2_000

describe('during a live call', { concurrency: true }, () => {
  for (const [name, by, sendFirst, sendSecond] of ways)
    test(`${name} waits for its end, and a second signal ends it`, async () => {
      const { pid, client, exited, output } = await startWithCall(by)
      sendFirst?.(pid)
      await waitUntil('the wait begins', () => output().includes('a second signal ends them'), output)
      await sleep(passing_on_ms)
      assert.equal(client.socket.readyState, WebSocket.OPEN, output())
      sendSecond?.(pid)
      assert.deepEqual(await client.next('ended'), { type: 'ended', end_reason: 'system_error' })
      await exited
    })

  test('all processes serve until the calls of each are over', async () => {
    const { pid, client, exited, output, address } = await startWithCall('node', ['--processes', '2'])
    await waitUntil('both are ready', () => output().match(/"msg":"ready"/g)?.length === 2, output)
    interruptAll(pid)
    await waitUntil('both stop', () => output().match(/"msg":"stopping"/g)?.length === 2, output)
    await sleep(passing_on_ms)
    const answering = new Set<string>()
    const areBothAnswering = async () => {
      const { headers } = await fetch(`${address}/health`, { headers: { connection: 'close' } })
      answering.add(headers.get('x-request-id')?.split('_')[1] ?? '')
      return answering.size === 2
    }
    await waitUntil('both answer', areBothAnswering, output)
    client.send({ type: 'end' })
    assert.deepEqual(await client.next('ended'), { type: 'ended', end_reason: 'contact_hung_up' })
    await exited
  })

  test('a second signal to one process ends the calls of another', async () => {
    const { pid, client, exited, output } = await startWithCall('node', ['--processes', '2'])
    const pids = () => [...output().matchAll(/"pid":(\d+).*"msg":"ready"/g)].map(([, number]) => Number(number))
    await waitUntil('both are ready', () => pids().length === 2, output)
    process.kill(pid, 'SIGTERM')
    const waiting = () => Number(/"pid":(\d+).*a second signal ends them/.exec(output())?.[1])
    await waitUntil('the wait begins', () => waiting() > 0, output)
    await sleep(passing_on_ms)
    process.kill(pids().find((one) => one !== waiting()) ?? 0, 'SIGTERM')
    assert.deepEqual(await client.next('ended'), { type: 'ended', end_reason: 'system_error' })
    await exited
  })

  test('the end of npm after the first signal is no second one', async () => {
    const { pid, client, exited, output } = await startWithCall('npm')
    interruptAll(pid)
    await waitUntil('the wait begins', () => output().includes('a second signal ends them'), output)
    await sleep(passing_on_ms)
    process.kill(pid, 'SIGKILL')
    await sleep(passing_on_ms)
    assert.equal(client.socket.readyState, WebSocket.OPEN, output())
    client.send({ type: 'end' })
    assert.deepEqual(await client.next('ended'), { type: 'ended', end_reason: 'contact_hung_up' })
    await exited
  })
})
