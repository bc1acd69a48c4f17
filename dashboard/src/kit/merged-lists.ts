interface PagedQuery {
  data?: Pages | undefined
  hasNextPage: boolean
  isPending: boolean
  isLoadingError: boolean
  isFetchingNextPage: boolean
  error: Error | null
  refetch: () => Promise<unknown>
  fetchNextPage: () => Promise<{ data?: Pages | undefined }>
}

interface Pages {
  pages: unknown[]
}

export interface MergedList<Item> {
  query: PagedQuery
  items: Item[]
  /** The time of the last row that is loaded. Further rows of the list are not newer. */
  end: number
}

/**
 * Merges lists, newest first, each loaded as far as the person asks for. Items older than the end of a list that has
 * more are held back, because others may belong before them.
 */
export function mergeLists<Item extends { time: string }>(lists: MergedList<Item>[]) {
  const unfinished = lists.filter(({ query }) => query.hasNextPage)
  const complete_since = Math.max(...unfinished.map(({ end }) => end))
  const items = lists.flatMap(({ items }) => items).filter(({ time }) => Date.parse(time) >= complete_since)
  return {
    items: items.sort((one, other) => Date.parse(other.time) - Date.parse(one.time)),
    ...stateOf(lists),
    has_more: unfinished.length > 0,
    showMore: () =>
      Promise.all(unfinished.filter(({ end }) => end >= complete_since).map(({ query }) => fetchMore(query))),
  }
}

/** Wraps one list of the server, which stays in its own order. */
export const singleList = <Item>(query: PagedQuery, items: Item[]) => ({
  items,
  ...stateOf([{ query }]),
  has_more: query.hasNextPage,
  showMore: () => fetchMore(query),
})

const attempts_max = 5

/**
 * Loads a further page. An event that refreshes the list meanwhile cancels the request, which is then sent again after
 * the refresh.
 */
async function fetchMore({ data, fetchNextPage }: PagedQuery): Promise<void> {
  for (let attempts = 0; attempts < attempts_max; attempts += 1) {
    const after = await fetchNextPage()
    if (after.data?.pages.length !== data?.pages.length) return
  }
}

function stateOf(lists: { query: PagedQuery }[]) {
  return {
    is_loading: lists.some(({ query }) => query.isPending),
    /** The error of a list that shows nothing. A list that was loaded before stays as it is. */
    error: lists.find(({ query }) => query.isLoadingError)?.query.error,
    refetch: () => Promise.all(lists.map(({ query }) => query.refetch())),
    is_loading_more: lists.some(({ query }) => query.isFetchingNextPage),
  }
}

export const rowsOf = <Row>({ data }: { data?: { pages: { data: Row[] }[] } | undefined }): Row[] =>
  data?.pages.flatMap(({ data }) => data) ?? []

/** Returns the end of a list that is sorted by this time. Rows without a time come last, when all others are loaded. */
export function endOf<Row>(rows: Row[], timeOf: (row: Row) => string | null): number {
  const last = rows.at(-1)
  const time = last && timeOf(last)
  return time ? Date.parse(time) : -Infinity
}
