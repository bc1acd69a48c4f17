import * as contacts from '../contacts/store.ts'
import type { At } from '../kit/at.ts'
import * as clock from '../kit/clock.ts'
import { newId } from '../kit/id.ts'
import { selectRows } from '../kit/postgres/citus/tenants.ts'
import * as page from '../kit/postgres/page.ts'
import { type IdRange, pageById } from '../kit/postgres/page-by-id.ts'
import { raw, sql } from '../kit/postgres/sql.ts'
import { invalid, notFound, type Problem } from '../kit/problem.ts'
import { hashEntry } from './chain.ts'
import type { Person } from './person.ts'
import type { Consent, ConsentQuery, Kind, NewConsent, Source, Status } from './schema.ts'
import { lockLedger, readHmac } from './secret.ts'
import { spellingsOf } from './spellings.ts'

/** Something that a person has said about calls or messages. */
export interface Entry {
  phone_number: string
  /** The contact of the number. The transaction must have locked or shared it. */
  contact_id: string | null
  kind: Kind
  status: Status
  source: Source
  /** What shows what was said. It is kept forever, so it must not contain personal data. */
  evidence: object | null
  /** When it was said, if that was not now. */
  created_at?: string
}

const columns = raw('id, contact_id, kind, status, source, evidence, created_at, seq')

const latest_first: page.Sort = {
  name: '-seq',
  column: 'seq',
  is_descending: true,
  is_nullable: false,
  is_ordinal: true,
}

/**
 * Adds entries to the ledger, in this order. The ledger stays locked until the transaction ends, so call this late.
 */
export async function record(at: At, entries: Entry[]): Promise<Consent[]> {
  if (entries.length === 0) return []
  const { db, workspace, now } = at
  const { last_seq, last_hash, hmacOf } = await lockLedger(at)
  let hash = last_hash
  const rows = entries.map(({ phone_number, evidence, created_at = clock.iso(now), ...entry }, index) => {
    const row = {
      ...entry,
      seq: last_seq + index + 1,
      id: newId(),
      phone_hmac: hmacOf(phone_number),
      evidence: evidence && JSON.stringify(evidence),
      created_at,
    }
    hash = hashEntry(hash, workspace, row)
    return { ...row, hash }
  })
  const all = <Name extends keyof (typeof rows)[number]>(name: Name) => rows.map((row) => row[name])
  const selected = selectRows(at, {
    columns: raw('row.*'),
    from: sql`unnest(${all('seq')}::bigint[], ${all('id')}::uuid[], ${all('contact_id')}::uuid[],
      ${all('phone_hmac')}::bytea[], ${all('kind')}::text[], ${all('status')}::text[], ${all('source')}::text[],
      ${all('evidence')}::json[], ${all('created_at')}::timestamptz[], ${all('hash')}::bytea[]) as row`,
  })
  await Promise.all([
    db.run(
      sql`insert into consents (workspace_id, seq, id, contact_id, phone_hmac, kind, status, source, evidence, created_at, hash)
        ${selected}`,
    ),
    db.run(
      sql`update consent_ledgers set last_seq = ${last_seq + rows.length}, last_hash = ${hash}
        where workspace_id = ${workspace}`,
    ),
  ])
  return rows.map((row, index) => ({ ...row, evidence: toEvidence(entries[index]?.evidence) }))
}

const toEvidence = (evidence: object | null | undefined): Consent['evidence'] => (evidence ? { ...evidence } : null)

type NewContactConsent = NewConsent & { contact_id: string; source: Source }

/** Records what contacts have said. Returns, in the order of the inputs, each entry or the Problem that there is no such contact. */
export async function create(at: At, inputs: NewContactConsent[]): Promise<(Consent | Problem)[]> {
  const found = await contacts.lock(
    at,
    inputs.map(({ contact_id }) => contact_id),
  )
  const entries = inputs.flatMap(({ contact_id, kind, status, source, evidence = null }) => {
    const contact = found.get(contact_id)
    return contact ? { phone_number: contact.phone_number, contact_id, kind, status, source, evidence } : []
  })
  const recorded = (await record(at, entries)).values()
  return inputs.map(({ contact_id }) => (found.has(contact_id) && recorded.next().value) || notFound())
}

const evidence_members_max = 20
const evidence_name = /^.{1,40}$/u

const hasControlCharacters = (text: string): boolean => !text.isWellFormed() || /\p{Cc}/u.test(text)

/** Checks evidence for what a schema can't say. */
export async function checkEvidence({ evidence }: NewConsent): Promise<void> {
  const names = Object.keys(evidence ?? {})
  const fault = (code: string, rule: string) =>
    invalid([{ path: 'evidence', code, message: `evidence must have ${rule}.` }])
  if (names.length > evidence_members_max) throw fault('too_many', `at most ${evidence_members_max} members`)
  if (!names.every((name) => evidence_name.test(name))) throw fault('format', 'names of 1 to 40 characters')
  if (
    Object.entries(evidence ?? {})
      .flat()
      .some(hasControlCharacters)
  )
    throw fault('invalid_characters', 'no control characters')
}

export function list({ db, workspace }: At, { kind, status, ...query }: ConsentQuery): Promise<page.Page<Consent>> {
  const of_kind = kind === undefined ? raw('') : sql`and kind = ${kind}`
  const with_status = status === undefined ? raw('') : sql`and status = ${status}`
  const matching = sql`select ${columns} from consents where workspace_id = ${workspace} ${of_kind} ${with_status}`
  return page.readSelection(db, query, latest_first, matching)
}

/**
 * Finds entries by the contact's current number in all its spellings, so it includes what was recorded for an earlier contact
 * with this number.
 */
export async function listOfContact(
  at: At,
  { contact_id, query }: { contact_id: string; query: page.PageQuery },
): Promise<page.Page<Consent>> {
  const { db, workspace } = at
  const { phone_number } = await contacts.get(at, contact_id)
  const hmacOf = await readHmac(at)
  const matching = hmacOf ? sql`phone_hmac = any(${spellingsOf(phone_number).map(hmacOf)}::bytea[])` : raw('false')
  const own = sql`select ${columns} from consents where workspace_id = ${workspace} and ${matching}`
  const found = await page.readSelection<Consent>(db, query, latest_first, own)
  return { ...found, data: found.data.map((consent) => ({ ...consent, contact_id })) }
}

/** Returns the entry that decides whether the number is called or written to. */
export async function findLatest(
  at: At,
  { kind, phone_number }: { kind: 'voice' | 'sms'; phone_number: string },
): Promise<Consent | undefined> {
  const { db, workspace } = at
  const hmacOf = await readHmac(at)
  if (!hmacOf) return undefined
  return db.maybe<Consent>(
    sql`select ${columns} from consents
      where workspace_id = ${workspace} and phone_hmac = any(${spellingsOf(phone_number).map(hmacOf)}::bytea[])
        and kind in (${kind}, 'all')
      order by seq desc limit 1`,
  )
}

/** Returns what the person has agreed to and refused, with any of its numbers, in the order of the ledger. */
export async function listOfPerson(at: At, { contact_ids, phone_numbers }: Person, range: IdRange): Promise<Consent[]> {
  const { db, workspace } = at
  const hmacOf = await readHmac(at)
  if (!hmacOf) return []
  const where = sql`(contact_id = any(${contact_ids}::uuid[]) or (contact_id is null
    and phone_hmac = any(${phone_numbers.map(hmacOf)}::bytea[])))`
  return db.many<Consent>(pageById('consents', workspace, { columns, where, ...range }))
}
