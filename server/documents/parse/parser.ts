import type { ChildProcess } from 'node:child_process'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { isRunning, killProcess, letProcessEnd, startProcess, waitForProcess } from '../../kit/work/threads.ts'
import type { RunContext } from '../../kit/work/work.ts'
import { UnreadableError } from './blocks.ts'
import type { FileKind } from './kinds.ts'
import type { ParsedPassage } from './passages.ts'
import type { ReaderMessage, ReadOrder } from './reader-process.ts'
import { check_every_ms, endSlot, type SlotLimits, slot_limits, takeSlot } from './slots.ts'

export interface ParsedFile {
  passages: ParsedPassage[]
  characters: number
}

const not_readable = 'The file is damaged and could not be read.'
const program = path.join(import.meta.dirname, 'reader-process.ts')

export interface ReadLimits extends SlotLimits {
  /** Limits the time to read one file. */
  time_max_ms: number
}

/** @internal */
export const read_limits: ReadLimits = { ...slot_limits, time_max_ms: 60_000 }

interface Source {
  kind: FileKind
  file: Buffer
}

interface Context extends Pick<RunContext, 'isStopping' | 'log'> {
  workspace: string
  /** The number of the attempt to read the file. The first one is 1. */
  attempt: number
}

/**
 * Reads a file in another process, so that others don't wait whatever is in the file, and what it may use is limited.
 * Only a few run at a time (slots.ts), and each reads the files of one workspace. Fails with an UnreadableError if the
 * file is to blame, and with another error if a new attempt may succeed. Returns nothing when this process is about to
 * stop.
 */
export async function parse(source: Source, context: Context, limits = read_limits): Promise<ParsedFile | undefined> {
  const { workspace, attempt, isStopping, log } = context
  const slot = await takeSlot({ workspace, attempt }, limits, isStopping)
  if (!slot) return undefined
  const child = takeResting(workspace) ?? startReader()
  let has_ended = false
  let may_rest = false
  try {
    const order: ReadOrder = { type: 'read', ...source, time_max_ms: limits.time_max_ms }
    const answer = read(child, log)
    // Nothing can be sent to a process that could not start. `read` fails then.
    if (child.connected) child.send(order, () => {})
    const parsed = await Promise.race([answer, waitFor(() => has_ended || slot.must_end || isStopping())])
    if (!parsed && !isStopping()) throw interrupted()
    may_rest = parsed?.is_small === true
    return parsed
  } finally {
    has_ended = true
    if (may_rest) rest(child, workspace)
    else await killProcess(child)
    endSlot(slot)
  }
}

const startReader = (): ChildProcess =>
  // Without this option Node uses several times as much memory and is hardly faster.
  startProcess(program, { node_options: ['--heap-growing-percent=100'] })

/**
 * A process that has read a file waits this long for another one of its workspace, because starting one takes longer
 * than reading most files.
 */
const rest_ms = 1_000

interface RestingReader {
  workspace: string
  child: ChildProcess
  timer: NodeJS.Timeout
}

/**
 * The process that waits for another file. All services of this process share it, as they share the limits in slots.ts.
 */
let resting: RestingReader | undefined

/** Returns the resting process if it has read a file of this workspace. Any other is ended. */
function takeResting(workspace: string): ChildProcess | undefined {
  if (resting?.workspace !== workspace) {
    endResting()
    return undefined
  }
  const { child, timer } = resting
  clearTimeout(timer)
  resting = undefined
  if (!isRunning(child)) return undefined
  waitForProcess(child)
  return child
}

/** Lets the process wait for another file. It doesn't keep this process alive, and ends with it. */
function rest(child: ChildProcess, workspace: string): void {
  endResting()
  for (const event of ['message', 'error', 'exit']) child.removeAllListeners(event)
  child.on('error', () => {})
  letProcessEnd(child)
  resting = { workspace, child, timer: setTimeout(endResting, rest_ms).unref() }
}

function endResting(): void {
  clearTimeout(resting?.timer)
  resting?.child.kill('SIGKILL')
  resting = undefined
}

function read(child: ChildProcess, log: RunContext['log']): Promise<ParsedFile & { is_small: boolean }> {
  const { promise, resolve, reject } = Promise.withResolvers<ParsedFile & { is_small: boolean }>()
  const passages: ParsedPassage[] = []
  let is_reading = false
  child.on('message', (message: ReaderMessage) => {
    if (message.type === 'reading') is_reading = true
    else if (message.type === 'passages') {
      passages.push(...message.passages)
      // If the process has ended meanwhile, `exit` says so.
      child.send({ type: 'more' }, () => {})
    } else if (message.type === 'end') resolve({ passages, ...message })
    else if (message.type === 'unreadable') reject(new UnreadableError(message.reason))
    else if (message.type === 'failed') reject(notStarted(new Error(message.error)))
    else {
      log.warn({ err: message.error }, 'a file could not be parsed')
      reject(new UnreadableError(not_readable))
    }
  })
  child.on('error', (error) => reject(notStarted(error)))
  child.on('exit', (code, signal) => {
    const error = new Error(`the process that reads a file ended with ${signal ?? code}`)
    if (!is_reading) reject(notStarted(error))
    // Something else ended the process, such as a machine without memory. The file is tried again, but not for ever.
    else if (signal === 'SIGKILL' || signal === 'SIGTERM') reject(error)
    else reject(new UnreadableError(not_readable))
  })
  return promise
}

/**
 * Makes the error that no process could start. The machine has no room for one now, or for its modules: modules that
 * can't be opened may look as if they were missing.
 */
const notStarted = (cause: Error): Error =>
  Object.assign(new Error('a process could not read a file', { cause }), { code: 'ERR_WORKER_INIT_FAILED' })

/** Makes the error that others waited. The file is not to blame, so attempts go on until it is read. */
const interrupted = (): Error =>
  Object.assign(new Error('other workspaces waited for this reader: the document is read again later'), {
    code: 'EAGAIN',
  })

async function waitFor(isOver: () => boolean): Promise<undefined> {
  while (!isOver()) await sleep(check_every_ms, undefined, { ref: false })
  return undefined
}
