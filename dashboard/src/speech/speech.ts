import { queryOptions } from '@tanstack/react-query'
import type { SpeechStatus } from '../../../server/audio/speech-schema.ts'
import { createClient } from '../kit/request.ts'

const poll_ms = 1_000

/** Reads the state of offline speech. It belongs to the server, not to the workspace, which only says who asks. */
export const speechQuery = (workspace: string) =>
  queryOptions({
    queryKey: [workspace, 'speech'],
    queryFn: ({ signal }) => createClient(workspace).get<SpeechStatus>('/app/speech', {}, { signal }),
    retry: false,
    refetchInterval: ({ state }) => (state.data?.status === 'installing' ? poll_ms : false),
  })

export const install = (workspace: string): Promise<SpeechStatus> =>
  createClient(workspace).send<SpeechStatus>('POST', '/app/speech')
