import { useContext, useEffect, useReducer } from 'react'
import styles from '../conversations/conversations.module.css'
import { formatDuration } from '../kit/format.ts'
import { NowContext } from '../kit/now.ts'

const tick_ms = 1_000

/** Shows how long a call has lasted. In a test workspace it follows the clock. */
export function RunningTime({ since }: { since: string }) {
  const now = useContext(NowContext)
  const [, tick] = useReducer((count: number) => count + 1, 0)
  useEffect(() => {
    const timer = setInterval(tick, tick_ms)
    return () => clearInterval(timer)
  }, [])
  return (
    <span role="timer" className={styles.when}>
      {formatDuration(now() - Date.parse(since))}
    </span>
  )
}
