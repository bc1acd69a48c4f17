/** Names seen before. There are about 600. */
const names = new Set<string>()

/** Whether this is a name in the IANA database, in its exact spelling. An offset such as `+01:00` is not a name. */
export function isTimeZone(name: string): boolean {
  if (names.has(name)) return true
  if (!/^[A-Z]/.test(name) || !hasSpelling(name)) return false
  names.add(name)
  return true
}

function hasSpelling(name: string): boolean {
  try {
    return new Temporal.ZonedDateTime(0n, name).timeZoneId === name
  } catch {
    return false
  }
}
