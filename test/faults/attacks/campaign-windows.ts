import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import { scopes } from '../../../server/api.ts'
import { newTenant, withEmbeddedPool } from '../service.ts'
import type { Attack, AttackWorld } from './attack.ts'
import { newCaller, type Send, senderFor } from './campaign-requests.ts'

const every_day = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun']
const windows_max = 50
const poll_every_ms = 100
/** Long enough for any machine. */
const timeout_ms = 120_000

/**
 * People in all time zones are enrolled in campaigns whose many small windows are never open: outside of quiet hours, or in no
 * common hour of zones that are far apart. The dialer looks for the next opening of each.
 */
export const attack: Attack = {
  name: 'many small windows and time zones',
  async run({ stack, url, data_dir, is_long }: AttackWorld) {
    // Other attacks have added contacts with these numbers to the attacker's own workspace.
    const tenant = await withEmbeddedPool(data_dir, (pool) => newTenant(pool, scopes))
    const send = senderFor(stack, url, tenant)
    const zones = is_long ? Intl.supportedValuesOf('timeZone') : ['Europe/Berlin', 'Asia/Kathmandu', 'America/New_York']
    const contact_ids = [...(await addPeople(send, zones)), ...(await addTollFree(send, is_long ? 20 : 1))]
    const night = smallWindows(0, 9)
    const all_day = smallWindows(8 * 60, 15).map((window, index) => ({ ...window, days: [every_day[index % 7]] }))
    const caller = await newCaller(send, data_dir, tenant)
    for (const windows of [night, all_day]) {
      const fields = { name: 'Small windows', windows, holidays: everySecondDay(366), ...caller }
      const { id } = await send('POST', '/campaigns', fields)
      await send('POST', `/campaigns/${id}/enrollments`, { contact_ids })
      await send('POST', `/campaigns/${id}/start`)
      await untilDecided(send, id)
      const [enrollment] = await send('GET', `/campaigns/${id}/enrollments?limit=1`)
      await send('GET', `/enrollments/${enrollment.id}/explain`)
    }
  },
}

/** A minute long, and so many minutes from one to the next. */
const smallWindows = (first: number, distance: number) =>
  Array.from({ length: windows_max }, (_, index) => {
    const minute = first + index * distance
    return { days: every_day, start: timeOfDay(minute), end: timeOfDay(minute + 1) }
  })

const timeOfDay = (minute: number): string =>
  [Math.floor(minute / 60), minute % 60].map((part) => String(part).padStart(2, '0')).join(':')

const everySecondDay = (count: number): string[] =>
  Array.from({ length: count }, (_, index) => new Date(Date.now() + 2 * index * 86_400_000).toISOString().slice(0, 10))

async function addPeople(send: Send, zones: string[]): Promise<string[]> {
  const ids: string[] = []
  for (const [index, time_zone] of zones.entries())
    ids.push((await send('POST', '/contacts', { phone_number: `+1415${5_550_000 + index}`, time_zone })).id)
  return ids
}

/** These may be in 42 time zones. */
async function addTollFree(send: Send, count: number): Promise<string[]> {
  const ids: string[] = []
  for (let index = 0; index < count; index += 1)
    ids.push((await send('POST', '/contacts', { phone_number: `+1800${5_550_000 + index}` })).id)
  return ids
}

/** Nobody can be reached at this hour, so each is skipped, or waits for a later time. */
async function untilDecided(send: Send, id: string): Promise<void> {
  const begun_at = performance.now()
  for (;;) {
    const { by_status } = await send('GET', `/campaigns/${id}/progress`)
    const [pending] = await send('GET', `/campaigns/${id}/enrollments?status=pending&limit=1`)
    if ((by_status.pending ?? 0) === 0 || (pending && pending.next_attempt_at !== null)) return
    assert.ok(performance.now() - begun_at < timeout_ms, `the campaign does not decide: ${JSON.stringify(by_status)}`)
    await sleep(poll_every_ms)
  }
}
