const concurrency = 5

export interface FailedItem<Item> {
  item: Item
  error: unknown
}

/** Runs `work` for every item, a few at a time. A failure doesn't stop the others: the failed items are returned. */
export async function runConcurrently<Item>(
  items: Item[],
  work: (item: Item) => Promise<unknown>,
  onProgress: (finished: number) => void = () => {},
): Promise<FailedItem<Item>[]> {
  const queue = [...items]
  const failures: FailedItem<Item>[] = []
  let finished = 0
  const runQueue = async () => {
    for (let item = queue.shift(); item !== undefined; item = queue.shift()) {
      await work(item).catch((error: unknown) => failures.push({ item, error }))
      finished += 1
      onProgress(finished)
    }
  }
  await Promise.all(Array.from({ length: concurrency }, runQueue))
  return failures
}
