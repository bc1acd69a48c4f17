import { setTimeout as sleep } from 'node:timers/promises'
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
    let rest = ''
    const decoder = new TextDecoder()
    for await (const bytes of response.body ?? []) {
      const blocks = (rest + decoder.decode(bytes, { stream: true })).split('\n\n')
      rest = blocks.pop() ?? ''
      for (const block of blocks) note(follower, block)
    }
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

function note({ started, finished }: Follower, block: string): void {
  const name = /^event: (.*)$/m.exec(block)?.[1]
  const data = /^data: (.*)$/m.exec(block)?.[1] ?? '{}'
  if (name === 'turn.started') started.add(JSON.parse(data).seq)
  if (name === 'turn.finished') finished.push(JSON.parse(data).turn)
}
