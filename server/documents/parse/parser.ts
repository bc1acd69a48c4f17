import { setTimeout as sleep } from 'node:timers/promises'
import { Worker } from 'node:worker_threads'
import * as clock from '../../kit/clock.ts'
import { isShortage } from '../../kit/work/shortage.ts'
import type { RunContext } from '../../kit/work/work.ts'
import { UnreadableError } from './blocks.ts'
import type { FileKind } from './kinds.ts'
import type { ParsedPassage } from './passages.ts'
import type { ParseMessage } from './thread.ts'

const time_max_ms = 60_000
const heap_max_mb = 512
/** What the thread keeps outside of its heap, such as what it has unpacked. Nothing else limits it. */
const outside_bytes_max = 512 * 1024 * 1024
const check_every_ms = 200

export interface Parsed {
  passages: ParsedPassage[]
  characters: number
}

const too_large = 'The file needs too much memory to read. Split it into smaller ones.'
const too_long = `The file took longer than ${time_max_ms / 1000} seconds to read. Split it into smaller ones.`
const not_readable = 'The file is damaged and could not be read.'

/**
 * Reads a file in a thread of its own, which ends with it: whatever is in the file, others don't wait, and what it may use is
 * limited. Fails with an UnreadableError if the file is to blame, and with another error if a new attempt may succeed. Returns
 * nothing when the process is about to stop.
 */
export async function parse(
  { kind, file }: { kind: FileKind; file: Buffer },
  { isStopping, log }: Pick<RunContext, 'isStopping' | 'log'>,
): Promise<Parsed | undefined> {
  const bytes = new Uint8Array(file)
  const thread = new Worker(new URL('./thread.ts', import.meta.url), {
    workerData: { kind, file: bytes },
    transferList: [bytes.buffer],
    resourceLimits: { maxOldGenerationSizeMb: heap_max_mb, maxYoungGenerationSizeMb: 64, stackSizeMb: 4 },
    stdout: true,
    stderr: true,
  })
  let has_ended = false
  try {
    return await Promise.race([read(thread, log), watch(thread, () => has_ended || isStopping())])
  } finally {
    has_ended = true
    await thread.terminate()
  }
}

function read(thread: Worker, log: RunContext['log']): Promise<Parsed> {
  const { promise, resolve, reject } = Promise.withResolvers<Parsed>()
  const passages: ParsedPassage[] = []
  let is_reading = false
  thread.on('message', (message: ParseMessage) => {
    if (message.type === 'reading') is_reading = true
    else if (message.type === 'passages') {
      passages.push(...message.passages)
      thread.postMessage('more')
    } else if (message.type === 'end') resolve({ passages, characters: message.characters })
    else reject(new UnreadableError(message.reason))
  })
  thread.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'ERR_WORKER_OUT_OF_MEMORY') return reject(new UnreadableError(too_large))
    if (!is_reading || isShortage(error)) return reject(notStarted(error))
    log.warn({ err: error }, 'a file could not be parsed')
    reject(new UnreadableError(not_readable))
  })
  thread.on('exit', (code) =>
    reject(is_reading ? new UnreadableError(not_readable) : notStarted(new Error(`it ended with ${code}`))),
  )
  return promise
}

/** The process has no room for a thread now, or for its modules: those that can't be opened may look as if they were missing. */
const notStarted = (cause: Error): Error =>
  Object.assign(new Error('a thread could not read a file', { cause }), { code: 'ERR_WORKER_INIT_FAILED' })

async function watch(thread: Worker, isOver: () => boolean): Promise<undefined> {
  const until = clock.ticks() + time_max_ms
  while (!isOver()) {
    await sleep(check_every_ms, undefined, { ref: false })
    if (clock.ticks() > until) throw new UnreadableError(too_long)
    // It has ended when this fails, and `read` says how.
    const used = await Promise.race([
      thread.getHeapStatistics().catch(() => undefined),
      sleep(check_every_ms, undefined, { ref: false }),
    ])
    if (used && used.external_memory + used.malloced_memory > outside_bytes_max) throw new UnreadableError(too_large)
  }
  return undefined
}
