import { newTool } from '../kit/at.ts'
import { openLog } from '../kit/log.ts'
import { errorMessage } from '../kit/problem.ts'
import { openHearing } from './offline/hearing.ts'
import { InstallError, installSpeech, type Progress } from './offline/install.ts'
import { default_source, readHash, readInstalled } from './offline/installed.ts'
import * as parts from './offline/parts.ts'
import type { SpeechStatus } from './speech-schema.ts'

/** Installs offline speech for the dashboard, one install at a time. */
export interface SpeechInstaller {
  readStatus: () => InstallStatus
  /** Begins an install, unless one runs or it is installed. `readStatus` says how it goes. */
  start: () => void
  /** Ends an install that runs. May be called twice. */
  close: () => Promise<void>
}

export type InstallStatus = Omit<SpeechStatus, 'may_install'>

export const speechInstaller = newTool<SpeechInstaller>()

export { InstallError }

export interface InstallOptions {
  folder: string
  onProgress: (progress: Progress) => void
  signal?: AbortSignal
}

/** Installs offline speech, unless it is. Returns once the models have been loaded on this machine. */
export const install = (options: InstallOptions) => installSpeech({ ...options, check: loadModels })

async function loadModels(folder: string): Promise<void> {
  const hearing = openHearing({ findFolder: () => folder, log: openLog('silent') })
  try {
    await hearing.start()
  } catch (error) {
    throw new InstallError(`Offline speech was not installed: its models can't run here (${errorMessage(error)}).`)
  } finally {
    await hearing.close()
  }
}

const { download_bytes, unpacked_bytes, languages, licenses } = parts
/** What the dashboard shows before an install. */
export const about = { download_bytes, unpacked_bytes, folder_bytes: parts.folder_bytes, languages, licenses }

/** Returns undefined when this version is not installed. */
export const findInstalled = (folder: string) => readInstalled(folder, readHash(default_source))

export function openSpeechInstaller({ folder }: { folder: string }): SpeechInstaller {
  let running: { progress: Progress; stop: AbortController; ended: Promise<void> } | undefined
  let failure: string | null = null

  function readStatus(): InstallStatus {
    const shown = { languages, licenses, total_bytes: unpacked_bytes }
    if (running) {
      const { message, done_bytes } = running.progress
      const progress = done_bytes / unpacked_bytes
      return { ...shown, status: 'installing', message, progress, done_bytes, folder_bytes: parts.folder_bytes }
    }
    const installed = findInstalled(folder)
    const folder_bytes = installed?.bytes ?? parts.folder_bytes
    const status = installed ? 'installed' : failure === null ? 'not_installed' : 'failed'
    return { ...shown, status, message: installed ? null : failure, progress: null, done_bytes: 0, folder_bytes }
  }

  function start(): void {
    if (running || findInstalled(folder)) return
    failure = null
    const stop = new AbortController()
    const progress = { message: 'Starting', done_bytes: 0, total_bytes: unpacked_bytes }
    const onProgress = (latest: Progress) => {
      if (!running) return
      // Files that are not needed are removed at the end, but progress doesn't go back.
      const done_bytes = Math.max(latest.done_bytes, running.progress.done_bytes)
      running.progress = { ...latest, done_bytes }
    }
    const ended = install({ folder, onProgress, signal: stop.signal })
      .then(() => {})
      .catch((error: unknown) => {
        failure =
          error instanceof InstallError
            ? error.message
            : `Offline speech could not be installed: ${errorMessage(error)}`
      })
      .finally(() => {
        running = undefined
      })
    running = { progress, stop, ended }
  }

  return {
    readStatus,
    start,
    close: async () => {
      running?.stop.abort()
      await running?.ended
    },
  }
}
