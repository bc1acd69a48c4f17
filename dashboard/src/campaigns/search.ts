import { type Outcome, outcomes } from '../calls/call.ts'
import { type EnrollmentStatus, enrollment_statuses } from './campaign.ts'

/** The URL's query parameters on a campaign’s page of contacts. */
export interface CampaignSearch {
  /** Restricts the list to enrollments with this status. */
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

/** The URL's query parameters on a campaign's overview. */
export interface OverviewSearch {
  /** Restricts the list to calls with this outcome. */
  outcome?: Outcome
}

export function validateOverviewSearch(raw: Record<string, unknown>): OverviewSearch {
  const outcome = outcomes.find((one) => one === raw.outcome)
  return outcome ? { outcome } : {}
}
