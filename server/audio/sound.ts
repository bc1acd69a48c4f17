import type { Configuration } from '../agents/configuration.ts'
import { type AtOutside, newToolOutside } from '../kit/at.ts'
import type { Log } from '../kit/log.ts'
import { invalidState } from '../kit/problem.ts'
import { ModelError } from '../models/language-model.ts'
import { findSpeech } from '../models/speech.ts'
import { isOfflineLanguage, type Speech } from '../models/speech-schema.ts'
import { type OfflineSpeech, openOfflineSpeech } from './offline-speech.ts'
import type { CallSpeech } from './speech.ts'

/** Everything that hears and speaks in this process. */
export interface Sound {
  offline: OfflineSpeech
  /** Throws Problem INVALID_STATE, details.reason "speech_not_installed", if the agent can't hear or speak. */
  find: (at: AtOutside, configuration: SpokenConfiguration) => Promise<CallSpeech>
  close: () => Promise<void>
}

export const sound = newToolOutside<Sound>()

type SpokenConfiguration = Pick<Configuration, 'language' | 'voice'> & { speech: Speech }

export function openSound(options: { folder: string; log: Log }): Sound {
  const offline = openOfflineSpeech(options)

  async function find(at: AtOutside, { speech, language, voice }: SpokenConfiguration): Promise<CallSpeech> {
    const listen = speech.listen && { ...speech.listen, language: speech.listen.language ?? language }
    const found = await findSpeech(at, { listen, speak: speech.speak }).catch(toProblem)
    const is_installed = offline.isInstalled()
    if (!found.listen && !is_installed)
      throw invalidState(
        "The agent can't hear: offline speech is not installed, and `speech.listen` names no provider. " +
          'Run "parley speech install" on the server, or name a provider.',
        {
          reason: 'speech_not_installed',
        },
      )
    offline.prepare()
    const own = () => ({ listen: offline.listening(), speak: offline.speaking(voice) })
    const has_provider = found.listen !== null || found.speak !== null
    return {
      listen: found.listen ?? offline.listening(),
      // The offline voice is part of the service, so it needs no provider.
      speak: found.speak ? { ...found.speak, language } : offline.speaking(voice),
      fallback: has_provider && is_installed && isOfflineLanguage(language) ? own() : undefined,
      openDetector: offline.openDetector,
    }
  }

  return { offline, find, close: offline.close }
}

/** Turns a model's error into a Problem: its provider is gone, or can't be asked. */
function toProblem(error: unknown): never {
  if (!(error instanceof ModelError)) throw error
  throw invalidState(error.message, { reason: 'speech_not_available' })
}
