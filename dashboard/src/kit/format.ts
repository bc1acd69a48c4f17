const units: [Intl.RelativeTimeFormatUnit, number][] = [
  ['year', 31_536_000],
  ['month', 2_592_000],
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
]
const relative = new Intl.RelativeTimeFormat('en', { numeric: 'auto' })
const absolute = new Intl.DateTimeFormat('en', { dateStyle: 'medium', timeStyle: 'short' })
const time_only = new Intl.DateTimeFormat('en', { timeStyle: 'short' })
const date_only = new Intl.DateTimeFormat('en', { dateStyle: 'medium' })
const with_seconds = new Intl.DateTimeFormat('en', { dateStyle: 'medium', timeStyle: 'medium' })
const time_zone = new Intl.DateTimeFormat('en', { timeZoneName: 'short' })
const numbers = new Intl.NumberFormat('en')
const prices = new Intl.NumberFormat('en', { minimumFractionDigits: 2, maximumFractionDigits: 6 })

/** "3 hours ago", "in 2 days". */
export function formatRelativeTime(time: string, now: number): string {
  const seconds = (Date.parse(time) - now) / 1000
  const unit = units.find(([, length]) => Math.abs(seconds) >= length)
  if (!unit) return seconds > 0 ? 'in a moment' : 'just now'
  return relative.format(Math.round(seconds / unit[1]), unit[0])
}

export const formatTime = (time: string): string => absolute.format(new Date(time))

/** "6:06 PM". */
export const formatTimeOfDay = (time: string): string => time_only.format(new Date(time))

/** "Mar 6, 2031". */
export const formatDate = (time: string): string => date_only.format(new Date(time))

/** "Mar 6, 2031, 7:00:03 PM", or without the seconds if they are 0. */
export function formatExactTime(time: string): string {
  const date = new Date(time)
  return (date.getSeconds() === 0 ? absolute : with_seconds).format(date)
}

/** Names the time zone: "UTC", "GMT+2". The name depends on the time, because of daylight saving time. */
export const formatTimeZone = (time: string): string =>
  time_zone.formatToParts(new Date(time)).find(({ type }) => type === 'timeZoneName')?.value ?? ''

export const formatNumber = (number: number): string => numbers.format(number)

/** Formats millionths of a currency: 12,500 is "0.0125". */
export const formatMicros = (micros: number): string => prices.format(micros / 1_000_000)

/** "1 contact", "1,234 contacts". */
export const formatCount = (number: number, noun: string): string =>
  `${formatNumber(number)} ${noun}${number === 1 ? '' : 's'}`

/** "327 MB", "1.2 GB". */
export function formatBytes(bytes: number): string {
  const megabytes = bytes / 1_000_000
  return megabytes < 1_000 ? `${Math.max(1, Math.round(megabytes))} MB` : `${(megabytes / 1_000).toFixed(1)} GB`
}

/** Indents the text if it is JSON. */
export function formatJson(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2)
  } catch {
    return text
  }
}

/** "25 min", "3 h 5 min", "2 d 4 h". */
export function formatMinutes(time_ms: number): string {
  const minutes = Math.max(0, Math.floor(time_ms / 60_000))
  const hours = Math.floor(minutes / 60)
  if (hours === 0) return `${minutes} min`
  return hours < 24 ? `${hours} h ${minutes % 60} min` : `${Math.floor(hours / 24)} d ${hours % 24} h`
}

/** "0:07", "12:30", "1:02:03". */
export function formatDuration(duration_ms: number): string {
  const seconds = Math.max(0, Math.floor(duration_ms / 1000))
  const two = (number: number) => String(number).padStart(2, '0')
  const hours = Math.floor(seconds / 3600)
  const minutes = Math.floor(seconds / 60) % 60
  return hours > 0 ? `${hours}:${two(minutes)}:${two(seconds % 60)}` : `${minutes}:${two(seconds % 60)}`
}
