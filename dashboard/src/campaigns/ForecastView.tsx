import { Alert } from '@mantine/core'
import type { Forecast } from '../../../server/campaigns/forecast-schema.ts'
import type { Campaign } from '../../../server/campaigns/schema.ts'
import { formatNumber, formatTime } from '../kit/format.ts'
import { AlertIcon } from '../kit/icons.tsx'
import { reachedBy, reasonName } from './campaign.ts'
import styles from './campaigns.module.css'
import { ForecastChart } from './ForecastChart.tsx'
import { OutcomeBar } from './OutcomeBar.tsx'

interface ForecastViewProps {
  campaign: Campaign
  forecast: Forecast
}

export const ForecastView = ({ campaign, forecast }: ForecastViewProps) => (
  <div className={styles.form}>
    <p className={styles.verdict}>{describeForecast(campaign, forecast)}</p>
    <p className={styles.hint}>
      {describeEnd(forecast)}
      {forecast.is_sampled && ` Based on ${formatNumber(forecast.simulated)} of the contacts, chosen by chance.`}
    </p>
    {forecast.warnings.map((warning) => (
      <Alert key={warning} color="gray" icon={<AlertIcon />}>
        {warning}
      </Alert>
    ))}
    {forecast.timeline.length > 0 && <ForecastChart campaign={campaign} timeline={forecast.timeline} />}
    <section className={styles.part} aria-label="Attempts by outcome">
      <h3>Attempts by outcome</h3>
      <OutcomeBar by_outcome={forecast.by_outcome} intervals={forecast.by_outcome_interval} />
      <p className={styles.hint}>Each interval holds in nine of ten cases.</p>
    </section>
  </div>
)

/** "412 would be called, 38 skipped: opted out." */
function describeForecast(campaign: Pick<Campaign, 'kind'>, { by_status, skips }: Forecast): string {
  const skipped = Object.entries(skips).filter(([, count]) => count > 0)
  const contacts = Object.values(by_status).reduce((sum, count) => sum + count, 0)
  const reached = contacts - skipped.reduce((sum, [, count]) => sum + count, 0)
  return [
    `${formatNumber(reached)} would be ${reachedBy(campaign)}`,
    ...skipped.map(([reason, count]) => `${formatNumber(count)} skipped: ${reasonName(reason).toLowerCase()}`),
  ]
    .join(', ')
    .concat('.')
}

function describeEnd({ expected_end_at, expected_end }: Forecast): string {
  if (!expected_end_at || !expected_end) return 'Not expected to end within a year.'
  const [at, low, high] = [expected_end_at, expected_end.low, expected_end.high].map(formatTime)
  return low === high
    ? `Expected to end ${at}.`
    : `Expected to end ${at}, in nine of ten cases between ${low} and ${high}.`
}
