import { once } from 'node:events'
import http from 'node:http'
import type { AddressInfo } from 'node:net'

/** The requests that arrived since the last report. */
export interface Arrived {
  count: number
  /** In milliseconds, from the event's timestamp to the arrival of the request. */
  waits: number[]
  /** From the first arrival to the last. */
  seconds: number
}

const hang_path = '/hang'
const slow_path = '/slow'
const slow_ms = 14_000
const timestamp = /"timestamp":"([^"]+)"/

let waits: number[] = []
let first_at = 0
let last_at = 0

const receive: http.RequestListener = (request, response) => {
  const at = performance.timeOrigin + performance.now()
  const chunks: Buffer[] = []
  request.on('data', (chunk: Buffer) => chunks.push(chunk))
  request.on('end', () => {
    if (request.url === hang_path) return
    if (request.url === slow_path) return void setTimeout(() => response.end(), slow_ms)
    const [, sent_at = ''] = timestamp.exec(Buffer.concat(chunks).toString()) ?? []
    waits.push(at - Date.parse(sent_at))
    first_at ||= at
    last_at = at
    response.end()
  })
}

async function listen(listener: http.RequestListener): Promise<number> {
  const server = http.createServer({ keepAliveTimeout: 60_000 }, listener).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return (server.address() as AddressInfo).port
}

async function serve(endpoints: number): Promise<void> {
  const ports: number[] = []
  while (ports.length < endpoints) ports.push(await listen(receive))
  const port = await listen((request, response) => {
    const arrived: Arrived = { count: waits.length, waits, seconds: (last_at - first_at) / 1000 }
    const answers: Record<string, () => object> = {
      '/ports': () => ports,
      '/count': () => ({ count: waits.length }),
      '/arrived': () => {
        waits = []
        first_at = 0
        return arrived
      },
    }
    response.end(JSON.stringify(answers[request.url ?? '']?.()))
  })
  console.log(`http://127.0.0.1:${port}`)
}

process.once('message', ({ endpoints }: { endpoints: number }) => void serve(endpoints))
process.on('disconnect', () => process.exit())
