import type { Campaign, Enrollment } from '../../../server/campaigns/schema.ts'
import { Status, type Tone } from '../kit/Status.tsx'
import { enrollment_status_names, status_names } from './campaign.ts'

const tones: Partial<Record<Campaign['status'], Tone>> = {
  running: 'success',
  scheduled: 'warning',
  paused: 'warning',
}

const enrollment_tones: Partial<Record<Enrollment['status'], Tone>> = {
  completed: 'success',
  dialing: 'live',
  in_progress: 'live',
  waiting: 'warning',
  failed: 'danger',
}

export const CampaignStatus = ({ status }: Pick<Campaign, 'status'>) => (
  <Status tone={tones[status] ?? 'neutral'}>{status_names[status]}</Status>
)

export const EnrollmentStatus = ({ status }: Pick<Enrollment, 'status'>) => (
  <Status tone={enrollment_tones[status] ?? 'neutral'}>{enrollment_status_names[status]}</Status>
)
