import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as clock from '../../server/kit/clock.ts'
import { sql } from '../../server/kit/postgres/sql.ts'
import { addCall } from '../support/added-calls.ts'
import { getCall } from '../support/calls.ts'
import { serve } from '../support/harness.ts'

const { workspace, pool, at } = await serve()
const hour_ms = 3_600_000

for (const [name, released_after_ms] of [
  ['was stopped', 40_000],
  ['was killed', 0],
] as const)
  test(`a call whose process ${name} ends at the last moment that was saved`, async () => {
    const tenant = await workspace()
    const dialed_at = clock.wall() - hour_ms
    const { id, conversation_id, answered_at } = await addCall(at(tenant.id, dialed_at))
    const last_turn_at = clock.iso(dialed_at + 20_000)
    await pool.run(
      sql`update calls set due_at = ${clock.iso(dialed_at + released_after_ms)}
        where workspace_id = ${tenant.id} and id = ${id}`,
    )
    await pool.run(
      sql`update conversations set last_turn_at = ${last_turn_at}
        where workspace_id = ${tenant.id} and id = ${conversation_id}`,
    )
    await tenant.work()
    const call = await getCall(tenant, id)
    const ended_at = Math.max(dialed_at + released_after_ms, clock.parse(last_turn_at))
    assert.deepEqual([call.status, call.end_reason, call.ended_at], ['completed', 'system_error', clock.iso(ended_at)])
    assert.equal(call.duration_ms, ended_at - clock.parse(answered_at ?? ''))
  })
