import fs from 'node:fs'
import http from 'node:http'
import type { AddressInfo } from 'node:net'
import { json } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { between, seeded } from '../faults/random.ts'

/** A carrier for calls in a process of its own. It outlives the server, and keeps a log of what was dialled. */

/** One line of the log. */
export interface LoggedDial {
  call_id: string
  to: string
  /** When the request arrived, by the clock of this process. */
  at: number
  /** What the server says. */
  started_at: number
}

/** What happens to a dial instead of an answer. */
type Trouble =
  /** Dials, and ends the connection without an answer. */
  | 'dialed_without_answer'
  /** Ends the connection, and does not dial. */
  | 'reset'

export interface VoiceCarrierOptions {
  port?: number
  /** The file that each dial is appended to, as a line of JSON. */
  log: string
  troubleFor?: () => Trouble | undefined
  /** Milliseconds. It answers at once without it. */
  answerAfter?: () => number
}

export interface VoiceCarrier {
  url: string
  close: () => Promise<void>
}

export async function openVoiceCarrier(options: VoiceCarrierOptions): Promise<VoiceCarrier> {
  const dialed = new Set<string>()
  const file = fs.openSync(options.log, 'a')
  const server = http.createServer(
    (request, response) => void answer(request, response).catch(() => response.destroy()),
  )

  async function answer(request: http.IncomingMessage, response: http.ServerResponse): Promise<void> {
    const send = (status: number) => response.writeHead(status).end()
    const call_id = /^\/calls\/([^/]+)$/.exec(request.url ?? '')?.[1]
    if (request.method === 'GET' && call_id) return void send(dialed.has(call_id) ? 200 : 404)
    if (request.method !== 'POST' || request.url !== '/calls') return void send(405)
    const trouble = options.troubleFor?.()
    if (trouble === 'reset') return void request.socket.destroy()
    const dial = (await json(request)) as Omit<LoggedDial, 'at'>
    dialed.add(dial.call_id)
    fs.writeSync(file, `${JSON.stringify({ ...dial, at: Date.now() } satisfies LoggedDial)}\n`)
    fs.fsyncSync(file)
    if (options.answerAfter) await sleep(options.answerAfter())
    if (trouble) return void request.socket.destroy()
    send(201)
  }

  await new Promise<void>((resolve) => server.listen(options.port ?? 0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    close: async () => {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
      fs.closeSync(file)
    },
  }
}

export const readDials = (log: string): LoggedDial[] =>
  fs
    .readFileSync(log, 'utf8')
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line))

const slow_max_ms = 100

/**
 * `node test/peers/voice-carrier.ts --log FILE --seed 1 --troubles 0.05` prints its URL. It answers late. `troubles` is the share
 * of dials that get no answer; a third of those is not dialled.
 */
async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      port: { type: 'string', default: '0' },
      log: { type: 'string', default: 'dials.jsonl' },
      seed: { type: 'string', default: '1' },
      troubles: { type: 'string', default: '0' },
    },
  })
  const random = seeded(Number(values.seed))
  const share = Number(values.troubles)
  const carrier = await openVoiceCarrier({
    port: Number(values.port),
    log: values.log,
    answerAfter: () => between(random, 0, slow_max_ms),
    troubleFor() {
      const draw = random()
      if (draw >= share) return undefined
      return draw < share / 3 ? 'reset' : 'dialed_without_answer'
    },
  })
  console.log(carrier.url)
}

if (import.meta.main) {
  // It ends with the process that started it.
  process.on('disconnect', () => process.exit())
  await main()
}
