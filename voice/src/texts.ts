import type { VoiceState } from './types.ts'

/** What the pages of the service say about a call. */
export const state_texts: Record<VoiceState, string> = {
  connecting: 'Connecting… If your browser asks, allow the microphone.',
  busy: 'All lines are busy. Trying again…',
  live: 'Connected. Speak whenever you like.',
  reconnecting: 'The connection was lost. Connecting again…',
  ended: 'The call has ended.',
}

export const latencyText = (ms: number): string => `Answered in ${(ms / 1_000).toFixed(1)} s`
