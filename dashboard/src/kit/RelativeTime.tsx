import { formatRelativeTime, formatTime, formatTimeZone } from './format.ts'
import { useNow } from './now.ts'

/** "3 hours ago", with the full time and its zone on hover. */
export function RelativeTime({ time, never = 'Never' }: { time: string | null; never?: string }) {
  const now = useNow()
  if (!time) return never
  return (
    <time dateTime={time} title={`${formatTime(time)} ${formatTimeZone(time)}`}>
      {formatRelativeTime(time, now)}
    </time>
  )
}
