import { infiniteQueryOptions } from '@tanstack/react-query'
import type { Api } from './api.ts'
import type { Query } from './request.ts'

/** Reads a list page by page, as far as the person asks for more. The key begins with the workspace. */
export const pagesQuery = <Item>(api: Api, key: unknown[], path: string, query: Query) =>
  infiniteQueryOptions({
    queryKey: [...key, query],
    queryFn: ({ pageParam, signal }) => api.list<Item>(path, { ...query, cursor: pageParam }, signal),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ pagination }) => pagination.next_cursor ?? undefined,
  })
