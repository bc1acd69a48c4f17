import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { openProgressNotes } from '../../server/clocks/progress.ts'
import * as clock from '../../server/kit/clock.ts'
import { openLog } from '../../server/kit/log.ts'
import { sql } from '../../server/kit/postgres/sql.ts'
import { call_start, getCall, newCaller, newTestCalls, placeCall } from '../support/calls.ts'
import { serve, type Tenant } from '../support/harness.ts'
import { holdTransaction } from '../support/held-transaction.ts'
import { type ModelServer, openaiServer } from '../support/model-servers.ts'
import { newProvider } from '../support/samples.ts'

const server = await serve({ outbound_allow_hosts: ['127.0.0.1'] })
const after = (seconds: number): string => clock.iso(call_start + seconds * 1_000)

async function newTestWorkspace(): Promise<Tenant> {
  const tenant = await server.workspace()
  await newTestCalls(tenant)
  return tenant
}

const clockOf = async ({ call }: Tenant) => (await call('GET', '/test_clock')).body.data

async function advanceUntilReady(tenant: Tenant, by_seconds: number, stalled_ms: number) {
  const { status, body } = await tenant.call('POST', '/test_clock/advance', { by_seconds })
  assert.deepEqual([status, body.data.error], [202, null])
  do await tenant.work(undefined, undefined, { stalled_ms })
  while ((await clockOf(tenant)).status === 'advancing')
  return clockOf(tenant)
}

/** An agent that is answered by a model, over the network. */
async function newModelCaller(tenant: Tenant, { base_url }: ModelServer): Promise<string> {
  const { status, body, text } = await tenant.call('POST', '/providers', newProvider({ base_url }))
  assert.equal(status, 201, text)
  const allowed = await tenant.call('PATCH', '/workspace', { settings: { allows_network: true } })
  assert.equal(allowed.status, 200, allowed.text)
  return newCaller(tenant, { model: { provider: body.data.name, name: 'small' } })
}

test('an advance that makes no progress ends with an error, and the next one clears it', async () => {
  const tenant = await newTestWorkspace()
  const agent_id = await newCaller(tenant)
  const { id } = await placeCall(tenant, { agent_id, to: '+14155550100', scheduled_at: after(60) })
  const row = sql`select from calls where workspace_id = ${tenant.id} and id = ${id} for update`
  await using held = await holdTransaction(server.pool, (db) => db.run(row))
  const { error, ...stopped } = await advanceUntilReady(tenant, 3_600, 300)
  assert.deepEqual(stopped, { now: after(60), status: 'ready', target: null, seed: 1 })
  assert.match(error, /^The advance to \S+ has stopped at \S+\. .+ work is still due: calls\.$/)
  assert.equal((await getCall(tenant, id)).status, 'scheduled')

  await held.end()
  const ready = await advanceUntilReady(tenant, 3_600, 60_000)
  assert.deepEqual([ready.now, ready.error], [after(3_660), null])
  const { status, started_at } = await getCall(tenant, id)
  assert.deepEqual([status, started_at], ['completed', after(60)])
})

test('a call that goes on after its advance has stopped writes nothing beyond the clock', async () => {
  const tenant = await newTestWorkspace()
  const answered = Promise.withResolvers<void>()
  const model = await openaiServer({ words: ['Good', ' bye.'], beforeWord: () => answered.promise })
  const agent_id = await newModelCaller(tenant, model)
  const { id } = await placeCall(tenant, { agent_id, to: '+14155550100', scheduled_at: after(60) })
  const { now, error } = await advanceUntilReady(tenant, 3_600, 300)
  assert.deepEqual([now, /still due: calls\.$/.test(error)], [after(60), true])

  answered.resolve()
  const isLeased = async () =>
    (
      await server.pool.one<{ is_leased: boolean }>(
        sql`select lease_until > ${clock.iso(clock.wall())} as is_leased from calls
        where workspace_id = ${tenant.id} and id = ${id}`,
      )
    ).is_leased
  while (await isLeased()) await sleep(50)
  const { status, conversation_id } = await getCall(tenant, id)
  assert.deepEqual([status, conversation_id], ['queued', null])

  const ready = await advanceUntilReady(tenant, 3_600, 60_000)
  assert.equal(ready.error, null)
  assert.equal((await getCall(tenant, id)).status, 'completed')
})

test('an advance whose work is slow, but goes on, does not end', async () => {
  const [answer_ms, stalled_ms] = [300, 4_000]
  const tenant = await newTestWorkspace()
  const model = await openaiServer({ words: ['Hello.'], beforeWord: () => sleep(answer_ms) })
  const agent_id = await newModelCaller(tenant, model)
  // Someone who goes on talking.
  await placeCall(tenant, { agent_id, to: '+14155550115', scheduled_at: after(60) })
  const ready = await advanceUntilReady(tenant, 240, stalled_ms)
  assert.deepEqual([ready.now, ready.error], [after(240), null])
  const answers = model.received.length
  assert.ok(answers * answer_ms > stalled_ms, `${answers} answers take longer than an advance without progress may`)
})

test('progress is not noted again while the last note waits', async (context) => {
  let now_ticks = clock.ticks()
  context.mock.method(performance, 'now', () => now_ticks)
  const updates: PromiseWithResolvers<number>[] = []
  const run = () => {
    const update = Promise.withResolvers<number>()
    updates.push(update)
    return update.promise
  }
  const note = openProgressNotes({ ...server.pool, run }, openLog('silent'))
  const noteLater = (workspace: string) => {
    now_ticks += 2_000
    note(workspace)
    return updates.length
  }
  assert.equal(noteLater('one'), 1)
  assert.equal(noteLater('one'), 1)
  assert.equal(noteLater('other'), 2)
  updates[0]?.reject(new Error('The lock was not available.'))
  await sleep(0)
  assert.equal(noteLater('one'), 3)
  note('one')
  assert.equal(updates.length, 3)
})
