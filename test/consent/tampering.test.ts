import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { verify } from '../../server/consent/verify.ts'
import type { Sql } from '../../server/kit/postgres/sql.ts'
import { raw, sql } from '../../server/kit/postgres/sql.ts'
import { recordEntries } from '../support/consents.ts'
import { serve } from '../support/harness.ts'
import { movedTime } from '../support/moved-time.ts'
import { runs } from '../support/property-runs.ts'

const server = await serve()
const { workspace, pool, at } = server

const entries = 9
const tenant = await workspace()
await recordEntries(
  server,
  tenant,
  Array.from({ length: entries }, (_, index) => ({
    kind: (['sms', 'voice', 'all'] as const)[index % 3] ?? 'all',
    status: index % 2 === 0 ? 'granted' : 'revoked',
    evidence: index % 4 === 0 ? null : { message: `é ${index}` },
  })),
)
const ids = (
  await pool.many<{ id: string }>(sql`select id from consents where workspace_id = ${tenant.id} order by seq`)
).map(({ id }) => id)

const undo = new Error('rolled back')

/** Verifies the ledger after a change that is then rolled back. */
async function verifyAfter(change: Sql) {
  const found = Promise.withResolvers<Awaited<ReturnType<typeof verify>>>()
  await pool
    .tx(async (db) => {
      assert.ok((await db.run(change)) > 0)
      found.resolve(await verify({ ...at(tenant.id), db }))
      throw undo
    })
    .catch((error) => assert.equal(error, undo))
  return found.promise
}

const change = (seq: number, assignment: Sql) =>
  sql`update consents set ${assignment} where workspace_id = ${tenant.id} and seq = ${seq}`

/** Changes of one column that keep the row valid for the database. */
const changes: Record<string, (byte: number, bit: number) => Sql> = {
  phone_hmac: (byte, bit) => flipped('phone_hmac', byte, bit),
  hash: (byte, bit) => flipped('hash', byte, bit),
  kind: () => raw("kind = case when kind = 'all' then 'sms' else 'all' end"),
  status: () => raw("status = case when status = 'granted' then 'revoked' else 'granted' end"),
  source: () => raw("source = 'sms_keywore'"),
  evidence: (byte) =>
    raw(
      byte % 2 === 0
        ? "evidence = coalesce((evidence::text || ' ')::json, '{}')"
        : "evidence = case when evidence is null then 'null'::json end",
    ),
  created_at: (byte, bit) =>
    sql`created_at = ${
      [
        movedTime('created_at', '1 millisecond'),
        movedTime('created_at', '-1 day'),
        raw("'infinity'"),
        raw("'0044-03-15 00:00:00.123+00 BC'"),
        raw("'200000-01-01 00:00:00.123+00'"),
      ][(byte + bit) % 5]
    }`,
}

function flipped(column: string, byte: number, bit: number): Sql {
  const name = raw(column)
  return sql`${name} = set_byte(${name}, ${byte}, get_byte(${name}, ${byte}) # (1 << ${bit}::integer))`
}

test('a change of any column of any entry is named', async () => {
  const columns = fc.constantFrom(...Object.keys(changes))
  const byte = fc.integer({ min: 0, max: 31 })
  /** Each change at least once. */
  const examples = Object.keys(changes).flatMap((column) =>
    [0, 1, 2, 3, 4].map((byte): [number, string, number, number] => [entries - byte, column, byte, 0]),
  )
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 1, max: entries }),
      columns,
      byte,
      fc.integer({ min: 0, max: 7 }),
      async (seq, column, byte, bit) => {
        const result = await verifyAfter(change(seq, changes[column]?.(byte, bit) ?? raw('')))
        assert.deepEqual(result, { is_valid: false, rows: seq, first_broken_id: ids[seq - 1] }, column)
      },
    ),
    { ...runs(), examples },
  )
})

test('another id is named', async () => {
  const id = '01a1dd18-9904-726a-94bc-9e3b6ab9ad11'
  const { is_valid, first_broken_id } = await verifyAfter(change(4, sql`id = ${id}`))
  assert.deepEqual([is_valid, first_broken_id], [false, id])
})

test('an entry that was moved breaks the ledger where it was or is', async () => {
  for (const [seq, moved_to, broken] of [
    [4, 100, 5],
    [entries, 100, entries],
    [4, -1, 4],
    [entries, 9_007_199_254_740_993n, entries],
  ] as const) {
    const { is_valid, first_broken_id } = await verifyAfter(change(seq, sql`seq = ${moved_to}`))
    assert.deepEqual([is_valid, first_broken_id], [false, ids[broken - 1]], `${seq} to ${moved_to}`)
  }
})

test('a removed entry is noticed at the one after it', async () => {
  for (const seq of [1, 5]) {
    const result = await verifyAfter(sql`delete from consents where workspace_id = ${tenant.id} and seq = ${seq}`)
    assert.deepEqual(result, { is_valid: false, rows: seq, first_broken_id: ids[seq] })
  }
})

test('removed last entries are noticed, also when all are gone', async () => {
  for (const kept of [entries - 1, 3, 0]) {
    const result = await verifyAfter(sql`delete from consents where workspace_id = ${tenant.id} and seq > ${kept}`)
    assert.deepEqual(result, { is_valid: false, rows: kept, first_broken_id: null })
  }
})

test('a ledger whose end is missing or older is not valid', async () => {
  const removed = await verifyAfter(sql`delete from consent_ledgers where workspace_id = ${tenant.id}`)
  const older = await verifyAfter(sql`update consent_ledgers set last_seq = 3 where workspace_id = ${tenant.id}`)
  for (const result of [removed, older])
    assert.deepEqual(result, { is_valid: false, rows: entries, first_broken_id: null })
})

test('the ledger itself is unchanged and valid, also without contacts', async () => {
  const result = await verifyAfter(change(1, sql`contact_id = null`))
  assert.deepEqual(result, { is_valid: true, rows: entries, first_broken_id: null })
})
