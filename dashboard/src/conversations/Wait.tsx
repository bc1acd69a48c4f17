import { useContext, useEffect, useReducer } from 'react'
import { formatMinutes, formatTime } from '../kit/format.ts'
import { NowContext } from '../kit/now.ts'
import styles from './conversations.module.css'

const tick_ms = 15_000
const long_ms = 5 * 60_000
const overdue_ms = 15 * 60_000

/** Shows how long someone has been waiting for a person, in colors and in words. */
export function Wait({ since }: { since: string }) {
  const now = useContext(NowContext)
  const [, tick] = useReducer((count: number) => count + 1, 0)
  useEffect(() => {
    const timer = setInterval(tick, tick_ms)
    return () => clearInterval(timer)
  }, [])
  const wait_ms = now() - Date.parse(since)
  const level = levelOf(wait_ms)
  return (
    <time className={styles.wait} data-level={level} dateTime={since} title={`Waiting since ${formatTime(since)}`}>
      {level_names[level]} {formatMinutes(wait_ms)}
    </time>
  )
}

const level_names = { short: 'Waiting', long: 'Long wait ·', overdue: 'Overdue ·' }

function levelOf(wait_ms: number): keyof typeof level_names {
  if (wait_ms >= overdue_ms) return 'overdue'
  return wait_ms >= long_ms ? 'long' : 'short'
}
