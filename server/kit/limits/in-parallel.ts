/** Calls `run` for all, a few at a time, and goes on when some fail. At the end it throws if any has failed. */
export async function inParallel<T>(
  all: Iterable<T>,
  { at_once }: { at_once: number },
  run: (one: T) => Promise<unknown>,
): Promise<void> {
  const rest = [...all].values()
  const errors: unknown[] = []
  let count = 0
  const runNext = async () => {
    for (const one of rest) {
      count += 1
      await run(one).catch((error: unknown) => errors.push(error))
    }
  }
  await Promise.all(Array.from({ length: at_once }, runNext))
  // Only the first error is kept: all may have failed for the same reason, and a log has room for one.
  if (errors.length > 0) throw new Error(`${errors.length} of ${count} failed`, { cause: errors[0] })
}
