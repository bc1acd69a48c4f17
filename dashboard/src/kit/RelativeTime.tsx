const steps: [Intl.RelativeTimeFormatUnit, number][] = [
  ['year', 31_536_000],
  ['month', 2_592_000],
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
]
const relative = new Intl.RelativeTimeFormat('en', { numeric: 'auto' })
const absolute = new Intl.DateTimeFormat('en', { dateStyle: 'medium', timeStyle: 'short' })

/** "3 hours ago", with the exact time for who points at it. */
export function Ago({ time, never = 'Never' }: { time: string | null; never?: string }) {
  if (!time) return never
  return (
    <time dateTime={time} title={absolute.format(new Date(time))}>
      {sayRelative(time)}
    </time>
  )
}

export function sayRelative(time: string): string {
  const seconds = (Date.parse(time) - Date.now()) / 1000
  const step = steps.find(([, length]) => Math.abs(seconds) >= length)
  if (!step) return seconds > 0 ? 'in a moment' : 'just now'
  return relative.format(Math.round(seconds / step[1]), step[0])
}

export const sayTime = (time: string): string => absolute.format(new Date(time))

const numbers = new Intl.NumberFormat('en')
export const sayNumber = (number: number): string => numbers.format(number)

export const sayCount = (number: number, noun: string): string =>
  `${sayNumber(number)} ${noun}${number === 1 ? '' : 's'}`
