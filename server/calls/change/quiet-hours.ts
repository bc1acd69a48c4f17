import * as contacts from '../../contacts/store.ts'
import { zonesOf } from '../../contacts/zones.ts'
import { findAsked } from '../../conversations/waiting.ts'
import { type At, inTransaction } from '../../kit/at.ts'
import * as clock from '../../kit/clock.ts'
import { nextInQuietHours } from '../../workspaces/quiet-hours.ts'
import * as workspaces from '../../workspaces/store.ts'
import { isUndialed, type Row, reschedule } from '../rows.ts'
import { announce } from '../store.ts'
import * as counts from './counts.ts'

type Shown = 'id' | 'status' | 'to' | 'contact_id' | 'conversation_id' | 'started_at'
type Claimed = Pick<Row, Shown | 'keeps_quiet_hours' | 'request' | 'line' | 'carrier_id' | 'is_dialing'>

interface Moved extends Claimed {
  /** When the call is to be dialled. */
  time: number
}

/**
 * Leaves out the calls that keep quiet hours and are outside of them now, by the settings and zones of now: they wait
 * until the hours begin. A call whose hours never begin is canceled, and so is one that the carrier had no time for
 * until the hours were over.
 */
export async function withoutQuiet<One extends Claimed>(at: At, rows: One[], token: string): Promise<One[]> {
  const keeping = rows.filter(
    (row) => row.keeps_quiet_hours && isUndialed(row) && row.request === null && row.to !== null,
  )
  if (keeping.length === 0) return rows
  const times = await nextTimes(at, keeping)
  const timeOf = ({ id, started_at }: One) => {
    const time = times.has(id) ? times.get(id) : at.now
    return started_at === null || time === at.now ? time : undefined
  }
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

/** While a contact is asked whether it wants no more calls, its calls wait, and are looked at again after this time. */
const asked_wait_ms = 60_000

/** Returns when each call may be dialled. Undefined for one that never may. */
async function nextTimes(at: At, rows: Claimed[]): Promise<Map<string, number | undefined>> {
  const contact_ids = rows.flatMap(({ contact_id }) => contact_id ?? [])
  const [known, { quiet_hours, time_zone: default_time_zone }, asked] = await Promise.all([
    contacts.getMany(at, contact_ids),
    workspaces.readSettings(at),
    findAsked(at, contact_ids),
  ])
  return new Map(
    rows.map(({ id, to, contact_id }) => {
      const contact_time_zone = known.get(contact_id ?? '')?.time_zone ?? null
      const zones = zonesOf({ contact_time_zone, phone_number: to ?? '', default_time_zone })
      return [id, nextInQuietHours(quiet_hours, zones, at.now + (asked.has(contact_id ?? '') ? asked_wait_ms : 0))]
    }),
  )
}

/**
 * Schedules calls for when their hours begin. A call that was let in before a process was killed leaves its room to
 * others.
 */
const postpone = (at: At, { moved, token }: { moved: Moved[]; token: string }): Promise<void> =>
  inTransaction(at, async (at) => {
    if (moved.length === 0) return
    const rows = moved.map(({ id, status, time }) => ({ id, before: status, time: clock.iso(time) }))
    const written = await reschedule(at, rows, token)
    await counts.count(
      at,
      written.map(({ before }) => ({ from: before, to: 'scheduled' })),
    )
    for (const call of moved) announce(at, call, false)
  })
