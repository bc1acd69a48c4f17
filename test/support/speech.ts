import path from 'node:path'
import { findInstalled, install } from '../../server/audio/speech-install.ts'

/** Where `npm test` installs offline speech, once. */
export const speech_folder = path.resolve(import.meta.dirname, '../../.cache/speech')

/** Throws unless offline speech is installed. Tests that need it call this at their beginning. */
export function requireSpeech(): void {
  if (!findInstalled(speech_folder))
    throw new Error(
      `offline speech is not installed in ${speech_folder}: npm test installs it if it can reach npm's registry`,
    )
}

/** Installs offline speech unless it is. Tests that need it fail if that is not possible, and all others run. */
export async function ensureSpeech(): Promise<void> {
  if (findInstalled(speech_folder)) return
  console.error('Installing offline speech for the tests, once...')
  try {
    await install({ folder: speech_folder, onProgress: () => {} })
  } catch (error) {
    console.error(`Tests of offline speech will fail: ${error instanceof Error ? error.message : error}`)
  }
}
