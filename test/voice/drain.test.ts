import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { waitUntil } from '../faults/client.ts'
import { createDatabase } from '../support/harness.ts'
import { startService } from '../support/served.ts'
import { openVoiceClient, type Place } from '../support/voice-client.ts'

const dataOf = async (answer: Promise<Response>) => ((await (await answer).json()) as { data: never }).data

/** Runs the service, and has a call in it. */
async function serveCall(name: string, environment: Record<string, string> = {}) {
  const { url: database_url } = await createDatabase(name)
  const running = await startService(database_url, environment)
  const { request } = running
  const agent: { id: string } = await dataOf(request('POST', '/api/v1/agents', { name: 'A', greeting: 'Hello.' }))
  const place: Place = await dataOf(request('POST', '/api/v1/calls/web', { agent_id: agent.id }))
  const client = openVoiceClient(place)
  await client.next('ready')
  await waitUntil('the agent speaks', () => client.heard() > 0)
  return { ...running, client, place, agent_id: agent.id, database_url }
}

describe('a stop', { concurrency: true }, () => {
  test('lets live calls end, and begins no new ones', async () => {
    const { client, place, agent_id, request, signal, exited } = await serveCall('drain_wait')
    const waiting = (await (await request('POST', '/api/v1/calls/web', { agent_id })).json()) as { data: Place }
    signal('SIGTERM')
    await waitUntil('it is not ready any more', async () => (await request('GET', '/ready')).status === 503)
    const refused = await request('POST', '/api/v1/calls/web', { agent_id })
    assert.deepEqual([refused.status, refused.headers.get('retry-after')], [503, '10'])
    assert.match(await refused.text(), /is stopping/)
    assert.equal((await openVoiceClient(waiting.data).next('error')).code, 'busy')
    // The call goes on, and its client may come back.
    const { token } = await client.next('ready')
    client.end()
    const back = openVoiceClient({ url: place.url, token: String(token) })
    await back.next('ready')
    assert.equal((await request('GET', `/api/v1/calls/${place.call.id}`)).status, 200)
    back.send({ type: 'end' })
    assert.deepEqual(await back.next('ended'), { type: 'ended', end_reason: 'contact_hung_up' })
    assert.equal(await exited, 0)
  })

  test('ends live calls at the second signal', async () => {
    const { client, request, signal, exited } = await serveCall('drain_hurry')
    signal('SIGINT')
    // The terminal and the launcher may pass on the same one.
    signal('SIGINT')
    await sleep(1_100)
    assert.equal((await request('GET', '/health')).status, 200)
    signal('SIGINT')
    assert.deepEqual(await client.next('ended'), { type: 'ended', end_reason: 'system_error' })
    assert.equal(await exited, 0)
  })

  test('ends live calls at once without DRAIN_SECONDS', async () => {
    const { client, signal, exited } = await serveCall('drain_none', { DRAIN_SECONDS: '0' })
    signal('SIGTERM')
    assert.deepEqual(await client.next('ended'), { type: 'ended', end_reason: 'system_error' })
    assert.equal(await exited, 0)
  })
})

test('a process that ends by an error leaves its calls to the next one', async () => {
  const { client, place, throwError, exited, database_url } = await serveCall('drain_crash')
  const { token } = await client.next('ready')
  throwError()
  assert.equal(await client.closed, 1_011)
  assert.ok(!client.messages.some(({ type }) => type === 'ended'))
  assert.equal(await exited, 1)
  const next = await startService(database_url)
  const readCall = (): Promise<{ status: string }> => dataOf(next.request('GET', `/api/v1/calls/${place.call.id}`))
  assert.equal((await readCall()).status, 'in_progress')
  const back = openVoiceClient({ url: `${next.address.replace('http', 'ws')}/voice`, token: String(token) })
  assert.equal((await back.next('ready')).call_id, place.call.id)
  await waitUntil('the agent speaks again', () => back.heard() > 0)
  back.send({ type: 'end' })
  assert.deepEqual(await back.next('ended'), { type: 'ended', end_reason: 'contact_hung_up' })
  next.signal('SIGTERM')
  assert.equal(await next.exited, 0)
})

test('an error during a stop ends the wait, and no call', async () => {
  const { client, signal, throwError, exited } = await serveCall('drain_late_crash')
  signal('SIGTERM')
  throwError()
  assert.equal(await client.closed, 1_011)
  assert.equal(await exited, 1)
})
