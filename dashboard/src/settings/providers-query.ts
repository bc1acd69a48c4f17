import { queryOptions } from '@tanstack/react-query'
import type { Provider, ProviderKind } from '../../../server/models/schema.ts'
import type { Api } from '../kit/api.ts'

/** A workspace can't have more than this. */
const limit = 100

export const providersQuery = (api: Api) =>
  queryOptions({
    queryKey: [api.workspace, 'providers'],
    queryFn: ({ signal }) => api.list<Provider>('/providers', { limit }, signal),
  })

/** Whether providers of this kind hear and speak, and don't answer. */
export const isSpeechOnly = (kind: ProviderKind): boolean => kind === 'elevenlabs' || kind === 'deepgram'
