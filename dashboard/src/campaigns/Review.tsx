import { Button } from '@mantine/core'
import type { Campaign } from '../../../server/campaigns/schema.ts'
import { errorMessage } from '../kit/error-messages.ts'
import { formatCount } from '../kit/format.ts'
import { PeopleIcon } from '../kit/icons.tsx'
import { Card, Stack } from '../kit/Page.tsx'
import { ProgressBar } from '../kit/ProgressBar.tsx'
import { useCanEdit } from '../kit/session.ts'
import { EmptyState, ErrorAlert } from '../kit/states.tsx'
import { useChannelFault } from './ChannelAlert.tsx'
import styles from './campaigns.module.css'
import { ForecastView } from './ForecastView.tsx'
import { useForecast } from './forecast.ts'
import { Steps, steps } from './Steps.tsx'

/** Shows what a draft would do. It is the last step of the wizard. */
export function Review({ campaign }: { campaign: Campaign }) {
  const can_edit = useCanEdit()
  const { enrolled } = campaign.counts
  const fault = useChannelFault(campaign)
  return (
    <Stack>
      {can_edit && <Steps current={steps.length - 1} />}
      <Card title="Forecast" aside={<span className={styles.hint}>{formatCount(enrolled, 'contact')}</span>}>
        {enrolled === 0 ? (
          <EmptyState icon={<PeopleIcon size={24} />} title="No contacts yet">
            {can_edit && 'Add contacts under More to see a forecast and to start.'}
          </EmptyState>
        ) : !can_edit ? (
          'This campaign has not been started.'
        ) : fault === undefined ? (
          <LoadedForecast campaign={campaign} />
        ) : (
          fault !== 'loading' && <p className={styles.hint}>A forecast needs a channel.</p>
        )}
      </Card>
    </Stack>
  )
}

function LoadedForecast({ campaign }: { campaign: Campaign }) {
  const { data, error, refetch, isFetching } = useForecast(campaign)
  if (data) return <ForecastView campaign={campaign} forecast={data} />
  if (isFetching || !error) return <ProgressBar verb="Calculating the forecast" detail="You can leave this page." />
  return (
    <Stack>
      <ErrorAlert>{errorMessage(error)}</ErrorAlert>
      <Button className={styles.left} variant="default" onClick={() => void refetch()}>
        Try again
      </Button>
    </Stack>
  )
}
