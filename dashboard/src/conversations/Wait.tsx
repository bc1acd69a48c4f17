import { useContext, useEffect, useReducer } from 'react'
import { formatTime } from '../kit/format.ts'
import { NowContext } from '../kit/now.ts'
import styles from './conversations.module.css'

const tick_ms = 15_000
const minute_ms = 60_000
const long_minutes = 5
const overdue_minutes = 15

/** How long someone has been waiting for a person, in colors and in words. */
export function Wait({ since }: { since: string }) {
  const now = useContext(NowContext)
  const [, tick] = useReducer((count: number) => count + 1, 0)
  useEffect(() => {
    const timer = setInterval(tick, tick_ms)
    return () => clearInterval(timer)
  }, [])
  const minutes = Math.max(0, Math.floor((now() - Date.parse(since)) / minute_ms))
  const level = levelOf(minutes)
  return (
    <time className={styles.wait} data-level={level} dateTime={since} title={`Waiting since ${formatTime(since)}`}>
      {level_names[level]} {formatMinutes(minutes)}
    </time>
  )
}

const level_names = { short: 'Waiting', long: 'Long wait ·', overdue: 'Overdue ·' }

function levelOf(minutes: number): keyof typeof level_names {
  if (minutes >= overdue_minutes) return 'overdue'
  return minutes >= long_minutes ? 'long' : 'short'
}

function formatMinutes(minutes: number): string {
  if (minutes < 60) return `${minutes} min`
  const hours = Math.floor(minutes / 60)
  return hours < 24 ? `${hours} h ${minutes % 60} min` : `${Math.floor(hours / 24)} d ${hours % 24} h`
}
