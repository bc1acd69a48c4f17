import type { Ender, EndReason } from './schema.ts'

const enders: Record<EndReason, Ender> = {
  contact_hung_up: 'contact',
  agent_hung_up: 'agent',
  human_hung_up: 'human',
  transferred: 'agent',
  opted_out: 'agent',
  goal_reached: 'agent',
  max_duration: 'system',
  silence: 'agent',
  voicemail_left: 'agent',
  voicemail_hung_up: 'agent',
  not_answered: 'system',
  canceled: 'human',
  carrier_error: 'system',
  carrier_silent: 'system',
  system_error: 'system',
}

/** Who ends a call for this reason. */
export const endedBy = (end_reason: EndReason): Ender => enders[end_reason]
