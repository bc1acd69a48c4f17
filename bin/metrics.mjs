/** Exceeds a process's wait for the database (server/operator-pages.ts), or its gauges would be missing at times. */
const answer_within_ms = 3_000

/**
 * Passes on metrics between processes, so that whichever is asked shows those of all. Keeps the last metrics of each
 * for when it has ended or doesn't answer: a counter that went down would look like a restart of all processes.
 */
export function openMetricsExchange(processes, send) {
  const collections = new Set()

  /** Takes the metrics of a process that was asked for them. */
  function take(one, text) {
    one.metrics = text
    for (const { missing, finish } of collections) {
      missing.delete(one)
      if (missing.size === 0) finish()
    }
  }

  /** Sends the metrics of the others to the process that asks. */
  function collect(asking, text) {
    asking.metrics = text
    const others = processes.filter((one) => one !== asking)
    const asked = others.filter(({ has_ended, pausing }) => !has_ended && !pausing)
    const missing = new Set(asked)
    const finish = () => {
      clearTimeout(timer)
      collections.delete(collection)
      const metrics = others.map((one) => ({
        process: one.number,
        text: one.metrics,
        is_current: asked.includes(one) && !missing.has(one),
      }))
      send(asking, { type: 'metrics of others', metrics })
    }
    const timer = setTimeout(finish, answer_within_ms)
    const collection = { missing, finish }
    collections.add(collection)
    for (const one of asked) send(one, { type: 'metrics wanted' })
    if (missing.size === 0) finish()
  }

  return { take, collect }
}
