import * as contacts from '../contacts/store.ts'
import type { At } from '../kit/at.ts'
import { csvLine } from '../kit/csv.ts'
import { letOthersRun } from '../kit/let-others-run.ts'
import { raw, sql } from '../kit/postgres/sql.ts'
import type { Consent } from './schema.ts'
import { readHmac } from './secret.ts'
import { spellingsOf } from './spellings.ts'

const entries_per_chunk = 1_000
/** The holders of numbers are found for this many entries at a time, which bounds the memory that they take. */
const entries_per_search = 100_000

const export_columns = ['id', 'contact_id', 'kind', 'status', 'source', 'evidence', 'created_at'] as const

type StoredEntry = Consent & { seq: number; phone_hmac: Buffer }

/**
 * Yields all entries in the order of the ledger, as CSV in chunks. A slow client holds no connection and no snapshot. An entry
 * whose contact was deleted has the contact that has its number now.
 */
export async function* exportCsv(at: At): AsyncGenerator<string> {
  const { db, workspace } = at
  // The header is sent before contacts are gone through, so that a client doesn't give up.
  yield csvLine([...export_columns])
  let last_seq = 0
  let searched_until = 0
  let holders: Holders = new Map()
  let rows: StoredEntry[]
  do {
    rows = await db.many<StoredEntry>(
      sql`select ${raw(export_columns.join(', '))}, seq, phone_hmac from consents
        where workspace_id = ${workspace} and seq > ${last_seq} order by seq limit ${entries_per_chunk}`,
    )
    const next_seq = rows.at(-1)?.seq ?? last_seq
    if (next_seq > searched_until) {
      searched_until = Math.max(next_seq, last_seq + entries_per_search)
      holders = await findHolders(at, { after: last_seq, until: searched_until })
    }
    yield rows.map((row) => formatEntry(withHolder(row, holders))).join('')
    last_seq = next_seq
  } while (rows.length === entries_per_chunk)
}

/** The ids of contacts by what stands in for their numbers. */
type Holders = Map<string, string>

/**
 * Finds the holders of the numbers of entries without a contact. The ledger doesn't have the numbers, so all contacts
 * are gone through if there is such an entry.
 */
async function findHolders(at: At, { after, until }: { after: number; until: number }): Promise<Holders> {
  const holders: Holders = new Map()
  const without = await at.db.many<{ phone_hmac: Buffer }>(
    sql`select distinct phone_hmac from consents
      where workspace_id = ${at.workspace} and seq > ${after} and seq <= ${until} and contact_id is null`,
  )
  const hmacOf = without.length > 0 ? await readHmac(at) : undefined
  if (!hmacOf) return holders
  const wanted = new Set(without.map(({ phone_hmac }) => toKey(phone_hmac)))
  for await (const chunk of contacts.numbersOfAll(at))
    for (const { id, phone_number } of chunk) {
      await letOthersRun()
      for (const key of spellingsOf(phone_number).map((spelling) => toKey(hmacOf(spelling))))
        if (wanted.has(key)) holders.set(key, id)
    }
  return holders
}

const toKey = (hmac: Buffer): string => hmac.toString('latin1')

const withHolder = ({ phone_hmac, ...entry }: StoredEntry, holders: Holders): Consent => ({
  ...entry,
  contact_id: entry.contact_id ?? holders.get(toKey(phone_hmac)) ?? null,
})

const formatEntry = (entry: Consent): string =>
  csvLine(
    export_columns.map((name) =>
      name === 'evidence' ? entry.evidence && JSON.stringify(entry.evidence) : entry[name],
    ),
  )
