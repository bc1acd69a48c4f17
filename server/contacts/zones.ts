import prefixes_by_zones from './zone-prefixes.json' with { type: 'json' }

// The data is that of Google's libphonenumber (Apache License 2.0). bin/zone-prefixes.mjs writes it.
let zones_by_prefix: Map<string, string[]> | undefined
const prefix_length_max = 9

/** The time zones that a number in E.164 may be in, by its longest known prefix. Empty when none is known. */
export function zonesOfNumber(phone_number: string): string[] {
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

/** The zones in all of which a person must be reachable. */
export function zonesOf(known: {
  contact_time_zone: string | null
  phone_number: string
  campaign_time_zone: string | null
}): string[] {
  if (known.contact_time_zone !== null) return [known.contact_time_zone]
  const zones = zonesOfNumber(known.phone_number)
  if (zones.length > 0 || known.campaign_time_zone === null) return zones
  return [known.campaign_time_zone]
}
