import { setTimeout as sleep } from 'node:timers/promises'
import { Worker } from 'node:worker_threads'
import * as clock from '../../kit/clock.ts'
import { errorCode } from '../../kit/problem.ts'
import { isShortage } from '../../kit/work/shortage.ts'
import { UnreadableError } from './blocks.ts'
import type { ParseMessage } from './thread.ts'

/** Only `parser.ts` starts this process. It gets the file by stdin, and ends with it. */

/** It sends what the thread sends, and one of these at the end. */
export type ReaderMessage =
  | ParseMessage
  /** The file is to blame: what is in it has failed with this error. */
  | { type: 'damaged'; error: string }
  /** Something else is to blame. */
  | { type: 'failed'; error: string; code: string | undefined }

const heap_max_mb = 200
const young_heap_max_mb = 24
/** Of the process with all that it has unpacked. Some is left of 400 MB, for what it takes before the next look. */
const resident_bytes_max = 370 * 1024 * 1024
const check_every_ms = 20

const too_large = 'The file needs too much memory to read. Split it into smaller ones.'
const [kind, size, time_max_ms] = process.argv.slice(2)
const too_long = `The file took longer than ${Number(time_max_ms) / 1000} seconds to read. Split it into smaller ones.`

// Nobody is left to read for.
process.once('disconnect', () => process.exit())
const last = await read(await readInput(Number(size)))
process.send?.(last, () => process.exit())

async function readInput(length: number): Promise<Uint8Array<ArrayBuffer>> {
  const file = new Uint8Array(length)
  let filled = 0
  for await (const piece of process.stdin) {
    file.set(piece, filled)
    filled += piece.length
  }
  return file
}

async function read(file: Uint8Array<ArrayBuffer>): Promise<ReaderMessage> {
  let is_reading = false
  try {
    const thread = new Worker(new URL('./thread.ts', import.meta.url), {
      workerData: { kind, file },
      transferList: [file.buffer],
      resourceLimits: {
        maxOldGenerationSizeMb: heap_max_mb,
        maxYoungGenerationSizeMb: young_heap_max_mb,
        stackSizeMb: 4,
      },
    })
    const { promise: ended, resolve, reject } = Promise.withResolvers<ReaderMessage>()
    process.on('message', (message) => thread.postMessage(message))
    thread.on('message', (message: ParseMessage) => {
      if (message.type === 'reading') is_reading = true
      if (message.type === 'end' || message.type === 'unreadable') resolve(message)
      else process.send?.(message)
    })
    thread.on('error', reject)
    thread.on('exit', (code) => reject(new Error(`a thread ended with ${code}`)))
    return await Promise.race([ended, watch()])
  } catch (error) {
    if (error instanceof UnreadableError) return { type: 'unreadable', reason: error.message }
    const code = errorCode(error)
    if (code === 'ERR_WORKER_OUT_OF_MEMORY') return { type: 'unreadable', reason: too_large }
    const text = error instanceof Error ? (error.stack ?? error.message) : String(error)
    return is_reading && !isShortage(error) ? { type: 'damaged', error: text } : { type: 'failed', error: text, code }
  }
}

/** Its own clock looks at the thread, which may never let go of its own. */
async function watch(): Promise<never> {
  const until = clock.ticks() + Number(time_max_ms)
  for (;;) {
    await sleep(check_every_ms)
    if (clock.ticks() > until) throw new UnreadableError(too_long)
    if (process.memoryUsage.rss() > resident_bytes_max) throw new UnreadableError(too_large)
  }
}
