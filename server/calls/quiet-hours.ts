import * as contacts from '../contacts/store.ts'
import { zonesOf } from '../contacts/zones.ts'
import { laterUpdate } from '../conversations/store.ts'
import { type At, inTransaction } from '../kit/at.ts'
import * as clock from '../kit/clock.ts'
import { rowsFrom, sql } from '../kit/postgres/sql.ts'
import { nextInQuietHours } from '../workspaces/quiet-hours.ts'
import * as workspaces from '../workspaces/store.ts'
import * as counts from './counts.ts'
import type { Row } from './rows.ts'
import type { Call } from './schema.ts'
import { announce } from './store.ts'

type Shown = 'id' | 'status' | 'to' | 'contact_id' | 'conversation_id' | 'started_at'
type Claimed = Pick<Row, Shown | 'keeps_quiet_hours' | 'request'>

interface Moved extends Claimed {
  /** When it is to be dialled. */
  time: number
}

/**
 * Leaves out the calls that keep quiet hours and are outside of them now, by the settings and zones of now: they wait until the
 * hours begin. If these never do, the call is canceled.
 */
export async function withoutQuiet<One extends Claimed>(at: At, rows: One[], token: string): Promise<One[]> {
  const keeping = rows.filter(
    ({ keeps_quiet_hours, started_at, request, to }) =>
      keeps_quiet_hours && started_at === null && request === null && to !== null,
  )
  if (keeping.length === 0) return rows
  const times = await nextTimes(at, keeping)
  const timeOf = ({ id }: One) => (times.has(id) ? times.get(id) : at.now)
  await postpone(at, {
    moved: keeping.flatMap((row) => {
      const time = timeOf(row) ?? at.now
      return time > at.now ? [{ ...row, time }] : []
    }),
    token,
  })
  return rows.flatMap((row) => {
    const time = timeOf(row)
    if (time === undefined) return [{ ...row, request: 'cancel' as const }]
    return time > at.now ? [] : [row]
  })
}

/** When each may be dialled. Undefined for one that never may. */
async function nextTimes(at: At, rows: Claimed[]): Promise<Map<string, number | undefined>> {
  const contact_ids = rows.flatMap(({ contact_id }) => contact_id ?? [])
  const [known, { quiet_hours, time_zone: default_time_zone }] = await Promise.all([
    contacts.getMany(at, contact_ids),
    workspaces.readSettings(at),
  ])
  return new Map(
    rows.map(({ id, to, contact_id }) => {
      const contact_time_zone = known.get(contact_id ?? '')?.time_zone ?? null
      const zones = zonesOf({ contact_time_zone, phone_number: to ?? '', default_time_zone })
      return [id, nextInQuietHours(quiet_hours, zones, at.now)]
    }),
  )
}

/** One that had been let in before a process was killed leaves its room to others. */
const postpone = (at: At, { moved, token }: { moved: Moved[]; token: string }): Promise<void> =>
  inTransaction(at, async (at) => {
    if (moved.length === 0) return
    const { db, workspace, now } = at
    const rows = moved.map(({ id, status, time }) => ({ id, before: status, time: clock.iso(time) }))
    const written = await db.many<{ before: Call['status'] }>(
      sql`update calls set status = 'scheduled', scheduled_at = row.time, due_at = row.time, lease_token = null,
          lease_until = null, claims = 0, updated_at = ${laterUpdate(now)}
        from ${rowsFrom(rows, 'id uuid, before text, time timestamptz')}
        where calls.workspace_id = ${workspace} and calls.id = row.id and calls.status = row.before
          and lease_token = ${token} and request is null
        returning row.before`,
    )
    await counts.count(
      at,
      written.map(({ before }) => ({ from: before, to: 'scheduled' })),
    )
    for (const call of moved) announce(at, call, false)
  })
