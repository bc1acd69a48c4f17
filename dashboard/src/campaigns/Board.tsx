import { Alert } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import type { Campaign, Progress } from '../../../server/campaigns/schema.ts'
import { useApi } from '../kit/api.ts'
import { formatNumber, formatTime } from '../kit/format.ts'
import { AlertIcon } from '../kit/icons.tsx'
import { Card } from '../kit/Page.tsx'
import { LoadError, LoadingSkeleton } from '../kit/states.tsx'
import { CampaignStatus } from './CampaignStatus.tsx'
import { isFinal, progressQuery } from './campaign.ts'
import styles from './campaigns.module.css'
import { OutcomeBars } from './OutcomeBars.tsx'
import { countDone, StatusBar, StatusCounts } from './StatusBar.tsx'

/** How a campaign goes, read again every other second. */
export function Board({ campaign }: { campaign: Campaign }) {
  const { data, error, refetch } = useQuery(progressQuery(useApi(), campaign))
  return (
    <>
      <StatusAlert campaign={campaign} />
      <Card title="Progress" aside={<CampaignStatus {...campaign} />}>
        {data && (
          <div className={styles.form}>
            <Figures campaign={campaign} progress={data} />
            <StatusBar total={data.total} by_status={data.by_status} />
            <StatusCounts by_status={data.by_status} />
            {data.not_enrolled > 0 && (
              <Alert color="yellow" icon={<AlertIcon />}>
                {formatNumber(data.not_enrolled)} contacts were not enrolled, because a campaign can have 1,000,000 at
                most.
              </Alert>
            )}
          </div>
        )}
        {!data && (error ? <LoadError error={error} retry={refetch} /> : <LoadingSkeleton lines={4} />)}
      </Card>
      {data && (
        <Card title="Attempts by outcome">
          <OutcomeBars by_outcome={data.by_outcome} />
        </Card>
      )}
    </>
  )
}

function Figures({ campaign, progress }: { campaign: Campaign; progress: Progress }) {
  const { total, by_status, in_flight, starts_last_minute, expected_end_at } = progress
  const figures: [string, string][] = [
    ['Contacts', formatNumber(total)],
    ['Done', formatNumber(countDone({ total, by_status }))],
    ['Attempts now', formatNumber(in_flight)],
    ['Starts in the last minute', formatNumber(starts_last_minute)],
  ]
  if (!isFinal(campaign)) figures.push(['Expected end', expected_end_at ? formatTime(expected_end_at) : 'Not known'])
  return (
    <dl className={styles.figures}>
      {figures.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  )
}

const paused_alert = {
  color: 'gray',
  title: 'This campaign is paused',
  text: 'No new attempts begin until it is resumed.',
}
/** By the reason why it was paused. */
const alerts: Record<string, typeof paused_alert> = {
  circuit_breaker: {
    color: 'red',
    title: 'Paused by the circuit breaker',
    text: 'Too many attempts failed, or too many contacts opted out. It runs again after five minutes, one attempt at a time until one succeeds.',
  },
  no_channel: {
    color: 'red',
    title: 'Paused because no channel can be used',
    text: 'None of its channels is active, or no channel was chosen and several are active. Change this in Channels, then resume the campaign.',
  },
  speech_not_installed: {
    color: 'red',
    title: "Paused because the agent can't hear or speak",
    text: 'Offline speech is not installed, and the agent uses no speech provider, or one that is gone. Install speech or choose a provider, then resume the campaign.',
  },
}

function StatusAlert({ campaign: { status, pause_reason, starts_at } }: { campaign: Campaign }) {
  if (status === 'paused') {
    const alert = alerts[pause_reason ?? ''] ?? paused_alert
    return (
      <Alert color={alert.color} icon={<AlertIcon />} title={alert.title}>
        {alert.text}
      </Alert>
    )
  }
  if (status !== 'scheduled' || !starts_at) return null
  return (
    <Alert color="gray" icon={<AlertIcon />} title="This campaign is scheduled">
      It begins {formatTime(starts_at)}.
    </Alert>
  )
}
