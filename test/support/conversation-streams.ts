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
    let rest = ''
    const decoder = new TextDecoder()
    for await (const bytes of response.body ?? []) {
      started.resolve()
      const blocks = (rest + decoder.decode(bytes, { stream: true })).split('\n\n')
      rest = blocks.pop() ?? ''
      for (const block of blocks) {
        const fields = new Map(
          block.split('\n').map((line) => [line.split(': ')[0], line.slice(line.indexOf(': ') + 2)]),
        )
        const name = fields.get('event')
        if (name) events.push({ id: fields.get('id'), name, data: JSON.parse(fields.get('data') ?? '') })
      }
    }
  }
  read().catch(() => {})
  await started.promise
  return {
    status: response.status,
    events,
    /** Waits until there are this many events with the name. */
    waitFor: (name: string, count = 1) => until(() => events.filter((event) => event.name === name).length >= count),
    [Symbol.dispose]: () => controller.abort(),
  }
}
