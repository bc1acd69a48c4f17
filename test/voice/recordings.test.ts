import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { openRecording } from '../../server/calls/recording-parts.ts'
import * as clock from '../../server/kit/clock.ts'
import { openLog } from '../../server/kit/log.ts'
import { sql } from '../../server/kit/postgres/sql.ts'
import { getCall } from '../support/calls.ts'
import { openServer, type Tenant, testPool } from '../support/harness.ts'

const server = await openServer(testPool())
after(server.close)
const log = openLog('silent')
const header_bytes = 58
const bytes_per_ms = 16

/** Keys of the files that there are for a call, of those that were ever stored. */
async function filesOf(tenant: Tenant, keys: string[]): Promise<string[]> {
  const { blobs } = server.at(tenant.id).tools
  const sizes = await Promise.all(keys.map((key) => blobs.size(key)))
  return keys.filter((_, index) => sizes[index] !== undefined)
}

const rowsOf = async (tenant: Tenant): Promise<{ blob_key: string }[]> =>
  server.pool.many(
    sql`select blob_key from recording_parts where workspace_id = ${tenant.id}
      union all select blob_key from recording_files where workspace_id = ${tenant.id}`,
  )

test('parts that a killed process has left are joined, or removed with the recording', async () => {
  const tenant = await server.workspace()
  const kept = await tenant.addCall({ is_over: false })
  const at = server.at(tenant.id)
  const recording = openRecording(at, { call: kept, began_at: at.now, continues_at: undefined, log })
  recording.keep({ start_ms: 0, bytes: new Uint8Array(100 * bytes_per_ms) })
  recording.keep({ start_ms: 300, bytes: new Uint8Array(100 * bytes_per_ms) })
  await recording.stored()
  const keys = (await rowsOf(tenant)).map(({ blob_key }) => blob_key)
  assert.equal((await filesOf(tenant, keys)).length, 2)
  // Its process ends the call, and is killed before it says that all is stored.
  await server.pool.run(
    sql`update calls set recording_status = 'rendering', duration_ms = 500 where workspace_id = ${tenant.id} and id = ${kept.id}`,
  )
  await server.pool.run(
    sql`insert into recording_files (workspace_id, id, blob_key, due_at)
      values (${tenant.id}, ${kept.id}, ${`${tenant.id}/joined.wav`}, ${clock.iso(at.now)})`,
  )
  await tenant.work()
  assert.equal((await getCall(tenant, kept.id)).recording.status, 'ready')
  assert.deepEqual([await rowsOf(tenant), await filesOf(tenant, keys)], [[], []])
  assert.equal(await at.tools.blobs.size(`${tenant.id}/joined.wav`), header_bytes + 500 * bytes_per_ms)
  await at.tools.blobs.remove(`${tenant.id}/joined.wav`)
})

test('the parts of a recording that is deleted during the call are removed, and no more are stored', async () => {
  const tenant = await server.workspace()
  const call = await tenant.addCall()
  const at = server.at(tenant.id)
  const recording = openRecording(at, { call, began_at: at.now, continues_at: undefined, log })
  recording.keep({ start_ms: 0, bytes: new Uint8Array(16) })
  await recording.stored()
  const keys = (await rowsOf(tenant)).map(({ blob_key }) => blob_key)
  assert.equal(keys.length, 1)
  assert.equal((await tenant.call('DELETE', `/calls/${call.id}/recording`)).status, 200)
  recording.keep({ start_ms: 1, bytes: new Uint8Array(16) })
  await recording.stored()
  await tenant.work()
  assert.deepEqual([await rowsOf(tenant), await filesOf(tenant, keys)], [[], []])
})
