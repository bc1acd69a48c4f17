import { createHash } from 'node:crypto'

/**
 * The members that the hash of an entry covers. The contact's id is none of them, because it is removed when the
 * contact is deleted.
 */
export interface HashedEntry {
  seq: number
  id: string
  phone_hmac: Buffer
  kind: string
  status: string
  source: string
  /** The stored bytes of the evidence's JSON. */
  evidence: string | null
  created_at: string
}

/** The hash that the first entry of a ledger follows. */
export const first_hash = Buffer.alloc(32)

/**
 * Returns the SHA-256 of the hash before and a JSON array. JSON keeps values apart: no other row gives the same text.
 */
export function hashEntry(previous: Buffer, workspace: string, entry: HashedEntry): Buffer {
  const { seq, id, phone_hmac, kind, status, source, evidence, created_at } = entry
  const text = JSON.stringify([
    workspace,
    seq,
    id,
    phone_hmac.toString('hex'),
    kind,
    status,
    source,
    evidence,
    created_at,
  ])
  return createHash('sha256').update(previous).update(text).digest()
}
