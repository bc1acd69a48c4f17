import type { Campaign, Enrollment } from '../../../server/campaigns/schema.ts'
import { Status, type Tone } from '../kit/Status.tsx'
import { enrollment_status_names, status_names } from './campaign.ts'

const tones: Partial<Record<Campaign['status'] | Enrollment['status'], Tone>> = {
  running: 'success',
  completed: 'success',
  dialing: 'live',
  in_progress: 'live',
  scheduled: 'warning',
  paused: 'warning',
  waiting: 'warning',
  failed: 'danger',
}

export const CampaignStatus = ({ status }: Pick<Campaign, 'status'>) => (
  <Status tone={tones[status] ?? 'neutral'}>{status_names[status]}</Status>
)

export const EnrollmentStatus = ({ status }: Pick<Enrollment, 'status'>) => (
  <Status tone={tones[status] ?? 'neutral'}>{enrollment_status_names[status]}</Status>
)
