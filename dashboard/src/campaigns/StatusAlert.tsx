import { Alert } from '@mantine/core'
import type { Campaign } from '../../../server/campaigns/schema.ts'
import { formatTime } from '../kit/format.ts'
import { AlertIcon } from '../kit/icons.tsx'

const paused_alert = {
  color: 'gray',
  title: 'This campaign is paused',
  text: 'No new attempts begin until it is resumed.',
}
/** The alerts of paused campaigns, by the reason of the pause. */
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

/** Tells why nothing happens now. */
export function StatusAlert({ campaign: { status, pause_reason, starts_at } }: { campaign: Campaign }) {
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
      It starts {formatTime(starts_at)}.
    </Alert>
  )
}
