import { setTimeout as sleep } from 'node:timers/promises'
import { add as addCounts, sumUp } from '../../../server/analytics/counts.ts'
import { advancing } from '../../../server/clocks/advance.ts'
import * as short_search from '../../../server/contacts/short-search-totals.ts'
import { background_kinds } from '../../../server/due-kinds.ts'
import { assignPositions } from '../../../server/events/positions.ts'
import { work as imports } from '../../../server/imports/run.ts'
import { inTransaction, type Service } from '../../../server/kit/at.ts'
import * as clock from '../../../server/kit/clock.ts'
import { newId } from '../../../server/kit/id.ts'
import { openLog } from '../../../server/kit/log.ts'
import { sql } from '../../../server/kit/postgres/sql.ts'
import { openDueNotes } from '../../../server/kit/work/due.ts'
import { Engine } from '../../../server/kit/work/engine.ts'
import { rowWork } from '../../../server/kit/work/rows.ts'
import { newState } from '../../../server/kit/work/state.ts'
import * as retention from '../../../server/retention.ts'
import { addToCounts } from '../../../server/webhooks/delivery-counts.ts'
import { openSenderLeases } from '../../../server/webhooks/leases.ts'
import { openWorker } from '../../../server/worker.ts'
import { newCaller, placeCall } from '../calls.ts'
import type { Server, Tenant } from '../harness.ts'
import { until } from '../model-servers.ts'
import { newContact, newImport, newWebhook } from '../samples.ts'

const never = () => false
const log = openLog('silent')

export async function workInBackground(server: Server): Promise<void> {
  const { tools, hooks } = server.at('')
  const service = { pool: server.pool, tools, hooks }
  const tenant = await server.workspace()
  const { call } = tenant
  await runWorker(service, server, tenant)
  await call('POST', '/contacts', newContact())
  await assignPositions(server.at(tenant.id), never)
  await short_search.keepUpTotals(server.at(tenant.id))
  await readAnalytics(server)
  const failing = { ...imports, begin: () => Promise.reject(new Error('a batch that fails')) }
  await call('POST', '/contacts/imports', newImport())
  const engine = new Engine(rowWork(failing), { service, log })
  engine.add(tenant.id)
  await engine.idle(tenant.id)
  await engine.stop()
  const lease = { workspace: tenant.id, id: newId(), due_at: clock.iso(0), token: newId() }
  const { openLeases, limits } = rowWork(imports)
  const state = newState<typeof lease>(tenant.id, limits)
  state.claimed.add(lease)
  await openLeases().renew(server.pool, [state])
  await openSenderLeases().renew(server.pool, [newState(tenant.id, limits)])
  await inTransaction(server.at(tenant.id), async (at) => imports.giveUp?.(at, lease))
  for (let count = 0; count <= 100; count += 1) {
    await addToCounts(server.at(tenant.id), { webhook_ids: [lease.id], each: 1 })
  }
  for (const days of [0, 31, 100]) {
    const options = {
      service,
      events_keep_days: 30,
      isStopping: never,
      log,
      now: () => clock.wall() + days * clock.day_ms,
    }
    await retention.removeExpired(options)
    await retention.tidyDeliveries(options)
  }
}

async function readAnalytics(server: Server): Promise<void> {
  const tenant = await server.workspace(clock.wall())
  const agent_id = await newCaller(tenant)
  await placeCall(tenant, { agent_id, to: '+14155550101' })
  const talk = await tenant.call('POST', '/conversations', { agent_id, message: 'Hello' })
  const at = server.at(tenant.id)
  await tenant.call('POST', `/conversations/${talk.body.data.id}/messages`, { text: 'Hello?' })
  await inTransaction(at, (at) => addCounts(at, [{ kind: 'calls', time: at.now, keys: {}, sums: { total: 1 } }]))
  await sumUp(at)
  await tenant.call('GET', '/analytics/calls?group_by=agent_id,outcome')
  await tenant.call('PATCH', '/workspace', { settings: { time_zone: 'Asia/Tokyo' } })
  await tenant.call('GET', '/analytics/calls')
  await sumUp(at)
}

/** Runs the worker until an import and a delivery are done and no work is due. */
async function runWorker(service: Service, server: Server, { id, call }: Tenant): Promise<void> {
  const notes = openDueNotes(server.pool, background_kinds, log)
  const worker = openWorker({ service, ownAddress: () => server.url, events_keep_days: 30, log })
  await call('POST', '/webhooks', newWebhook({ url: 'inbox' }))
  await call('POST', '/contacts', newContact())
  const imported = (await call('POST', '/contacts/imports', newImport())).body.data
  const countDue = async () =>
    (
      await server.pool.one<{ count: number }>(
        sql`select count(*) from due_workspaces where workspace_id = ${id} and due_at < 'infinity'`,
      )
    ).count
  await until(async () => (await call('GET', `/contacts/imports/${imported.id}`)).body.data.status === 'finished')
  await until(async () => (await countDue()) === 0)
  // The worker has polled after this time.
  await sleep(1_000)
  await worker.stop()
  await notes.stop()
}

export async function sendWebhooks(server: Server): Promise<void> {
  const { call, work, newKey } = await server.workspace()
  const create = async (fields: object) =>
    (await call('POST', '/webhooks', newWebhook({ url: 'inbox', ...fields }))).body.data
  const hooks = [await create({}), await create({ inbox_answer: '500' }), await create({ inbox_answer: '410' })]
  const contact = (await call('POST', '/contacts', newContact())).body.data
  await work()
  await work(clock.wall() + clock.day_ms)
  await call('DELETE', `/contacts/${contact.id}`)
  for (const { id } of hooks) {
    for (const status of ['pending', 'succeeded', 'failed'])
      await call('GET', `/webhooks/${id}/deliveries?status=${status}`)
    await call('POST', `/webhooks/${id}/recover`, { since: '2026-01-01T00:00:00Z' })
  }
  const [first] = hooks
  await call('GET', `/webhooks/${first.id}/inbox`, undefined, { authorization: `Bearer ${await newKey()}` })
  const { id: moved } = (await call('POST', '/webhooks', newWebhook())).body.data
  await call('PATCH', `/webhooks/${moved}`, { url: 'https://93.184.215.14/moved' })
  await call('POST', '/contacts', newContact())
  await call('PATCH', `/webhooks/${first.id}`, { status: 'disabled' })
  await work()
  await call('DELETE', `/webhooks/${first.id}`)
}

export async function advanceTestClock(server: Server): Promise<void> {
  const tenant = await server.workspace()
  const { call, work, addTestClock } = tenant
  await addTestClock()
  await call('POST', '/webhooks', newWebhook({ url: 'inbox', inbox_answer: '500' }))
  await call('POST', '/contacts', newContact())
  await work()
  await call('POST', '/test_clock/advance', { by_seconds: 60 })
  do await work()
  while ((await call('GET', '/test_clock')).body.data.status === 'advancing')
  await call('POST', '/test_clock/advance', { by_seconds: 60 })
  const token = newId()
  const { id: clock_id } = await server.pool.one<{ id: string }>(
    sql`update test_clocks set lease_token = ${token} where workspace_id = ${tenant.id} returning id`,
  )
  const nothing = async () => {}
  const advances = advancing({ kinds: [], drain: nothing, removeExpired: nothing, log })
  const lease = { workspace: tenant.id, id: clock_id, token, due_at: '' }
  await inTransaction(server.at(tenant.id), async (at) => advances.giveUp?.(at, lease))
}
