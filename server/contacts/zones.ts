import { newHook } from '../kit/at.ts'
import { showSameTime } from '../kit/time-zone.ts'
import type { Contact } from './schema.ts'
import prefixes_by_zones from './zone-prefixes.json' with { type: 'json' }

// The data is that of Google's libphonenumber (Apache License 2.0). bin/zone-prefixes.mjs writes it.
let zones_by_prefix: Map<string, string[]> | undefined
const prefix_length_max = 9

/**
 * Returns the time zones that a number in E.164 may be in, by its longest known prefix. Returns none when none is
 * known.
 */
function zonesOfNumber(phone_number: string): string[] {
  zones_by_prefix ??= readPrefixes()
  for (let end = prefix_length_max + 1; end > 1; end -= 1) {
    const zones = zones_by_prefix.get(phone_number.slice(1, end))
    if (zones) return zones
  }
  return []
}

function readPrefixes(): Map<string, string[]> {
  return new Map(
    Object.entries(prefixes_by_zones).flatMap(([names, prefixes]) => {
      const zones = names.split(' ')
      return prefixes.split(' ').map((prefix) => [prefix, zones] as const)
    }),
  )
}

/**
 * Runs in the transaction that changes the time zones or numbers of contacts, for whom it is another time from now on.
 */
export const zones_changed = newHook<Pick<Contact, 'id'>[]>('contacts.zones_changed')

export const hasOtherZones = (before: Contact | undefined, after: Contact): boolean =>
  before?.time_zone !== after.time_zone || before.phone_number !== after.phone_number

/** Returns the zones in all of which a person must be reachable. */
export function zonesOf(known: {
  contact_time_zone: string | null
  phone_number: string
  default_time_zone: string | null
}): string[] {
  if (known.contact_time_zone !== null) return [known.contact_time_zone]
  const zones = zonesOfNumber(known.phone_number)
  if (zones.length > 0 || known.default_time_zone === null) return zones
  return [known.default_time_zone]
}

/**
 * Returns the zone in which agents talk to a contact about dates and times: its own, or the only one that its number
 * can be in, or that of the workspace. Zones whose clocks show the same, such as those of London and Jersey, count as
 * one.
 */
export function timeZoneOf(
  contact: Pick<Contact, 'time_zone' | 'phone_number'> | undefined,
  { now, workspace_time_zone }: { now: number; workspace_time_zone: string },
): string {
  if (!contact) return workspace_time_zone
  if (contact.time_zone !== null) return contact.time_zone
  const [zone, ...others] = zonesOfNumber(contact.phone_number)
  if (zone === undefined || !others.every((other) => showSameTime(zone, other, now))) return workspace_time_zone
  // The largest of the zones is the one that people know.
  return others.reduce((largest, other) => (ownPrefixes(other) > ownPrefixes(largest) ? other : largest), zone)
}

/** Counts the prefixes that are in this zone only. */
function ownPrefixes(zone: string): number {
  const by_zones: Record<string, string> = prefixes_by_zones
  return by_zones[zone]?.split(' ').length ?? 0
}
