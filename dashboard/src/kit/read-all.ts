import type { Api } from './api.ts'

const page_size = 100

interface ReadAllOptions {
  items_max: number
  signal: AbortSignal
}

/** Reads a list to its end, but no more than `items_max`, rounded up to whole pages. */
export async function readAll<Item>(api: Api, path: string, { items_max, signal }: ReadAllOptions): Promise<Item[]> {
  const items: Item[] = []
  let cursor: string | null | undefined
  do {
    const { data, pagination } = await api.list<Item>(path, { limit: page_size, cursor }, signal)
    items.push(...data)
    cursor = pagination.next_cursor
  } while (cursor && items.length < items_max)
  return items
}
