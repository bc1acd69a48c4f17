import { type At, newTool } from '../kit/at.ts'
import { openQueuePerKey } from '../kit/limits/key-queues.ts'
import { inBatches } from '../kit/postgres/in-batches.ts'
import { raw, sql } from '../kit/postgres/sql.ts'
import { first_hash, type HashedEntry, hashEntry } from './chain.ts'
import type { Verification } from './schema.ts'

const batch_rows = 2_000

/** A workspace verifies one ledger at a time, because that reads the whole ledger. */
const verifications = newTool(() => openQueuePerKey(1))

interface Row extends HashedEntry {
  hash: Buffer
}

/** The end of the ledger. Null before the first entry. */
interface Ledger {
  last_seq: number | null
  last_hash: Buffer | null
}

/**
 * Computes the hashes of all entries again, in batches without a transaction, so that it can take long and blocks nobody.
 * Entries that are added meanwhile are checked too.
 */
export const verify = (at: At): Promise<Verification> => verifications.of(at)(at.workspace, () => verifyAll(at))

async function verifyAll(at: At): Promise<Verification> {
  let last: Row | undefined
  let rows = 0
  let first_broken: Row | undefined
  let is_complete = false
  await inBatches(batch_rows, async () => {
    const batch = await readBatch(at, last)
    for (const row of batch.rows) {
      rows += 1
      if (!row.hash.equals(hashEntry(last?.hash ?? first_hash, at.workspace, row))) {
        first_broken = row
        return 0
      }
      last = row
    }
    is_complete = isEnd(batch, last)
    return batch.rows.length
  })
  return { is_valid: !first_broken && is_complete, rows, first_broken_id: first_broken?.id ?? null }
}

const isEnd = ({ last_seq, last_hash }: Ledger, last: Row | undefined): boolean =>
  (last_seq ?? 0) === (last?.seq ?? 0) && (last_hash ?? first_hash).equals(last?.hash ?? first_hash)

/**
 * Reads a batch and the end of the ledger in one statement: otherwise entries that are added in between would look like
 * missing ones.
 */
async function readBatch({ db, workspace }: At, last: Row | undefined): Promise<Ledger & { rows: Row[] }> {
  const is_next = last ? sql`and seq > ${last.seq}` : raw('')
  const found = await db.many<Row & Ledger>(
    sql`select entry.*, last_seq, last_hash from (select) as one
      left join (select last_seq, last_hash from consent_ledgers where workspace_id = ${workspace}) as ledger on true
      left join (select seq, id, phone_hmac, kind, status, source, evidence::text as evidence,
          to_char(created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as created_at, hash
        from consents where workspace_id = ${workspace} ${is_next} order by seq limit ${batch_rows}) as entry on true
      order by seq`,
  )
  const { last_seq = null, last_hash = null } = found[0] ?? {}
  // Without entries there is one row, which has no id.
  return { last_seq, last_hash, rows: found.filter(({ id }) => id !== null) }
}
