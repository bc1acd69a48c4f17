import { type Beside, event, pause, readLastSeq, stream } from '../../conversations/stream.ts'
import type { At } from '../../kit/at.ts'
import type { Subscriber } from '../../kit/http/operation.ts'
import { isBusy } from '../../kit/postgres/errors.ts'
import { type Call, final_statuses } from '../schema.ts'
import * as calls from '../store.ts'

/**
 * Sends a call as server-sent events: its changes, and the stream of its conversation once there is one. It ends when the
 * call is over and its last turn was sent.
 */
export async function* streamCall(at: At, id: string, subscriber: Subscriber): AsyncGenerator<string> {
  // By default the stream has all that was said since the answer, also what was said before the client came.
  const { signal, last_event_id = '0' } = subscriber
  readLastSeq(last_event_id)
  const changes = openChanges(at, await calls.get(at, id))
  // This comes before anything that has to be ended: if the client is gone by then, nothing ends it.
  yield changes.take()
  let wake = () => {}
  const stopWatching = changes.watch(() => wake())
  try {
    while (changes.call.conversation_id === null && !signal.aborted) {
      const is_last = await changes.read().catch(toRetry)
      const chunk = changes.take()
      if (chunk !== '') yield chunk
      if (changes.call.conversation_id !== null) break
      if (is_last) return
      if (await pause(signal, (resolve) => (wake = resolve))) yield ':\n\n'
    }
  } finally {
    stopWatching()
  }
  const { conversation_id } = changes.call
  if (conversation_id !== null) yield* stream(at, { id: conversation_id, beside: changes }, { signal, last_event_id })
}

/** When the database is unavailable or busy, the next look at the call tries again. */
function toRetry(error: unknown): boolean {
  if (!isBusy(error)) throw error
  return false
}

/** The changes of a call that the client doesn't know yet. */
function openChanges(at: At, first: Call): Beside & { call: Call } {
  let sent: string | undefined
  const changes = {
    call: first,
    async read() {
      changes.call = await calls.get(at, first.id)
      return final_statuses.includes(changes.call.status)
    },
    take(): string {
      if (changes.call.updated_at === sent) return ''
      sent = changes.call.updated_at
      return event('call.updated', { call: changes.call })
    },
    watch: (wake: () => void) =>
      calls.callWatch.of(at).open(at, first.id, (snapshot) => {
        if (snapshot?.updated_at !== sent) wake()
      }),
  }
  return changes
}
