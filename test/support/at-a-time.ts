/** Does the work for each item, a few at a time: more would wait too long for a connection on a busy machine. */
export async function atATime<T>(count: number, items: T[], work: (item: T, index: number) => Promise<void>) {
  const rest = items.entries()
  const runSome = async () => {
    for (const [index, item] of rest) await work(item, index)
  }
  await Promise.all(Array.from({ length: count }, runSome))
}
