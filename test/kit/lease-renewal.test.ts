import assert from 'node:assert/strict'
import { test } from 'node:test'
import { work as imports } from '../../server/imports/run.ts'
import { openLog } from '../../server/kit/log.ts'
import { openOutbound } from '../../server/kit/outbound/outbound.ts'
import type { Pool } from '../../server/kit/postgres/pool.ts'
import { type Sql, sql } from '../../server/kit/postgres/sql.ts'
import { plainShare } from '../../server/kit/work/capacity.ts'
import { Engine } from '../../server/kit/work/engine.ts'
import { itemLeases, lease_ms } from '../../server/kit/work/lease.ts'
import { type Lease, rowWork } from '../../server/kit/work/rows.ts'
import { newState } from '../../server/kit/work/state.ts'
import type { DueItem, Work } from '../../server/kit/work/work.ts'
import { sending } from '../../server/webhooks/sending.ts'
import { waitUntil } from '../faults/client.ts'
import { serve } from '../support/harness.ts'
import { recordStatements } from '../support/old-rows.ts'
import { receiver } from '../support/receivers.ts'
import { newContact, newImport } from '../support/samples.ts'
import { createWebhook } from '../support/webhook-calls.ts'

const { workspace, pool, at } = await serve({ outbound_allow_hosts: ['127.0.0.1'] })
const { tools, hooks } = at('')
const log = openLog('silent')

/** A pool whose time passes when the test says so. */
function withTime(own: Pool): { pool: Pool; pass: (passed_ms: number) => void } {
  let passed_ms = 0
  return {
    pool: { ...own, time: () => own.time() + passed_ms },
    pass: (more_ms) => {
      passed_ms += more_ms
    },
  }
}

test('the leases of all workspaces that a process sends for are renewed by one statement', async () => {
  const sent: Sql[] = []
  const { pool: own, pass } = withTime(recordStatements(pool, sent))
  const target = await receiver(() => {})
  const outbound = openOutbound({ allowed: ['127.0.0.1'] })
  const work = sending({ seal: tools.seal, ownAddress: () => '' })
  const engine = new Engine(work, { service: { pool: own, tools: { ...tools, outbound }, hooks }, log })
  const tenants = await Promise.all(Array.from({ length: 20 }, () => workspace()))
  for (const tenant of tenants) {
    await createWebhook(tenant, target.url)
    await tenant.call('POST', '/contacts', newContact())
    engine.add(tenant.id)
  }
  await waitUntil('all are being sent', () => target.received.length === tenants.length)
  const renewals = () => sent.filter(({ text }) => /^(insert into|update) webhook_senders/.test(text)).length
  const readEnds = async () => {
    const ids = tenants.map(({ id }) => id)
    const ends = await pool.many<{ lease_until: string }>(
      sql`select lease_until from webhook_senders where workspace_id = any(${ids}::uuid[])`,
    )
    return ends.map(({ lease_until }) => lease_until).sort()
  }
  const last_before = (await readEnds()).at(-1) ?? ''
  const before = renewals()
  pass(lease_ms)
  await waitUntil('all are renewed', async () => ((await readEnds())[0] ?? '') > last_before)
  assert.equal(renewals() - before, 1)
  await outbound.close()
  await engine.stop()
})

test('leases of items in many workspaces are renewed side by side, and one that fails holds up no other', async () => {
  const { pool: own, pass } = withTime(pool)
  const ended = Promise.withResolvers<void>()
  const ids = Array.from({ length: 30 }, (_, index) => `workspace ${index}`)
  const renewed = new Set<string>()
  let in_flight = 0
  let most_in_flight = 0
  const second = Promise.withResolvers<void>()
  let canEnd = async () => {}
  const work: Work<DueItem, void> = {
    due: { kind: 'nothing', nextDue: () => sql`select null::timestamptz`, selectWaiting: () => sql`select null` },
    openLeases: () =>
      itemLeases(async ({ workspace }, items) => {
        in_flight += 1
        most_in_flight = Math.max(most_in_flight, in_flight)
        if (in_flight > 1) second.resolve()
        await canEnd()
        in_flight -= 1
        if (workspace === ids[0]) throw new Error('the row is locked')
        renewed.add(workspace)
        return items
      }),
    limits: { process: plainShare(100), workspace: plainShare(1) },
    claim: async ({ workspace }) => [{ id: workspace, due_at: '' }],
    run: () => ended.promise,
  }
  const atOf = async (workspace: string) => ({ ...at(workspace), db: own })
  const engine = new Engine(work, { service: { pool: own, tools, hooks }, log, atOf })
  for (const id of ids) engine.add(id)
  const others = new Set(ids.slice(1))
  await waitUntil('the others are renewed', () => renewed.symmetricDifference(others).size === 0)
  renewed.clear()
  // From here on the first one waits for a second one.
  canEnd = () => second.promise
  pass(lease_ms)
  await waitUntil('they are renewed again', () => renewed.symmetricDifference(others).size === 0)
  assert.ok(most_in_flight > 1 && most_in_flight < 10, `${most_in_flight} connections`)
  ended.resolve()
  await engine.stop()
})

/** Two imports that this process has leased, a lock of the first one, and how long each lease goes on. */
async function leaseImports() {
  const tenant = await workspace()
  for (let count = 0; count < 2; count += 1) await tenant.call('POST', '/contacts/imports', newImport())
  const { pool: own, pass } = withTime(pool)
  const { openLeases, limits, claim } = rowWork(imports)
  const at_now = { ...at(tenant.id), db: own }
  const leases = openLeases()
  const state = newState<Lease>(tenant.id, limits)
  await leases.take(at_now, state)
  state.claimed = new Set(
    await claim(at_now, { slots: 2, slow_slots: 0, claimed: state.claimed, by_key: new Map(), is_polled: true }),
  )
  const ids = [...state.claimed].map(({ id }) => id).sort()
  const readEnds = async () => {
    const rows = await pool.many<{ lease_until: string }>(
      sql`select lease_until from imports where workspace_id = ${tenant.id} order by id`,
    )
    return rows.map(({ lease_until }) => lease_until)
  }
  const whileLocked = (run: () => Promise<void>) =>
    pool.tx(async (db) => {
      await db.one(sql`select id from imports where workspace_id = ${tenant.id} and id = ${ids[0]} for no key update`)
      await run()
    })
  return { own, pass, at_now, leases, state, readEnds, whileLocked }
}

test('a renewal leaves out a row that is locked, and the next check renews its lease', async () => {
  const { own, pass, leases, state, readEnds, whileLocked } = await leaseImports()
  const [first, second = ''] = await readEnds()
  pass(lease_ms / 2)
  await whileLocked(async () => {
    await leases.renew(own, [state])
    const [locked, other = ''] = await readEnds()
    assert.ok(locked === first && other > second)
  })
  const [, before] = await readEnds()
  await leases.renew(own, [state])
  const [renewed = '', other] = await readEnds()
  assert.ok(renewed > (first ?? ''))
  assert.equal(other, before, 'it is not renewed again so soon')
})

test('nothing is claimed while a lease that has ended can not be renewed', async () => {
  const { pass, at_now, leases, state, whileLocked } = await leaseImports()
  pass(lease_ms)
  await whileLocked(async () => assert.equal(await leases.take(at_now, state), false))
  pass(lease_ms)
  assert.equal(await leases.take(at_now, state), true)
})
