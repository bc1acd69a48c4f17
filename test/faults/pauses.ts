import { once } from 'node:events'
import http from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads'

/** Asks `/health` all the time, from a thread of its own, so that what the test does delays nothing. */
export interface Pauses {
  /** The longest wait for an answer since the last time this was asked, in milliseconds. */
  take: () => Promise<number>
  stop: () => Promise<void>
}

const ask_every_ms = 2

export async function watchPauses(stack: AsyncDisposableStack, url: string): Promise<Pauses> {
  const worker = new Worker(new URL(import.meta.url), { workerData: { health: `${url}/health` } })
  const stop = async () => void (await worker.terminate())
  stack.defer(stop)
  await once(worker, 'message')
  return {
    async take() {
      worker.postMessage('take')
      const [longest_ms] = await once(worker, 'message')
      return longest_ms
    },
    stop,
  }
}

async function watch(address: string): Promise<never> {
  const agent = new http.Agent({ keepAlive: true, maxSockets: 1 })
  let longest_ms = 0
  let is_asked = false
  parentPort?.on('message', () => {
    is_asked = true
  })
  parentPort?.postMessage('ready')
  for (;;) {
    const begun_at = performance.now()
    await ask(address, agent)
    longest_ms = Math.max(longest_ms, performance.now() - begun_at)
    if (is_asked) {
      parentPort?.postMessage(longest_ms)
      is_asked = false
      longest_ms = 0
    }
    await sleep(ask_every_ms)
  }
}

const ask = (address: string, agent: http.Agent): Promise<void> =>
  new Promise((resolve, reject) => {
    const request = http.get(address, { agent }, (response) => {
      response.resume().on('end', resolve).on('error', reject)
    })
    request.on('error', reject)
  })

if (!isMainThread && workerData?.health) await watch(workerData.health)
