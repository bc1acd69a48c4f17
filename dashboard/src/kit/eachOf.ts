const at_once_max = 5

/** Does the work for each, a few at a time, and tells how many are done. Gives what went wrong; the others are done all the same. */
export async function eachOf<Item>(
  items: Item[],
  work: (item: Item) => Promise<unknown>,
  onDone: (count: number) => void,
): Promise<unknown[]> {
  const rest = [...items]
  const failures: unknown[] = []
  let done = 0
  const takeTurns = async () => {
    for (let item = rest.shift(); item !== undefined; item = rest.shift()) {
      await work(item).catch((error: unknown) => failures.push(error))
      done += 1
      onDone(done)
    }
  }
  await Promise.all(Array.from({ length: at_once_max }, takeTurns))
  return failures
}
