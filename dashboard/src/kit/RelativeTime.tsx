import { formatRelativeTime, formatTime } from './format.ts'
import { useNow } from './now.ts'

/** "3 hours ago", with the full time on hover. */
export function RelativeTime({ time, never = 'Never' }: { time: string | null; never?: string }) {
  const now = useNow()
  if (!time) return never
  return (
    <time dateTime={time} title={formatTime(time)}>
      {formatRelativeTime(time, now)}
    </time>
  )
}
