import { readEvents } from '../../sdk/src/streams.ts'
import type { Tenant } from './harness.ts'

interface ReceivedEvent {
  id: string
  type: string
  // biome-ignore lint/suspicious/noExplicitAny: a test may look into any event
  event: any
}

/** A client of a stream of server-sent events. */
export interface EventStream {
  status: number
  /** The events so far. */
  received: ReceivedEvent[]
  /** Resolves with all events when there are this many. Rejects when the stream ends before. */
  waitFor: (count: number) => Promise<ReceivedEvent[]>
  /** Resolves when the stream ends or breaks off. */
  ended: Promise<void>
  close: () => void
}

/** Resolves when the stream has started: it gets every event from then on. */
export async function openStream(address: string, headers: Record<string, string>): Promise<EventStream> {
  const controller = new AbortController()
  const response = await fetch(address, { headers, signal: controller.signal })
  const received: ReceivedEvent[] = []
  const waiting = new Set<() => void>()
  let is_over = false
  const checkAll = () => {
    for (const check of waiting) check()
  }
  const started = Promise.withResolvers<void>()
  const read = async () => {
    for await (const { type, id = '', data } of readEvents(response.body)) {
      started.resolve()
      if (type !== '') received.push({ id, type, event: data })
      checkAll()
    }
  }
  const ended = read()
    .catch(() => {})
    .then(() => {
      is_over = true
      started.resolve()
      checkAll()
    })
  await started.promise
  return {
    status: response.status,
    received,
    ended,
    close: () => controller.abort(),
    waitFor: (count) =>
      new Promise((resolve, reject) => {
        const check = () => {
          if (received.length < count && !is_over) return waiting.add(check)
          waiting.delete(check)
          if (received.length >= count) resolve(received)
          else reject(new Error(`the stream ended after ${received.length} events, not ${count}`))
        }
        check()
      }),
  }
}

/** The ids of all events of the workspace, oldest first. */
export async function listAll({ client }: Tenant): Promise<string[]> {
  const ids: string[] = []
  for await (const { id } of client.events.list()) ids.push(id)
  return ids.reverse()
}
