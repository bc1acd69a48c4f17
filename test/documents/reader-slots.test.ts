import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { read_limits } from '../../server/documents/parse/parser.ts'
import { reading } from '../../server/documents/work.ts'
import { openLog } from '../../server/kit/log.ts'
import { sql } from '../../server/kit/postgres/sql.ts'
import { Engine } from '../../server/kit/work/engine.ts'
import { rowWork } from '../../server/kit/work/rows.ts'
import { waitUntil } from '../faults/client.ts'
import { uploadDocument } from '../support/documents.ts'
import { serve, type Tenant } from '../support/harness.ts'

const { workspace, pool, at } = await serve()
const { tools, hooks } = at('')

/** It takes most of a minute, on a fast machine. */
const slow_file = Buffer.alloc(5_600_000, '*a **a ')

/** Reads documents of these one at a time, with these limits. */
function openReading(tenants: Tenant[], limits: object) {
  const work = rowWork(reading({ ...read_limits, readers_max: 1, ...limits }), { at_once: 4 })
  const engine = new Engine(work, { service: { pool, tools, hooks }, log: openLog('silent') })
  after(() => engine.stop())
  return {
    waitUntilRead: (description: string, isTrue: () => Promise<boolean>) =>
      waitUntil(description, () => {
        for (const { id } of tenants) engine.add(id)
        return isTrue()
      }),
    stop: () => engine.stop(),
  }
}

async function upload(tenant: Tenant, file: string | Buffer, name: string): Promise<void> {
  const { status, text } = await uploadDocument(tenant, file, name)
  assert.equal(status, 201, text)
}

const readRows = ({ id }: Tenant) =>
  pool.many<{ status: string; error: string | null; attempt: number }>(
    sql`select status, error, attempt from documents where workspace_id = ${id} order by created_at, id`,
  )

test('a document does not wait until all slow ones of another workspace are read, and these are tried again', async () => {
  const [slow, other] = await Promise.all([workspace(), workspace()])
  const { waitUntilRead, stop } = openReading([slow, other], { slice_ms: 1_500 })
  for (const name of ['a.md', 'b.md', 'c.md']) await upload(slow, slow_file, name)
  const isTriedAgain = async () => {
    const rows = await readRows(slow)
    assert.deepEqual(
      rows.map(({ status }) => status),
      ['processing', 'processing', 'processing'],
    )
    return rows.some(({ attempt }) => attempt > 1)
  }
  for (let count = 0; !(await isTriedAgain()); count += 1) {
    await upload(other, 'Open at nine.', `${count}.txt`)
    await waitUntilRead('the other one is ready', async () =>
      (await readRows(other)).every(({ status }) => status === 'ready'),
    )
  }
  await stop()
})

test('a slow document is read to its end although others keep coming', async () => {
  const [slow, other] = await Promise.all([workspace(), workspace()])
  const { waitUntilRead, stop } = openReading([slow, other], { slice_ms: 1_000, time_max_ms: 3_000 })
  await upload(slow, slow_file, 'a.md')
  let attempts = 0
  const readSlow = async () => {
    const [row] = await readRows(slow)
    attempts = Math.max(attempts, row?.attempt ?? 0)
    return row?.status === 'processing' ? undefined : row?.error
  }
  let error: string | null | undefined
  for (let count = 0; error === undefined; count += 1) {
    await upload(other, 'Open at nine.', `${count}.txt`)
    await waitUntilRead('the other one is read', async () => {
      error = await readSlow()
      return (await readRows(other)).every(({ status }) => status !== 'processing')
    })
  }
  assert.equal(error, 'The file took longer than 3 seconds to read. Split it into smaller ones.')
  assert.ok(attempts > 1, 'it was interrupted')
  await stop()
})
