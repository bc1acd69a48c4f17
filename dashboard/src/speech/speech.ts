import { queryOptions } from '@tanstack/react-query'
import { request } from '../kit/request.ts'

/** Offline speech, as in server/audio/speech-schema.ts. */
export interface SpeechStatus {
  status: 'not_installed' | 'installing' | 'installed' | 'failed'
  /** What is being done, or what went wrong. */
  message: string | null
  /** From 0 to 1. Null unless it is being installed. */
  progress: number | null
  /** What is installed takes this much of the disk; before, what it will take. */
  folder_bytes: number
  languages: string[]
  licenses: { name: string; license: string }[]
  may_install: boolean
}

const poll_ms = 1_000

/** It belongs to the server, not to the workspace, which only says who asks. */
export const speechQuery = (workspace: string) =>
  queryOptions({
    queryKey: [workspace, 'speech'],
    queryFn: ({ signal }) => request<SpeechStatus>('/app/speech', { workspace, signal }),
    retry: false,
    refetchInterval: ({ state }) => (state.data?.status === 'installing' ? poll_ms : false),
  })

export const install = (workspace: string): Promise<SpeechStatus> =>
  request<SpeechStatus>('/app/speech', { method: 'POST', workspace })

/** "English". */
export function nameLanguages(languages: string[]): string {
  const names = new Intl.DisplayNames('en', { type: 'language' })
  return new Intl.ListFormat('en').format(languages.map((language) => names.of(language) ?? language))
}
