import * as calls from '../../calls/store.ts'
import { findRules } from '../../calls/store.ts'
import { findGranted } from '../../consent/refusals.ts'
import { hmacFor } from '../../consent/secret.ts'
import type { Contact } from '../../contacts/schema.ts'
import * as contacts from '../../contacts/store.ts'
import { zonesOf } from '../../contacts/zones.ts'
import * as conversations from '../../conversations/store.ts'
import { findAsked } from '../../conversations/waiting.ts'
import { type At, simulatesPeople } from '../../kit/at.ts'
import * as clock from '../../kit/clock.ts'
import { raw, type Sql, sql } from '../../kit/postgres/sql.ts'
import { findSmsRefusals } from '../../messages/outgoing.ts'
import { is_waiting } from '../enrollment-status.ts'
import type { Candidate, Person, Refusal } from '../plan/candidate.ts'
import type { Enrollment } from '../schema.ts'
import type { StoredCampaign } from '../stored-campaign.ts'

/** The facts of this many people are read with one statement. The process answers requests in between. */
const at_once = 500
/** Caps per week look back this far: a week in every time zone. */
const look_back_ms = 8 * clock.day_ms

/** An enrollment with all that is needed to decide, and to reach the contact. */
export interface DueEnrollment extends Candidate, Pick<Enrollment, 'contact_id' | 'variables'> {
  contact: Contact
  phone_hmac: Buffer
  due_at: number
  /** The number of attempts before someone has asked to begin again. */
  earlier_attempts: number
  updated_at: number
  /** The `updated_at` that was read. */
  read_updated_at: number
  read_status: Candidate['status']
  /** A simulation adds this reason, and the call below. */
  reason?: string | null
  last_call_id?: string | null
}

interface Row
  extends Pick<Enrollment, 'id' | 'status' | 'attempts' | 'last_outcome' | 'contact_id' | 'variables'>,
    Pick<Candidate, 'outcomes' | 'rank'> {
  earlier_attempts: number
  retry_at: string | null
  callback_at: string | null
  due_at: string | null
  updated_at: string
}

const columns =
  raw(`id, status, attempts, earlier_attempts, outcomes, last_outcome, contact_id, variables, rank, retry_at, callback_at,
  due_at, updated_at`)

/**
 * Reads the enrollments that are due up to a time, in the order in which they are attempted. People who were promised a
 * call come first.
 */
export async function readDue(
  at: At,
  campaign: StoredCampaign,
  { until, limit }: { until: number; limit: number },
): Promise<DueEnrollment[]> {
  const select = (which: Sql) =>
    at.db.many<Row>(
      sql`select ${columns} from enrollments
        where workspace_id = ${at.workspace} and campaign_id = ${campaign.id} and due_at <= ${clock.iso(until)}
          and ${is_waiting} and ${which}
        order by due_at, rank, id limit ${limit}`,
    )
  const [promised, others] = await Promise.all([
    select(raw('callback_at is not null')),
    select(raw('callback_at is null')),
  ])
  return withPersons(at, campaign, [...promised, ...others].slice(0, limit))
}

/** Whether someone was promised a call. */
export async function hasCallbacks({ db, workspace }: At, campaign_id: string): Promise<boolean> {
  const { has_callbacks } = await db.one<{ has_callbacks: boolean }>(
    sql`select exists (select from enrollments
      where workspace_id = ${workspace} and campaign_id = ${campaign_id} and callback_at is not null
        and due_at is not null) as has_callbacks`,
  )
  return has_callbacks
}

/**
 * Reads some enrollments that are neither final nor being attempted, chosen by chance because ranks are random. Also
 * counts all of them.
 */
export async function readOpen(
  at: At,
  campaign: StoredCampaign,
  limit: number,
): Promise<{ enrollments: DueEnrollment[]; total: number }> {
  const { db, workspace } = at
  const open = sql`workspace_id = ${workspace} and campaign_id = ${campaign.id} and due_at is not null
    and ${is_waiting}`
  const [rows, { total }] = await Promise.all([
    db.many<Row>(sql`select ${columns} from enrollments where ${open} order by rank, id limit ${limit}`),
    db.one<{ total: number }>(sql`select count(*) as total from enrollments where ${open}`),
  ])
  return { enrollments: await withPersons(at, campaign, rows), total }
}

/** Reads one enrollment, whatever its status. */
export async function readOne(at: At, campaign: StoredCampaign, where: Sql): Promise<DueEnrollment | undefined> {
  const rows = await at.db.many<Row>(
    sql`select ${columns} from enrollments where workspace_id = ${at.workspace} and ${where} limit 1`,
  )
  return (await withPersons(at, campaign, rows))[0]
}

/** Adds what is known of the people. Enrollments whose contact was deleted meanwhile are left out. */
async function withPersons(at: At, campaign: StoredCampaign, rows: Row[]): Promise<DueEnrollment[]> {
  const enrollments: DueEnrollment[] = []
  for (let index = 0; index < rows.length; index += at_once)
    enrollments.push(...(await readSome(at, campaign, rows.slice(index, index + at_once))))
  return enrollments
}

async function readSome(at: At, campaign: StoredCampaign, rows: Row[]): Promise<DueEnrollment[]> {
  const [found, hmacOf] = await Promise.all([
    contacts.getMany(
      at,
      rows.map(({ contact_id }) => contact_id),
    ),
    hmacFor(at),
  ])
  const known = rows.flatMap((row) => {
    const contact = found.get(row.contact_id)
    return contact ? [{ row, contact, phone_hmac: hmacOf(contact.phone_number) }] : []
  })
  const persons = await readPersons(at, campaign, known)
  return known.map(({ row, contact, phone_hmac }, index) => ({
    ...row,
    contact,
    phone_hmac,
    ...(persons[index] ?? nobody),
    next_attempt_at: clock.parseOptional(row.retry_at),
    callback_at: clock.parseOptional(row.callback_at),
    due_at: clock.parseOptional(row.due_at) ?? Number.POSITIVE_INFINITY,
    updated_at: clock.parse(row.updated_at),
    read_updated_at: clock.parse(row.updated_at),
    read_status: row.status,
  }))
}

const nobody: Person = { zones: [], refusal: 'no_consent', open_until: undefined, attempted_at: [] }

interface KnownPerson {
  contact: Contact
  phone_hmac: Buffer
}

/** Reads what the rules need to know of these people, in the same order. */
async function readPersons(at: At, campaign: StoredCampaign, known: KnownPerson[]): Promise<Person[]> {
  const numbers = known.map(({ contact }) => contact.phone_number)
  const { kind, time_zone: default_time_zone } = campaign
  const [refusals, open_until, busy, asked, attempted_at] = await Promise.all([
    readRefusals(at, campaign, numbers),
    calls.readOpenUntil(at, numbers),
    conversations.findBusy(at, { phone_numbers: numbers, is_any_open: kind === 'sms' }),
    findAsked(
      at,
      known.map(({ contact }) => contact.id),
    ),
    readAttemptTimes(
      at,
      known.map(({ phone_hmac }) => phone_hmac),
    ),
  ])
  return known.map(({ contact: { id, phone_number, time_zone }, phone_hmac }) => ({
    zones: zonesOf({ contact_time_zone: time_zone, phone_number, default_time_zone }),
    refusal: refusals.get(phone_number),
    open_until: busy.has(phone_number) || asked.has(id) ? Number.POSITIVE_INFINITY : open_until.get(phone_number),
    attempted_at: attempted_at.get(phone_hmac.toString('hex')) ?? [],
  }))
}

/** Reads why people must not be reached. Throws if the ledger can't be read: then nobody may be reached. */
async function readRefusals(
  at: At,
  { kind, consent }: StoredCampaign,
  numbers: string[],
): Promise<Map<string, Refusal>> {
  const asked = numbers.map((to) => ({ to, is_test: simulatesPeople(at) }))
  const [refused, granted] = await Promise.all([
    kind === 'sms'
      ? findSmsRefusals(at, numbers)
      : findRules(at, asked).then((rules) => new Map(numbers.map((number, index) => [number, rules[index]]))),
    consent === 'required' ? findGranted(at, kind, numbers) : undefined,
  ])
  return new Map(
    numbers.flatMap((number): [string, Refusal][] => {
      const refusal = refused.get(number) ?? (granted && !granted.has(number) ? 'no_consent' : undefined)
      return refusal ? [[number, refusal]] : []
    }),
  )
}

/** Reads when campaigns have tried to reach these people lately, by their HMAC in hexadecimal. */
async function readAttemptTimes({ db, workspace, now }: At, hmacs: Buffer[]): Promise<Map<string, number[]>> {
  const rows = await db.many<{ person: string; at: string }>(
    sql`select encode(phone_hmac, 'hex') as person, at from campaign_attempts
      where workspace_id = ${workspace} and phone_hmac = any(${hmacs}::bytea[])
        and at > ${clock.iso(now - look_back_ms)}
      order by at`,
  )
  const by_person = Map.groupBy(rows, ({ person }) => person)
  return new Map([...by_person].map(([person, attempts]) => [person, attempts.map(({ at }) => clock.parse(at))]))
}
