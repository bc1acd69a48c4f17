import { type EnrollmentStatus, enrollment_statuses } from './campaign.ts'

/** The URL's query parameters on the page of a campaign. */
export interface CampaignSearch {
  /** Only enrollments with this status. */
  status?: EnrollmentStatus
  /** The enrollment in the drawer. */
  enrollment?: string
}

export function validateCampaignSearch(raw: Record<string, unknown>): CampaignSearch {
  const status = enrollment_statuses.find((one) => one === raw.status)
  return {
    ...(status && { status }),
    ...(typeof raw.enrollment === 'string' && raw.enrollment !== '' && { enrollment: raw.enrollment }),
  }
}
