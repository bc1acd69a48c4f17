import { openKeys } from '../consent/person.ts'
import * as contacts from '../contacts/store.ts'
import type { At, InWorkspace } from '../kit/at.ts'
import * as clock from '../kit/clock.ts'
import { isId, newId } from '../kit/id.ts'
import { type IsStopping, inBatches } from '../kit/postgres/in-batches.ts'
import { raw, sql } from '../kit/postgres/sql.ts'
import { notFound } from '../kit/problem.ts'
import { announce } from '../kit/work/rows.ts'
import { numbersOf } from './belongings.ts'
import type { Erasure } from './schema.ts'
import { table } from './work.ts'

export const kept_ms = 365 * clock.day_ms
const delete_batch_rows = 2_000

const columns = raw(`id, contact_id, status, jsonb_build_object('conversations', conversations, 'calls', calls,
  'messages', messages, 'events', events, 'files', files) as counts, created_at, ended_at`)

export interface BegunErasure extends Erasure {
  is_new: boolean
}

/**
 * Erases the person whom the contact stands for, in the background. While that goes on, another call returns the same
 * erasure.
 */
export async function begin(at: At, contact_id: string): Promise<BegunErasure> {
  const found = await contacts.lock(at, isId(contact_id) ? [contact_id] : [])
  const contact = found.get(contact_id)
  if (!contact) throw notFound()
  const running = await findRunning(at, contact_id)
  if (running) return { ...running, is_new: false }
  const numbers = await numbersOf(at, contact)
  const id = newId()
  const keys = numbers.map(await openKeys(at))
  await queue(at, { id, contact_id, numbers, keys, created_at: clock.iso(clock.wall()) })
  return { ...(await get(at, id)), is_new: true }
}

interface QueuedErasure {
  id: string
  contact_id: string
  numbers: string[]
  keys: Buffer[]
  created_at: string
}

export async function queue(at: At, { id, contact_id, numbers, keys, created_at }: QueuedErasure): Promise<void> {
  const { db, workspace, now } = at
  await db.run(
    sql`insert into erasures (workspace_id, id, contact_id, phone_numbers, phone_hmacs, created_at, due_at)
      values (${workspace}, ${id}, ${contact_id}, ${numbers}, ${keys}::bytea[], ${created_at}, ${clock.iso(now)})`,
  )
  announce(at, { table })
}

/** Returns how many erasures go on, and how far they are. */
export const readProgress = ({ db, workspace }: InWorkspace): Promise<{ running: number; progress: string }> =>
  db.one(
    sql`select count(*) as running, coalesce(string_agg(concat_ws(' ', id, step, position, conversations, calls, files), ' ' order by id), '') as progress
      from erasures where workspace_id = ${workspace} and status <> 'done'`,
  )

const findRunning = ({ db, workspace }: InWorkspace, contact_id: string): Promise<Erasure | undefined> =>
  db.maybe<Erasure>(
    sql`select ${columns} from erasures where workspace_id = ${workspace} and contact_id = ${contact_id} and status <> 'done'`,
  )

export async function get({ db, workspace }: InWorkspace, id: string): Promise<Erasure> {
  const found = isId(id)
    ? await db.maybe<Erasure>(sql`select ${columns} from erasures where workspace_id = ${workspace} and id = ${id}`)
    : undefined
  if (!found) throw notFound()
  return found
}

/** Removes old erasures, by wall time. */
export async function removeOld({ db, workspace, now }: At, isStopping?: IsStopping): Promise<void> {
  const removeBatch = () =>
    db.run(
      sql`delete from erasures where workspace_id = ${workspace} and id = any(array(
        select id from erasures where workspace_id = ${workspace} and status = 'done' and created_at < ${clock.iso(now - kept_ms)}
        order by created_at limit ${raw(String(delete_batch_rows))}))`,
    )
  await inBatches(delete_batch_rows, removeBatch, isStopping)
}
