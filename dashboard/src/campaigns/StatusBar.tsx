import { formatNumber } from '../kit/format.ts'
import { enrollment_statuses } from './campaign.ts'
import styles from './status-bar.module.css'

interface StatusBarProps {
  total: number
  by_status: Record<string, number>
}

export const statuses_in_order = [
  ...enrollment_statuses.filter((status) => status === 'completed'),
  ...enrollment_statuses.filter((status) => status !== 'completed' && status !== 'pending'),
]
const open_statuses = ['pending', 'dialing', 'in_progress', 'waiting']

/** Counts the contacts that a campaign is done with. */
export const countDone = ({ total, by_status }: StatusBarProps): number =>
  total - open_statuses.reduce((sum, status) => sum + (by_status[status] ?? 0), 0)

/** Shows one bar with a part for each status. The part of pending contacts is left blank. */
export function StatusBar({ total, by_status }: StatusBarProps) {
  let before = 0
  return (
    <svg
      className={styles.statusBar}
      role="img"
      aria-label={`${formatNumber(countDone({ total, by_status }))} of ${formatNumber(total)} done`}
    >
      <rect className={styles.barGround} width="100%" height="100%" />
      {total > 0 &&
        statuses_in_order.map((status) => {
          const part = (100 * (by_status[status] ?? 0)) / total
          const x = before
          before += part
          return part > 0 && <rect key={status} data-status={status} x={`${x}%`} width={`${part}%`} height="100%" />
        })}
    </svg>
  )
}
