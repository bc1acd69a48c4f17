import type { VoiceCall, VoiceState } from './types.ts'

/** The words of the service's pages about a call. */
export const state_texts: Record<VoiceState, string> = {
  connecting: 'Connecting… If your browser asks, allow the microphone.',
  busy: 'All lines are busy. Trying again…',
  live: 'Connected. Speak whenever you like.',
  reconnecting: 'The connection was lost. Connecting again…',
  ended: 'The call has ended.',
}

/** Why the call has ended, for reasons that the conversation doesn't show. */
const end_texts: Record<string, string> = {
  contact_hung_up: 'You ended the call.',
  silence: 'The call ended because nothing was heard.',
  max_duration: 'The call ended because it reached its longest duration.',
  system_error: 'The call ended because of a fault. Try again in a minute.',
  lost: 'The call ended.',
}

/** Describes the state of the call to the visitor, or how it has ended. */
export function describeCall({ state, end_reason, call_id }: VoiceCall): string {
  if (state !== 'ended') return state_texts[state]
  if (end_reason === 'error' && call_id === undefined) return 'The call was not connected.'
  return end_texts[end_reason ?? ''] ?? state_texts.ended
}

export const latencyText = (ms: number): string => `Answered in ${(ms / 1_000).toFixed(1)} s`

/** "40 s", or "2 min" from a minute on. */
export function durationText(ms: number): string {
  const seconds = Math.max(1, Math.round(ms / 1_000))
  return seconds < 60 ? `${seconds} s` : `${Math.round(seconds / 60)} min`
}
