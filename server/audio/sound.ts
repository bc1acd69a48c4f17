import type { Configuration } from '../agents/configuration.ts'
import type { AtOutside } from '../kit/at.ts'
import type { OfflineSpeech } from './offline-speech.ts'
import type { CallSpeech } from './speech.ts'

/** Everything that hears and speaks in this process. */
export interface Sound {
  offline: OfflineSpeech
  /** Throws Problem INVALID_STATE, details.reason "speech_not_installed", if the agent can't hear or speak. */
  find: (at: AtOutside, configuration: Configuration) => Promise<CallSpeech>
  close: () => Promise<void>
}
