import { queryOptions } from '@tanstack/react-query'
import type { SpeechStatus } from '../../../server/audio/speech-schema.ts'
import { request } from '../kit/request.ts'

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
