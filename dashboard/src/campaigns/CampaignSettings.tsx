import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import type { Campaign } from '../../../server/campaigns/schema.ts'
import { agentsQuery, channelsQuery } from '../channels/channel.ts'
import { useApi } from '../kit/api.ts'
import { formatCount, formatDate, formatNumber, formatTime } from '../kit/format.ts'
import { consent_names, kind_names, outcome_names, voicemail_names } from './campaign.ts'
import styles from './campaigns.module.css'
import { describeWindow } from './hours.ts'
import { formatWaits } from './waits.ts'

export function CampaignSettings({ campaign }: { campaign: Campaign }) {
  const { pacing, caps, retry } = campaign
  return (
    <section aria-label="Settings">
      <dl className={styles.settings}>
        <Setting name="Kind">{kind_names[campaign.kind]}</Setting>
        <Setting name="Agent">
          <AgentName campaign={campaign} />
        </Setting>
        <Setting name="Channels">
          <ChannelNames campaign={campaign} />
        </Setting>
        <Setting name="Consent">{consent_names[campaign.consent]}</Setting>
        {campaign.kind === 'voice' && <Setting name="Voicemail">{voicemail_names[campaign.voicemail]}</Setting>}
        <Setting name="Hours">{campaign.windows.map(describeWindow).join('; ')}</Setting>
        <Setting name="Default time zone">{campaign.time_zone ?? 'None'}</Setting>
        <Setting name="Holidays">
          {campaign.holidays.map((day) => formatDate(`${day}T12:00:00`)).join('; ') || 'None'}
        </Setting>
        <Setting name="Starts">{campaign.starts_at ? formatTime(campaign.starts_at) : 'When you start it'}</Setting>
        <Setting name="Ends">{campaign.ends_at ? formatTime(campaign.ends_at) : 'When all contacts are done'}</Setting>
        <Setting name="Pace">
          {formatNumber(pacing.in_flight_max)} at a time, {formatNumber(pacing.starts_per_second)} per second
          {pacing.ramp_minutes > 0 && `, ramp-up ${formatCount(pacing.ramp_minutes, 'minute')}`}
        </Setting>
        <Setting name="Attempts per contact">
          {formatNumber(campaign.attempts_max)} in total, {formatNumber(caps.per_day)} per day,{' '}
          {formatNumber(caps.per_week)} per week, {formatCount(caps.gap_hours_min, 'hour')} between attempts
        </Setting>
        <Setting name="Retries">
          {retry.length === 0
            ? 'Defaults'
            : retry.map(({ outcome, attempts_max, waits_seconds }) => (
                <span key={outcome} className={styles.line}>
                  {outcome_names[outcome]}: {formatCount(attempts_max, 'attempt')}
                  {attempts_max > 1 && waits_seconds.length > 0 && ` after ${formatWaits(waits_seconds)}`}
                </span>
              ))}
        </Setting>
      </dl>
    </section>
  )
}

const Setting = ({ name, children }: { name: string; children: ReactNode }) => (
  <div>
    <dt>{name}</dt>
    <dd>{children}</dd>
  </div>
)

function AgentName({ campaign: { agent_id, agent_version } }: { campaign: Campaign }) {
  const { data } = useQuery(agentsQuery(useApi()))
  const name = data?.find(({ id }) => id === agent_id)?.name ?? '–'
  return agent_version ? `${name}, ${agent_version.version_label}` : name
}

/** Names the channels. If none is chosen, the campaign uses the only active channel of its kind. */
function ChannelNames({ campaign: { channel_ids: ids, kind } }: { campaign: Campaign }) {
  const { data } = useQuery(channelsQuery(useApi()))
  const only = data?.data.filter((channel) => channel.kind === kind && channel.status === 'active')
  if (ids.length === 0) return only?.length === 1 ? only[0]?.name : 'None chosen'
  return ids.map((id) => data?.data.find((channel) => channel.id === id)?.name ?? '–').join(', ')
}
