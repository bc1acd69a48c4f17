const minute_ms = 60_000

/** Not every browser lists UTC. */
export const time_zones = ['UTC', ...Intl.supportedValuesOf('timeZone').filter((name) => name !== 'UTC')]

/** The time zone of time fields. */
export const browser_zone = Intl.DateTimeFormat().resolvedOptions().timeZone

/** As a field of the type `datetime-local` writes it: without seconds, in the browser's time zone. */
export function toFieldTime(time: string): string {
  const date = new Date(time)
  return new Date(date.getTime() - date.getTimezoneOffset() * minute_ms).toISOString().slice(0, 16)
}

/** Sends text that is not a time unchanged; the server rejects it. */
export function fromFieldTime(text: string): string {
  const time = new Date(text)
  return Number.isNaN(time.getTime()) ? text : time.toISOString()
}
