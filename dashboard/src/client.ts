import { MutationCache, type MutationObserver, QueryCache, QueryClient } from '@tanstack/react-query'
import type { Connection } from './kit/connection.ts'
import { ParleyError } from './kit/request.ts'
import { session_query } from './kit/session.ts'

const tries_max = 2

/**
 * When the server can be reached again, all queries are read again but those that a stream keeps current
 * (`meta.is_streamed`), and errors that said that it couldn't be reached are taken back.
 */
export function createQueryClient(connection: Connection): QueryClient {
  // Any request may be the first to find that the session has ended or the role has changed.
  const onError = (error: Error) => {
    if (isUnreachable(error)) void connection.check()
    if (!(error instanceof ParleyError)) return
    if (error.status === 401 || error.status === 403) void client.invalidateQueries(session_query)
  }
  /** Retries network and server errors: a 4xx is final. */
  const shouldRetry = (failures: number, error: Error): boolean => {
    if (isUnreachable(error)) void connection.check()
    return failures < tries_max && error instanceof ParleyError && (error.status === 0 || error.status >= 500)
  }
  const client: QueryClient = new QueryClient({
    queryCache: new QueryCache({ onError }),
    mutationCache: new MutationCache({
      onError: (error, _variables, _result, { meta }) => meta?.is_sign_in || onError(error),
    }),
    defaultOptions: { queries: { staleTime: 5_000, retry: shouldRetry } },
  })
  const observers = new Set<MutationObserver<unknown, Error, unknown>>()
  client.getMutationCache().subscribe((event) => {
    if (event.type === 'observerAdded') observers.add(event.observer)
    if (event.type === 'observerRemoved') observers.delete(event.observer)
  })
  connection.subscribe(() => {
    if (!connection.isUp()) return
    for (const observer of [...observers]) {
      const { error } = observer.getCurrentResult()
      if (error && isUnreachable(error)) observer.reset()
    }
    void client.invalidateQueries({ predicate: ({ meta, state }) => !meta?.is_streamed || state.status === 'error' })
  })
  return client
}

/** Whether there was no answer, or that of a proxy whose server doesn't answer. */
const isUnreachable = (error: Error): boolean =>
  error instanceof ParleyError &&
  (error.status === 0 || (error.code === 'UNEXPECTED_ANSWER' && [502, 503, 504].includes(error.status)))
