import { once } from 'node:events'
import net from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads'

/** Sends requests as fast as possible, from a worker thread, so that measurements in the main thread are not delayed. */
export interface FloodOptions {
  url: string
  /** One request as text. */
  request: string
  sockets: number
  /** Unlimited by default. A socket sends its next request after the response to the last one. */
  per_second?: number
}

export interface Flood {
  /** The number of responses by status. */
  statuses: () => Record<string, number>
  stop: () => Promise<void>
}

const tick_ms = 10
const connect_at_once = 100

export async function openFlood(stack: AsyncDisposableStack, options: FloodOptions): Promise<Flood> {
  let statuses: Record<string, number> = {}
  const worker = new Worker(new URL(import.meta.url), { workerData: options })
  worker.on('message', (counts) => {
    statuses = counts
  })
  const stop = async () => void (await worker.terminate())
  stack.defer(stop)
  await once(worker, 'message')
  return { statuses: () => statuses, stop }
}

async function flood({
  url,
  request,
  sockets: count,
  per_second = Number.POSITIVE_INFINITY,
}: FloodOptions): Promise<void> {
  const { hostname, port } = new URL(url)
  const statuses: Record<string, number> = {}
  let free: net.Socket[] = []
  for (let opened = 1; opened <= count; opened += 1) {
    const socket = net.connect({ host: hostname, port: Number(port), noDelay: true })
    socket.on('error', () => {})
    socket.setEncoding('latin1').on('data', (text: string) => {
      const [, status] = /^HTTP\/1\.1 (\d{3})/.exec(text) ?? []
      if (!status) return
      statuses[status] = (statuses[status] ?? 0) + 1
      if (per_second === Number.POSITIVE_INFINITY) socket.write(request)
      else free.push(socket)
    })
    free.push(socket)
    if (opened % connect_at_once === 0) await once(socket, 'connect')
  }
  for (;;) {
    const next = free.slice(0, (per_second * tick_ms) / 1_000)
    free = free.slice(next.length)
    for (const socket of next) socket.write(request)
    parentPort?.postMessage(statuses)
    await sleep(tick_ms)
  }
}

if (!isMainThread && workerData?.request) await flood(workerData)
