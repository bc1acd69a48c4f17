import { queryOptions, useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef } from 'react'
import type { Advance, TestClock } from '../../../server/clocks/schema.ts'
import { type Api, useApi } from '../kit/api.ts'

const poll_ms = 500

export const testClockQuery = (api: Api) =>
  queryOptions({
    queryKey: ['test_clock', api.workspace],
    queryFn: ({ signal }) => api.get<TestClock>('/test_clock', undefined, signal),
    // The clock is also read while nothing happens, because someone else may advance it.
    refetchInterval: ({ state }) => (state.data?.status === 'advancing' ? poll_ms : 10 * poll_ms),
  })

/**
 * Returns the clock of the workspace, or nothing in a live workspace. Reloads the page's data when an advance has
 * ended.
 */
export function useTestClock(is_test: boolean) {
  const client = useQueryClient()
  const { queryKey, ...query } = testClockQuery(useApi())
  const clock = useQuery({ ...query, queryKey, enabled: is_test })
  const { data } = clock
  const last_now = useRef<string>(undefined)
  useEffect(() => {
    if (!data || (last_now.current !== undefined && data.status === 'advancing')) return
    const is_later = last_now.current !== undefined && last_now.current !== data.now
    last_now.current = data.now
    if (is_later) void client.invalidateQueries({ predicate: (other) => other.queryKey[0] !== 'test_clock' })
  }, [data, client])
  return clock
}

export function useAdvance() {
  const api = useApi()
  const client = useQueryClient()
  const { queryKey } = testClockQuery(api)
  return useMutation({
    mutationFn: (input: Advance) => api.send<TestClock>('POST', '/test_clock/advance', input),
    onSuccess: (clock) => client.setQueryData(queryKey, clock),
    onError: () => client.invalidateQueries({ queryKey }),
  })
}
