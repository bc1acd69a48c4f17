import { setTimeout as sleep } from 'node:timers/promises'
import type { CallsLiveEvent } from '../../sdk/src/index.ts'
import { readEvents } from '../../sdk/src/streams.ts'
import type { Holder } from './restarts.ts'
import type { Tenant } from './service.ts'

interface ShownTurn {
  seq: number
  role: string
  text: string
}

/** A client of a call's live stream, and what it has seen. */
export interface Follower {
  id: string
  started: Set<number>
  finished: ShownTurn[]
  ended: Promise<void>
}

interface Following {
  holder: Holder
  tenant: Tenant
  id: string
  isOver: () => boolean
}

/** Follows the call through all restarts, until the stream ends. When nothing more is to be seen, it doesn't come back. */
export function followCall(stack: AsyncDisposableStack, { holder, tenant, id, isOver }: Following): Follower {
  const controller = new AbortController()
  stack.defer(() => controller.abort())
  const follower: Follower = { id, started: new Set(), finished: [], ended: Promise.resolve() }
  const readOnce = async (): Promise<boolean> => {
    const last = follower.finished.at(-1)?.seq
    const response = await fetch(`${holder.service.url}/api/v1/calls/${id}/live`, {
      headers: { authorization: `Bearer ${tenant.key}`, ...(last && { 'last-event-id': String(last) }) },
      signal: controller.signal,
    })
    if (response.status !== 200) return false
    // The stream of a call has these only.
    for await (const event of readEvents(response.body)) note(follower, event as CallsLiveEvent)
    return true
  }
  const read = async () => {
    for (;;) {
      if (await readOnce().catch(() => false)) return
      if (isOver() || controller.signal.aborted) return
      await sleep(100)
    }
  }
  follower.ended = read()
  return follower
}

function note({ started, finished }: Follower, { type, data }: CallsLiveEvent): void {
  if (type === 'turn.started') started.add(data.seq)
  if (type === 'turn.finished') finished.push(data.turn)
}
