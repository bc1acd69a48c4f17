import { readEvents } from '../../sdk/src/streams.ts'
import { until } from './model-servers.ts'

interface StreamEvent {
  id: string | undefined
  name: string
  // biome-ignore lint/suspicious/noExplicitAny: tests read any field
  data: any
}

/** Follows the stream of a conversation until it is disposed of. */
export async function followStream(url: string, token: string, headers: Record<string, string> = {}) {
  const controller = new AbortController()
  const response = await fetch(url, {
    headers: { authorization: `Bearer ${token}`, ...headers },
    signal: controller.signal,
  })
  const events: StreamEvent[] = []
  const started = Promise.withResolvers<void>()
  const read = async () => {
    for await (const { type, id, data } of readEvents(response.body)) {
      started.resolve()
      if (type !== '') events.push({ id, name: type, data })
    }
  }
  read()
    .catch(() => {})
    .finally(() => started.resolve())
  await started.promise
  return {
    status: response.status,
    events,
    /** Waits until there are this many events with the name. */
    waitFor: (name: string, count = 1) => until(() => events.filter((event) => event.name === name).length >= count),
    [Symbol.dispose]: () => controller.abort(),
  }
}
