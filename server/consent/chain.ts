import { createHash } from 'node:crypto'

/** What the hash of an entry covers. Not the contact's id, which is removed when the contact is deleted. */
export interface HashedEntry {
  seq: number
  id: string
  phone_hmac: Buffer
  kind: string
  status: string
  source: string
  /** The stored bytes of the JSON. */
  evidence: string | null
  created_at: string
}

/** What the first entry of a ledger follows. */
export const first_hash = Buffer.alloc(32)

/** SHA-256 of the hash before and a JSON array. JSON keeps values apart: no other row gives the same text. */
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
