import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { openPool } from '../../server/kit/postgres/pool.ts'
import { sql } from '../../server/kit/postgres/sql.ts'
import { openServer } from '../support/harness.ts'
import { newContact } from '../support/samples.ts'

/** A single connection has all prepared statements. */
const pool = openPool({ url: process.env.TEST_DATABASE_URL ?? '', size: 1, onError: console.error })
const server = await openServer(pool)
after(server.close)

const countPrepared = async () =>
  (await pool.many<{ statement: string }>(sql`select statement from pg_prepared_statements`)).length

const lists = ['/contacts', '/contacts?sort=updated_at', '/contacts?search=ada', '/agents', '/events', '/webhooks']

for (const list of lists) {
  test(`pages of any limit of ${list} share the same prepared statements`, async () => {
    const { call } = await server.workspace()
    for (let count = 0; count < 3; count += 1) await call('POST', '/contacts', newContact({ first_name: 'Ada' }))
    const read = async (limit: number) => {
      const { status, body } = await call('GET', `${list}${list.includes('?') ? '&' : '?'}limit=${limit}`)
      assert.equal(status, 200)
      return body.data.length
    }
    assert.equal(await read(100), await read(99))
    const before = await countPrepared()
    for (const limit of [1, 2, 3, 4, 20, 21, 50]) assert.ok((await read(limit)) <= limit)
    assert.equal(await countPrepared(), before)
  })
}
