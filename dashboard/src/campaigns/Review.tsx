import { Button } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { useQuery } from '@tanstack/react-query'
import type { Forecast } from '../../../server/campaigns/forecast-schema.ts'
import type { Campaign } from '../../../server/campaigns/schema.ts'
import { useApi } from '../kit/api.ts'
import { errorMessage } from '../kit/error-messages.ts'
import { formatCount } from '../kit/format.ts'
import { PeopleIcon } from '../kit/icons.tsx'
import { Card } from '../kit/Page.tsx'
import { ParleyError } from '../kit/request.ts'
import { useCanEdit } from '../kit/session.ts'
import { EmptyState, ErrorAlert, LoadingSkeleton } from '../kit/states.tsx'
import styles from './campaigns.module.css'
import { ForecastView } from './ForecastView.tsx'
import { Steps, steps } from './Steps.tsx'

/** Contacts may still be added in the background. A forecast is made when the counts have stayed the same for so long. */
const settled_ms = 3_000
/** Another forecast of the workspace may be running. */
const busy_tries_max = 10
const busy_retry_ms = 2_000

/** The last step of the wizard: what a draft would do. */
export function Review({ campaign }: { campaign: Campaign }) {
  const can_edit = useCanEdit()
  const { enrolled } = campaign.counts
  return (
    <>
      {can_edit && <Steps current={steps.length - 1} />}
      <Card title="Forecast" aside={<span className={styles.hint}>{formatCount(enrolled, 'contact')}</span>}>
        {enrolled === 0 ? (
          <EmptyState icon={<PeopleIcon size={24} />} title="No contacts yet">
            {can_edit && 'Add contacts under More to see a forecast and to start.'}
          </EmptyState>
        ) : can_edit ? (
          <LoadedForecast campaign={campaign} />
        ) : (
          'This campaign has not been started.'
        )}
      </Card>
    </>
  )
}

function LoadedForecast({ campaign }: { campaign: Campaign }) {
  const api = useApi()
  const { id, updated_at, counts } = campaign
  const [settled] = useDebouncedValue(JSON.stringify(counts), settled_ms)
  const { data, error, refetch, isFetching } = useQuery({
    queryKey: [api.workspace, 'forecasts', id, updated_at, settled],
    queryFn: () => api.send<Forecast>('POST', `/campaigns/${id}/forecast`, {}),
    staleTime: Number.POSITIVE_INFINITY,
    retry: (failures, problem) =>
      failures < busy_tries_max && problem instanceof ParleyError && problem.details.reason === 'forecast_in_progress',
    retryDelay: busy_retry_ms,
    placeholderData: (known) => known,
  })
  if (data) return <ForecastView campaign={campaign} forecast={data} />
  if (isFetching || !error) return <LoadingSkeleton lines={5} />
  return (
    <>
      <ErrorAlert>{errorMessage(error)}</ErrorAlert>
      <Button mt="md" variant="default" onClick={() => void refetch()}>
        Try again
      </Button>
    </>
  )
}
