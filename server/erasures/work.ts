import { type Person, personOf } from '../consent/person.ts'
import * as contacts from '../contacts/store.ts'
import type { UploadPosition } from '../imports/of-person.ts'
import { type At, atLater, inTransaction } from '../kit/at.ts'
import * as clock from '../kit/clock.ts'
import { sql } from '../kit/postgres/sql.ts'
import { assertHeld, isHeld, type Lease, type RowWork } from '../kit/work/rows.ts'
import { end, eraseFromUploads, eraseRest, hasNoTalks, nothing, redactSome } from './belongings.ts'
import type { Counts } from './schema.ts'

/** The table, and the kind of due work. */
export const table = 'erasures'

/** How long to wait for calls to end and files to go. */
const wait_ms = 1_000

type Step = 'ends' | 'talks' | 'uploads' | 'rest'

interface StoredErasure {
  contact_id: string
  step: Step
  position: UploadPosition | null
  phone_numbers: string[] | null
  phone_hmacs: Buffer[]
}

/** The result of a batch. Without a step, the erasure is done. */
interface Outcome {
  step?: Step
  position?: UploadPosition
  counts?: Counts
  /** Whether something else has to happen first. */
  waits?: boolean
}

/**
 * The work of erasures. Each batch is one transaction, which also writes how far it is: a process that continues after
 * a kill repeats nothing and leaves nothing out. It never gives up. The contact goes last, so that everything is found
 * by it until then.
 */
export const work: RowWork = {
  table,
  begin: async (at, lease) => () => inTransaction(atLater(at), (at) => runBatch(at, lease)),
}

async function runBatch(at: At, lease: Lease): Promise<boolean> {
  const { db } = at
  const stored = await db.maybe<StoredErasure>(
    sql`select contact_id, step, position, phone_numbers, phone_hmacs from erasures where ${isHeld(lease)} and status <> 'done'`,
  )
  if (!stored) return false
  const { step = null, position = null, counts = nothing, waits = false } = await run(at, stored)
  const is_done = step === null
  const changed = await db.run(
    sql`update erasures set status = ${is_done ? 'done' : 'running'}, step = coalesce(${step}, step),
        position = ${position === null ? null : JSON.stringify(position)}::jsonb,
        phone_numbers = case when ${is_done}::boolean then null else phone_numbers end,
        ended_at = ${is_done ? clock.iso(clock.wall()) : null}::timestamptz,
        due_at = case when ${is_done}::boolean then null else due_at end,
        lease_token = case when ${waits}::boolean then null else lease_token end,
        lease_until = case when ${waits}::boolean then ${clock.iso(db.time() + wait_ms)}::timestamptz else lease_until end,
        attempt = 0, conversations = conversations + ${counts.conversations}, calls = calls + ${counts.calls},
        messages = messages + ${counts.messages}, events = events + ${counts.events}, files = files + ${counts.files}
      where ${isHeld(lease)}`,
  )
  assertHeld(changed)
  return !is_done && !waits
}

async function run(at: At, stored: StoredErasure): Promise<Outcome> {
  const person = await readPerson(at, stored)
  if (stored.step === 'ends') {
    const { is_all, ended } = await end(at, person)
    // Calls need seconds to end.
    return is_all ? { step: 'talks' } : { step: 'ends', waits: ended === 0 }
  }
  if (stored.step === 'talks') return runTalks(at, person)
  if (stored.step === 'uploads') {
    const position = await eraseFromUploads(at, person, stored.position ?? undefined)
    return position === undefined ? { step: 'rest' } : { step: 'uploads', position }
  }
  const counts = await eraseRest(at, person)
  return counts ? { counts } : { step: 'ends' }
}

async function runTalks(at: At, person: Person): Promise<Outcome> {
  const counts = await redactSome(at, person)
  if (counts) return { step: 'talks', counts }
  const { is_all, on_line } = await end(at, person)
  if (is_all && on_line === 0 && (await hasNoTalks(at, person))) return { step: 'uploads' }
  return { step: 'talks', waits: true }
}

async function readPerson(at: At, { contact_id, phone_numbers, phone_hmacs }: StoredErasure): Promise<Person> {
  const contact = (await contacts.getMany(at, [contact_id])).get(contact_id)
  return personOf(at, {
    contact_id,
    contact,
    numbers: [...new Set([...(phone_numbers ?? []), ...(contact ? [contact.phone_number] : [])])],
    keys: phone_hmacs,
  })
}
