import { setTimeout as sleep } from 'node:timers/promises'
import type { Worker } from 'node:worker_threads'
import * as clock from '../../kit/clock.ts'
import { errorCode } from '../../kit/problem.ts'
import { isShortage } from '../../kit/work/shortage.ts'
import { startThread } from '../../kit/work/threads.ts'
import { UnreadableError } from './blocks.ts'
import type { FileKind } from './kinds.ts'
import type { ParseMessage, ParseOrder } from './thread.ts'

/**
 * The order to read a file. Only `parser.ts` starts this process, and sends one of these for each file, followed by the
 * orders that the thread gets after it.
 */
export interface ReadOrder {
  type: 'read'
  kind: FileKind
  file: Uint8Array
  time_max_ms: number
}

/** A message of this process. It passes on what the thread sends, and sends one of these at the end. */
export type ReaderMessage =
  | Exclude<ParseMessage, { type: 'end' }>
  /** The file is read. The process may read another one if it uses little memory. */
  | { type: 'end'; characters: number; is_small: boolean }
  /** The file is to blame: reading its content has failed with this error. */
  | { type: 'damaged'; error: string }
  /** Something other than the file is to blame. */
  | { type: 'failed'; error: string; code: string | undefined }

const heap_max_mb = 200
const young_heap_max_mb = 24
/**
 * Limits the memory of the process with all that it has unpacked. The rest of 400 MB is for what it takes before the
 * next look.
 */
const resident_bytes_max = 370 * 1024 * 1024
const small_bytes_max = 150 * 1024 * 1024
const check_every_ms = 20

const too_large = 'The file needs too much memory to read. Split it into smaller ones.'
const too_long = (time_max_ms: number): string =>
  `The file took longer than ${time_max_ms / 1000} seconds to read. Split it into smaller ones.`

let thread: Worker | undefined

// Without a parent there is nobody to read for.
process.once('disconnect', () => process.exit())
process.on('message', (order: ReadOrder | Exclude<ParseOrder, { type: 'read' }>) => {
  if (order.type === 'read') void read(order).then((last) => process.send?.(last))
  else thread?.postMessage(order)
})

const openThread = (): Worker =>
  startThread(new URL('./thread.ts', import.meta.url), {
    limits: { maxOldGenerationSizeMb: heap_max_mb, maxYoungGenerationSizeMb: young_heap_max_mb, stackSizeMb: 4 },
  })

/** Reads a file. After any result but `end` this process is of no more use. */
async function read({ kind, file, time_max_ms }: ReadOrder): Promise<ReaderMessage> {
  const watching = new AbortController()
  let is_reading = false
  try {
    thread ??= openThread()
    const { promise: ended, resolve, reject } = Promise.withResolvers<ParseMessage>()
    thread.removeAllListeners()
    thread.on('message', (message: ParseMessage) => {
      if (message.type === 'reading') is_reading = true
      if (message.type === 'end' || message.type === 'unreadable') resolve(message)
      else process.send?.(message)
    })
    thread.on('error', reject)
    thread.on('exit', (code) => reject(new Error(`a thread ended with ${code}`)))
    const bytes = new Uint8Array(file)
    thread.postMessage({ type: 'read', kind, file: bytes }, [bytes.buffer])
    const last = await Promise.race([ended, watch(time_max_ms, watching.signal)])
    return last.type === 'end' ? { ...last, is_small: process.memoryUsage.rss() <= small_bytes_max } : last
  } catch (error) {
    if (error instanceof UnreadableError) return { type: 'unreadable', reason: error.message }
    const code = errorCode(error)
    if (code === 'ERR_WORKER_OUT_OF_MEMORY') return { type: 'unreadable', reason: too_large }
    const text = error instanceof Error ? (error.stack ?? error.message) : String(error)
    return is_reading && !isShortage(error) ? { type: 'damaged', error: text } : { type: 'failed', error: text, code }
  } finally {
    watching.abort()
  }
}

/**
 * Ends a reading that takes too long or too much memory. This thread has its own timer, because the other one may never
 * come to its timers.
 */
async function watch(time_max_ms: number, signal: AbortSignal): Promise<never> {
  const until = clock.ticks() + time_max_ms
  while (!signal.aborted) {
    await sleep(check_every_ms)
    if (clock.ticks() > until) throw new UnreadableError(too_long(time_max_ms))
    if (process.memoryUsage.rss() > resident_bytes_max) throw new UnreadableError(too_large)
  }
  return new Promise(() => {})
}
