import { createHmac } from 'node:crypto'
import type { At, InWorkspace } from '../kit/at.ts'
import { newSecret } from '../kit/crypto/secret.ts'
import { sql } from '../kit/postgres/sql.ts'
import { first_hash } from './chain.ts'

/** The last entry of a workspace's ledger, and the function that stands in for phone numbers in it. */
export interface Ledger {
  last_seq: number
  last_hash: Buffer
  hmacOf: (phone_number: string) => Buffer
}

interface StoredLedger extends Omit<Ledger, 'hmacOf'> {
  /** The sealed secret. */
  secret: string
}

/** Locks the ledger until the transaction ends. The first use creates it. */
export async function lockLedger(at: At): Promise<Ledger> {
  const { db, workspace, tools } = at
  const read = () =>
    db.maybe<StoredLedger>(
      sql`select secret, last_seq, last_hash from consent_ledgers where workspace_id = ${workspace} for no key update`,
    )
  let stored = await read()
  if (!stored) {
    await db.run(
      sql`insert into consent_ledgers (workspace_id, secret, last_hash)
        values (${workspace}, ${tools.seal.close(newSecret())}, ${first_hash}) on conflict (workspace_id) do nothing`,
    )
    // Another transaction may have created the ledger in the meantime.
    stored = await read()
  }
  if (!stored) throw new Error('the ledger is missing')
  return { ...stored, hmacOf: openHmac(at, stored.secret) }
}

/** Returns undefined if the workspace has no ledger yet. Throws if its secret can't be opened with the keys of the service. */
export async function readHmac(at: At): Promise<Ledger['hmacOf'] | undefined> {
  const sealed = await readSealed(at)
  return sealed === undefined ? undefined : openHmac(at, sealed)
}

/** Returns the function for what stands in for phone numbers where they must not be kept. */
export const hmacFor = async (at: At): Promise<Ledger['hmacOf']> =>
  (await readHmac(at)) ?? (await lockLedger(at)).hmacOf

function openHmac({ tools }: At, sealed: string): Ledger['hmacOf'] {
  const secret = tools.seal.open(sealed)
  return (phone_number) => createHmac('sha256', secret).update(phone_number).digest()
}

/** Returns the sealed secret of the workspace. Undefined if it has no ledger yet. */
export const readSealed = async ({ db, workspace }: InWorkspace): Promise<string | undefined> =>
  (await db.maybe<{ secret: string }>(sql`select secret from consent_ledgers where workspace_id = ${workspace}`))
    ?.secret

/**
 * Adds a ledger with this secret to a workspace that has none. Returns what stands in for phone numbers with it. Throws
 * if the secret can't be opened with the keys of the service.
 */
export async function restoreSecret(at: At, sealed: string): Promise<Ledger['hmacOf']> {
  const hmacOf = openHmac(at, sealed)
  await at.db.run(
    sql`insert into consent_ledgers (workspace_id, secret, last_hash) values (${at.workspace}, ${sealed}, ${first_hash})
      on conflict (workspace_id) do nothing`,
  )
  return hmacOf
}
