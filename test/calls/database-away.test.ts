import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { waitUntil } from '../faults/client.ts'
import { openDatabaseProxy } from '../faults/database-proxy.ts'
import { getCall, newCaller, placeCall, turnsOf } from '../support/calls.ts'
import { createDatabase, openServer, testPool } from '../support/harness.ts'
import { startWorker } from '../support/workers.ts'

/** Longer than a lease. */
const away_ms = 12_000

/* The server ends before its database does. */
const open = new AsyncDisposableStack()
after(() => open.disposeAsync())
const { url } = await createDatabase('database_away')
const proxy = await openDatabaseProxy(open, url)
const server = await openServer(testPool(proxy.url))
open.defer(server.close)
open.defer(startWorker(server, { speed: 2 }).stop)

test('live calls go on while the database is away, and nothing of them is lost', async () => {
  const tenant = await server.workspace()
  const sentences = ['One.', 'Two.', 'Three.', 'Four.', 'Five.', 'Six.', 'Goodbye.']
  const nodes = Object.fromEntries(
    sentences.map((say, index) => [
      `node${index}`,
      index < sentences.length - 1
        ? { say, on: [{ intent: 'yes', go: `node${index + 1}` }], else: { go: `node${index + 1}` } }
        : { say, go: '@end' },
    ]),
  )
  const agent_id = await newCaller(tenant, { script: { start: 'node0', nodes } })
  const ids: string[] = []
  for (let count = 0; count < 5; count += 1)
    ids.push((await placeCall(tenant, { agent_id, to: '+14155550100', simulate: '00' })).id)
  const read = () => Promise.all(ids.map((id) => getCall(tenant, id)))
  await waitUntil('all calls have turns', async () => (await read()).every(({ turn_count }) => turn_count > 0))
  proxy.refuse()
  await sleep(away_ms)
  proxy.forwardTo(url)
  const isFinal = ({ status }: { status: string }) => ['completed', 'failed', 'canceled'].includes(status)
  await waitUntil('all calls end', async () => (await read()).every(isFinal))
  for (const { status, end_reason, conversation_id, turn_count } of await read()) {
    const turns: { role: string; text: string; seq: number }[] = await turnsOf(tenant, conversation_id)
    // On a busy machine the agent may say first that it takes a moment.
    const said = turns
      .filter(({ role }) => role === 'agent')
      .map(({ text }) => text.replace('One moment, please. ', ''))
    assert.deepEqual([status, end_reason, said], ['completed', 'agent_hung_up', sentences])
    assert.deepEqual(
      turns.map(({ seq }) => seq),
      Array.from({ length: turn_count }, (_, index) => index + 1),
    )
  }
})
