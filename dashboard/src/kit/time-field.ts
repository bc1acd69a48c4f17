const minute_ms = 60_000

/** UTC is added, because not every browser lists it. */
export const time_zones = ['UTC', ...Intl.supportedValuesOf('timeZone').filter((name) => name !== 'UTC')]

/** The time zone of time fields. */
export const browser_zone = Intl.DateTimeFormat().resolvedOptions().timeZone

/** Writes a time for a field of the type `datetime-local`: without seconds, in the browser's time zone. */
export function toFieldTime(time: string): string {
  const date = new Date(time)
  return new Date(date.getTime() - date.getTimezoneOffset() * minute_ms).toISOString().slice(0, 16)
}

/** Reads a time from a field. Text that is not a time is sent unchanged; the server rejects it. */
export function fromFieldTime(text: string): string {
  const time = new Date(text)
  return Number.isNaN(time.getTime()) ? text : time.toISOString()
}
