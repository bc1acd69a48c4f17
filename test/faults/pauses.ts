import assert from 'node:assert/strict'
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads'
import { openClient } from './client.ts'
import type { Tenant } from './service.ts'

/** The longest waits, in milliseconds. */
export interface Pause {
  health_ms: number
  /** Of a list of contacts in a workspace that does nothing else. */
  contacts_ms: number
}

/** Sends requests from a worker thread, so that the test itself causes no pause. */
export interface Pauses {
  /** The longest since the last call. Fails if a request was refused. */
  takeLongest: () => Promise<Pause>
  stop: () => Promise<void>
}

/** A pause of a request is at most this long on a quiet machine. */
export const pause_max_ms = 250

const request_every_ms = 20
const contacts = 50
const paths = { health_ms: '/health', contacts_ms: '/contacts?limit=5' }

/** The tenant is another one than those who attack. */
export async function watchPauses(stack: AsyncDisposableStack, url: string, { key }: Tenant): Promise<Pauses> {
  const { call, close } = openClient(url, key)
  for (let index = 0; index < contacts; index += 1) {
    const { status, body } = await call('POST', '/contacts', { phone_number: `+1415555${1_000 + index}` })
    assert.equal(status, 201, JSON.stringify(body))
  }
  close()
  const worker = new Worker(new URL(import.meta.url), { workerData: { pauses: { url, key } } })
  const stop = async () => void (await worker.terminate())
  stack.defer(stop)
  await once(worker, 'message')
  return {
    async takeLongest() {
      worker.postMessage('take longest')
      const [{ refused, ...pause }] = await once(worker, 'message')
      assert.deepEqual(refused, [], 'requests of another workspace were refused')
      return pause
    },
    stop,
  }
}

export const isLong = ({ health_ms, contacts_ms }: Pause): boolean => Math.max(health_ms, contacts_ms) >= pause_max_ms

/** The second is that of a service that does nothing else. */
export function describePause(pause: Pause, alone: Pause): string {
  const describe = (name: keyof Pause) => `${pause[name].toFixed()} ms (alone ${alone[name].toFixed()})`
  return `/health ${describe('health_ms')}, contacts of another workspace ${describe('contacts_ms')}`
}

function watch({ url, key }: { url: string; key: string }): void {
  const watched = Object.entries(paths).map(([name, path]) => [name, watchPath({ url, key }, path)] as const)
  const take = async () => {
    const taken = await Promise.all(watched.map(async ([name, takeLongest]) => [name, await takeLongest()] as const))
    const longest = Object.fromEntries(taken.map(([name, { longest_ms }]) => [name, longest_ms]))
    parentPort?.postMessage({ ...longest, refused: taken.flatMap(([, { refused }]) => refused) })
  }
  parentPort?.on('message', () => void take())
  parentPort?.postMessage('ready')
}

interface Longest {
  longest_ms: number
  refused: string[]
}

/** Requests it again and again. Returns what takes the longest wait, with that of a request that is sent now. */
function watchPath({ url, key }: { url: string; key: string }, path: string): () => Promise<Longest> {
  const { call } = openClient(url, key)
  let longest: Longest = { longest_ms: 0, refused: [] }
  let asked = Promise.withResolvers<void>()
  let answered = Promise.withResolvers<Longest>()
  let is_wanted = false
  const repeat = async () => {
    for (;;) {
      const is_last = is_wanted
      const { status, duration_ms } = await call('GET', path)
      if (status !== 200) longest.refused.push(`${path}: ${status}`)
      longest.longest_ms = Math.max(longest.longest_ms, duration_ms)
      if (is_last) {
        answered.resolve(longest)
        longest = { longest_ms: 0, refused: [] }
        is_wanted = false
        asked = Promise.withResolvers()
        answered = Promise.withResolvers()
      }
      if (!is_wanted) await Promise.race([sleep(request_every_ms), asked.promise])
    }
  }
  void repeat()
  return () => {
    is_wanted = true
    asked.resolve()
    return answered.promise
  }
}

if (!isMainThread && workerData?.pauses) watch(workerData.pauses)
