import { useDebouncedValue } from '@mantine/hooks'
import { useQuery } from '@tanstack/react-query'
import type { Forecast } from '../../../server/campaigns/forecast-schema.ts'
import type { Campaign } from '../../../server/campaigns/schema.ts'
import { useApi } from '../kit/api.ts'
import { useNow } from '../kit/now.ts'
import { ParleyError } from '../kit/request.ts'
import { useCanEdit } from '../kit/session.ts'
import { isFinal } from './campaign.ts'

/**
 * A forecast is made when the counts have stayed the same for this long, because contacts may still be added in the
 * background.
 */
const settled_ms = 3_000
/** Tries this often, because another forecast of the workspace may be running. */
const busy_tries_max = 10
const busy_retry_ms = 2_000
/** A forecast of a running campaign is shown for this long. */
const fresh_ms = 600_000

/**
 * Forecasts what a campaign would do from now on. It is the only source of the expected end: the rate of the last
 * minutes knows neither hours nor retries. Viewers may not run forecasts.
 */
export function useForecast(campaign: Campaign) {
  const api = useApi()
  const can_edit = useCanEdit()
  const slot = Math.floor(useNow() / fresh_ms)
  const { id, status, updated_at, counts } = campaign
  const is_draft = status === 'draft'
  const [settled] = useDebouncedValue(JSON.stringify(is_draft ? counts : counts.enrolled), settled_ms)
  return useQuery({
    queryKey: [api.workspace, 'forecasts', id, updated_at, settled, !is_draft && slot],
    queryFn: () => api.send<Forecast>('POST', `/campaigns/${id}/forecast`, {}),
    enabled: can_edit && counts.enrolled > 0 && !isFinal(campaign),
    staleTime: Number.POSITIVE_INFINITY,
    retry: (failures, problem) =>
      failures < busy_tries_max && problem instanceof ParleyError && problem.details.reason === 'forecast_in_progress',
    retryDelay: busy_retry_ms,
    placeholderData: (known) => known,
  })
}
