import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from '../../server/kit/postgres/sql.ts'
import { serve } from '../support/harness.ts'
import { waitingFor } from '../support/lock-waits.ts'
import { addRecordedCall } from '../support/recorded-calls.ts'

const { workspace, pool } = await serve()

test('a call that gets its conversation while it is redacted is redacted with it', async () => {
  const tenant = await workspace()
  const id = await addRecordedCall(pool, tenant)
  const { conversation_id } = (await tenant.call('GET', `/calls/${id}`)).body.data
  const setConversation = (value: string | null) =>
    sql`update calls set conversation_id = ${value} where workspace_id = ${tenant.id} and id = ${id}`
  await pool.run(setConversation(null))
  const redacted = await pool.tx(async (db) => {
    await db.run(setConversation(conversation_id))
    const { pid } = await db.one<{ pid: number }>(sql`select pg_backend_pid() as pid`)
    const request = tenant.call('POST', `/calls/${id}/redact`)
    await waitingFor(pool, pid)
    return { request }
  })
  assert.equal((await redacted.request).status, 200)
  const turns = (await tenant.call('GET', `/conversations/${conversation_id}/turns`)).body.data
  assert.deepEqual(new Set(turns.map(({ text }: { text: string }) => text)), new Set(['']))
})
