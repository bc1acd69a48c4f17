import { once } from 'node:events'
import http from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads'

/** Requests `/health` continuously from a worker thread, so that the test itself causes no delay. */
export interface HealthWaits {
  /** The longest wait for a response since the last call, in milliseconds. */
  takeLongest: () => Promise<number>
  stop: () => Promise<void>
}

const request_every_ms = 2

export async function watchHealth(stack: AsyncDisposableStack, url: string): Promise<HealthWaits> {
  const worker = new Worker(new URL(import.meta.url), { workerData: { health: `${url}/health` } })
  const stop = async () => void (await worker.terminate())
  stack.defer(stop)
  await once(worker, 'message')
  return {
    async takeLongest() {
      worker.postMessage('take longest')
      const [longest_ms] = await once(worker, 'message')
      return longest_ms
    },
    stop,
  }
}

async function watch(address: string): Promise<never> {
  const agent = new http.Agent({ keepAlive: true, maxSockets: 1 })
  let longest_ms = 0
  let is_wanted = false
  parentPort?.on('message', () => {
    is_wanted = true
  })
  parentPort?.postMessage('ready')
  for (;;) {
    const begun_at = performance.now()
    await requestHealth(address, agent)
    longest_ms = Math.max(longest_ms, performance.now() - begun_at)
    if (is_wanted) {
      parentPort?.postMessage(longest_ms)
      is_wanted = false
      longest_ms = 0
    }
    await sleep(request_every_ms)
  }
}

const requestHealth = (address: string, agent: http.Agent): Promise<void> =>
  new Promise((resolve, reject) => {
    const request = http.get(address, { agent }, (response) => {
      response.resume().on('end', resolve).on('error', reject)
    })
    request.on('error', reject)
  })

if (!isMainThread && workerData?.health) await watch(workerData.health)
