import { DateTime } from 'luxon'

/**
 * Finds dials that a campaign must not make. It shares no code with the dialer, and computes with another library, so that both
 * are not wrong in the same way.
 */

export interface Dial {
  to: string
  /** Milliseconds. */
  at: number
  campaign_id: string
}

interface Hours {
  start: string
  end: string
}

export interface CheckedCampaign {
  kind: 'voice' | 'sms'
  windows: (Hours & { days: string[] })[]
  holidays: string[]
  caps: { per_day: number; per_week: number; gap_hours_min: number }
  consent: 'required' | 'not_opted_out'
}

export interface CheckedPerson {
  /** Every zone that the number may be in. */
  zones: string[]
  consents: { kind: 'voice' | 'sms' | 'all'; status: 'granted' | 'revoked'; at: number }[]
}

export interface DialCheck {
  dials: Dial[]
  /** By id. */
  campaigns: Map<string, CheckedCampaign>
  /** By phone number. */
  people: Map<string, CheckedPerson>
  /** When people may be reached. */
  quiet_hours: Hours
  /** How long after a decision a number may be dialled. 0 in a test workspace. */
  late_ms?: number
}

export interface Violation {
  rule: 'unknown' | 'window' | 'holiday' | 'quiet_hours' | 'per_day' | 'per_week' | 'gap' | 'consent'
  dial: Dial
  because: string
}

const days = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun']
const every_day = { days }
const hour_ms = 3_600_000
const day_ms = 24 * hour_ms
/** No change of clocks leaves out more than this. */
const gap_max_minutes = 180

export function findViolations(check: DialCheck): Violation[] {
  const by_person = Map.groupBy(check.dials, ({ to }) => to)
  return [...by_person.values()].flatMap((dials) => {
    const sorted = dials.toSorted((left, right) => left.at - right.at)
    return sorted.flatMap((dial, index) => violationsOf(check, dial, sorted.slice(0, index)))
  })
}

function violationsOf(check: DialCheck, dial: Dial, earlier: Dial[]): Violation[] {
  const campaign = check.campaigns.get(dial.campaign_id)
  const person = check.people.get(dial.to)
  const found: Violation[] = []
  const add = (rule: Violation['rule'], because: string) => found.push({ rule, dial, because })
  if (!campaign || !person) return [{ rule: 'unknown', dial, because: 'nobody has asked for this dial' }]
  const late_ms = check.late_ms ?? 0
  const isOpen = (zone: string, windows: CheckedCampaign['windows']) =>
    [dial.at, dial.at - late_ms].some((at) => windows.some((window) => isInWindow(at, zone, window)))
  if (person.zones.length === 0) add('window', 'no zone is known')
  for (const zone of person.zones) {
    const local = DateTime.fromMillis(dial.at, { zone })
    const here = `it is ${local.toFormat('ccc yyyy-MM-dd HH:mm:ss')} in ${zone}`
    if (!isOpen(zone, campaign.windows)) add('window', here)
    if (!isOpen(zone, [{ ...every_day, ...check.quiet_hours }])) add('quiet_hours', here)
    if (campaign.holidays.includes(local.toISODate() ?? '')) add('holiday', here)
    const onLastDays = (count: number) =>
      earlier.filter(({ at }) => dayNumber(local) - dayNumber(DateTime.fromMillis(at, { zone })) < count).length + 1
    const [on_day, in_week] = [onLastDays(1), onLastDays(7)]
    if (on_day > campaign.caps.per_day) add('per_day', `${here}: dial ${on_day} on this day`)
    if (in_week > campaign.caps.per_week) add('per_week', `${here}: dial ${in_week} in seven days`)
  }
  // Decisions are apart by the gap, and the earlier dial may be late.
  const gap_ms = campaign.caps.gap_hours_min * hour_ms - late_ms
  if (earlier.some(({ at }) => dial.at - at < gap_ms)) add('gap', 'the last dial was too short ago')
  const consents = consentsOf(campaign, person, { from: dial.at - late_ms, to: dial.at })
  const isAllowed = (status: Consent) =>
    status === 'granted' || (status === undefined && campaign.consent !== 'required')
  if (!consents.some(isAllowed))
    add('consent', consents.includes('revoked') ? 'the person has opted out' : 'the person has not agreed')
  return found
}

/** Days don't all begin at midnight, so only dates are compared. */
const dayNumber = ({ year, month, day }: DateTime): number => Date.UTC(year, month - 1, day) / day_ms

type Consent = CheckedPerson['consents'][number]['status'] | undefined

/** Finds what the person has said at some time in this range: the decision was made then. */
function consentsOf(
  { kind }: CheckedCampaign,
  { consents }: CheckedPerson,
  { from, to }: { from: number; to: number },
): Consent[] {
  const of_kind = consents.filter((one) => (one.kind === 'all' || one.kind === kind) && one.at <= to)
  const sorted = of_kind.toSorted((left, right) => left.at - right.at)
  const before = sorted.findLast(({ at }) => at <= from)
  return [before?.status, ...sorted.filter(({ at }) => at > from).map(({ status }) => status)]
}

/** A window belongs to the day of its start, so that of the day before may be open too. */
function isInWindow(at: number, zone: string, { days: open_days, start, end }: Hours & { days: string[] }): boolean {
  const today = DateTime.fromMillis(at, { zone }).startOf('day')
  return [today, today.minus({ days: 1 })].some((day) => {
    const is_next_day = end <= start
    const starts_at = instantOf(day, start, 'later')
    const ends_at = instantOf(is_next_day ? day.plus({ days: 1 }) : day, end, 'earlier')
    return open_days.includes(days[day.weekday - 1] ?? '') && starts_at <= at && at < ends_at
  })
}

/**
 * Finds when the clocks show a time. A time that they skip is the first one after it. For a time that they show twice,
 * the stricter one counts.
 */
function instantOf(day: DateTime, time: string, which: 'earlier' | 'later'): number {
  const [hour = 0, minute = 0] = time.split(':').map(Number)
  for (let skipped = 0; skipped <= gap_max_minutes; skipped += 1) {
    const wanted = DateTime.utc(day.year, day.month, day.day, 0, 0).plus({ hours: hour, minutes: minute + skipped })
    const { year, month, day: date, hour: wanted_hour, minute: wanted_minute } = wanted
    const found = DateTime.fromObject(
      { year, month, day: date, hour: wanted_hour, minute: wanted_minute },
      { zone: day.zoneName ?? 'utc' },
    )
    if (found.hour !== wanted_hour || found.minute !== wanted_minute) continue
    const instants = found.getPossibleOffsets().map((one) => one.toMillis())
    return which === 'earlier' ? Math.min(...instants) : Math.max(...instants)
  }
  throw new Error(`${time} is on no clock on ${day.toISODate()} in ${day.zoneName}`)
}
