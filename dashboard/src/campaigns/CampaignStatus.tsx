import type { Campaign, Enrollment } from '../../../server/campaigns/schema.ts'
import { enrollment_status_names, status_names } from './campaign.ts'
import styles from './campaigns.module.css'

export const CampaignStatus = ({ status }: Pick<Campaign, 'status'>) => (
  <span className={styles.status} data-status={status}>
    {status_names[status]}
  </span>
)

export const EnrollmentStatus = ({ status }: Pick<Enrollment, 'status'>) => (
  <span className={styles.status} data-status={status}>
    {enrollment_status_names[status]}
  </span>
)
