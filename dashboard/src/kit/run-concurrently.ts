const at_once_max = 5

export interface Failed<Item> {
  item: Item
  error: unknown
}

/** Does the work for each, a few at a time, and tells how many are done. Gives those that failed; the others are done all the same. */
export async function eachOf<Item>(
  items: Item[],
  work: (item: Item) => Promise<unknown>,
  onDone: (count: number) => void,
): Promise<Failed<Item>[]> {
  const rest = [...items]
  const failures: Failed<Item>[] = []
  let done = 0
  const takeTurns = async () => {
    for (let item = rest.shift(); item !== undefined; item = rest.shift()) {
      await work(item).catch((error: unknown) => failures.push({ item, error }))
      done += 1
      onDone(done)
    }
  }
  await Promise.all(Array.from({ length: at_once_max }, takeTurns))
  return failures
}
