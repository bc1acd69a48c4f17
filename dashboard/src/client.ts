import { MutationCache, QueryCache, QueryClient } from '@tanstack/react-query'
import { ParleyError } from './kit/request.ts'
import { session_query } from './kit/session.ts'

const tries_max = 2

export function createQueryClient(): QueryClient {
  // Any request may be the first to find that the session has ended or the role has changed.
  const onError = (error: Error) => {
    if (!(error instanceof ParleyError)) return
    if (error.status === 401) client.setQueryData(session_query.queryKey, null)
    if (error.status === 403) void client.invalidateQueries(session_query)
  }
  const client: QueryClient = new QueryClient({
    queryCache: new QueryCache({ onError }),
    mutationCache: new MutationCache({
      onError: (error, _variables, _result, { meta }) => meta?.is_sign_in || onError(error),
    }),
    defaultOptions: { queries: { staleTime: 5_000, retry: shouldRetry } },
  })
  return client
}

/** Retries network and server errors: a 4xx is final. */
const shouldRetry = (failures: number, error: Error): boolean =>
  failures < tries_max && error instanceof ParleyError && (error.status === 0 || error.status >= 500)
