import { Link } from '@tanstack/react-router'
import type { Campaign } from '../../../server/campaigns/schema.ts'
import { useWorkspaceId } from '../kit/api.ts'
import { formatNumber } from '../kit/format.ts'
import { EnrollmentStatus } from './CampaignStatus.tsx'
import { enrollment_status_names, enrollment_statuses } from './campaign.ts'
import styles from './campaigns.module.css'

interface StatusBarProps {
  total: number
  by_status: Record<string, number>
}

const statuses_in_order = [
  ...enrollment_statuses.filter((status) => status === 'completed'),
  ...enrollment_statuses.filter((status) => status !== 'completed' && status !== 'pending'),
]
const open_statuses = ['pending', 'dialing', 'in_progress', 'waiting']

/** How many contacts a campaign is done with. */
export const countDone = ({ total, by_status }: StatusBarProps): number =>
  total - open_statuses.reduce((sum, status) => sum + (by_status[status] ?? 0), 0)

/** One bar with a part for each status. What is pending is left blank. */
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

interface StatusPartsProps {
  campaign: Campaign
  by_status: Record<string, number>
}

/** The same bar and its numbers. Each part leads to the contacts with this status. */
export function StatusParts({ campaign: { id }, by_status }: StatusPartsProps) {
  const workspace = useWorkspaceId()
  const shown = [...statuses_in_order, 'pending' as const].filter((status) => (by_status[status] ?? 0) > 0)
  const linkTo = (status: (typeof shown)[number]) =>
    ({ to: '/w/$workspace/campaigns/$id/contacts', params: { workspace, id }, search: { status } }) as const
  return (
    <div className={styles.part}>
      <div className={styles.statusParts} aria-hidden="true">
        {shown.map((status) => (
          // The links below are for the keyboard.
          <Link
            key={status}
            {...linkTo(status)}
            tabIndex={-1}
            data-status={status}
            title={`${enrollment_status_names[status]}: ${formatNumber(by_status[status] ?? 0)}`}
            style={{ flexGrow: by_status[status] }}
          />
        ))}
      </div>
      <ul className={styles.statusCounts} aria-label="Contacts by status">
        {shown.map((status) => (
          <li key={status}>
            <Link {...linkTo(status)}>
              <EnrollmentStatus status={status} />
              <strong>{formatNumber(by_status[status] ?? 0)}</strong>
            </Link>
          </li>
        ))}
      </ul>
    </div>
  )
}
