import { Link } from '@tanstack/react-router'
import type { Campaign } from '../../../server/campaigns/schema.ts'
import { useWorkspaceId } from '../kit/api.ts'
import { formatNumber } from '../kit/format.ts'
import { EnrollmentStatus } from './CampaignStatus.tsx'
import { enrollment_status_names } from './campaign.ts'
import campaigns from './campaigns.module.css'
import { statuses_in_order } from './StatusBar.tsx'
import styles from './status-bar.module.css'

interface StatusPartsProps {
  campaign: Campaign
  by_status: Record<string, number>
}

/** Shows the same bar and its numbers. Each part leads to the contacts with this status. */
export function StatusParts({ campaign: { id }, by_status }: StatusPartsProps) {
  const workspace = useWorkspaceId()
  const shown = [...statuses_in_order, 'pending' as const].filter((status) => (by_status[status] ?? 0) > 0)
  const linkTo = (status: (typeof shown)[number]) =>
    ({ to: '/w/$workspace/campaigns/$id/contacts', params: { workspace, id }, search: { status } }) as const
  return (
    <div className={campaigns.part}>
      <div className={styles.statusParts} aria-hidden="true">
        {shown.map((status) => (
          // The part is for the pointer only. The links below are for the keyboard.
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
      <ul className={campaigns.statusCounts} aria-label="Contacts by status">
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
