import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { RunContext } from '../../kit/work/work.ts'
import { UnreadableError } from './blocks.ts'
import type { FileKind } from './kinds.ts'
import type { ParsedPassage } from './passages.ts'
import type { ReaderMessage } from './reader-process.ts'
import { check_every_ms, endTurn, type TurnLimits, takeTurn, turn_limits } from './turns.ts'

export interface Parsed {
  passages: ParsedPassage[]
  characters: number
}

const not_readable = 'The file is damaged and could not be read.'
const program = path.join(import.meta.dirname, 'reader-process.ts')

export interface ReadLimits extends TurnLimits {
  /** Reading one file takes no longer than this. */
  time_max_ms: number
}

export const read_limits: ReadLimits = { ...turn_limits, time_max_ms: 60_000 }

interface Source {
  kind: FileKind
  file: Buffer
}

interface Context extends Pick<RunContext, 'isStopping' | 'log'> {
  workspace: string
  /** 1 for the first attempt to read the file. */
  attempt: number
}

/**
 * Reads a file in a process of its own, which ends with it: whatever is in the file, others don't wait, and what it may use is
 * limited. Only a few run at a time (turns.ts). Fails with an UnreadableError if the file is to blame, and with another
 * error if a new attempt may succeed. Returns nothing when this process is about to stop.
 */
export async function parse(source: Source, context: Context, limits = read_limits): Promise<Parsed | undefined> {
  const { workspace, attempt, isStopping, log } = context
  const turn = await takeTurn({ workspace, attempt }, limits, isStopping)
  if (!turn) return undefined
  try {
    const mustEnd = () => turn.must_end || isStopping()
    const parsed = await parseInProcess(source, { mustEnd, log, time_max_ms: limits.time_max_ms })
    if (!parsed && !isStopping()) throw interrupted()
    return parsed
  } finally {
    endTurn(turn)
  }
}

interface Reading {
  mustEnd: () => boolean
  log: RunContext['log']
  time_max_ms: number
}

async function parseInProcess(
  { kind, file }: Source,
  { mustEnd, log, time_max_ms }: Reading,
): Promise<Parsed | undefined> {
  const child = fork(program, [kind, String(file.length), String(time_max_ms)], {
    serialization: 'advanced',
    stdio: ['pipe', 'ignore', 'ignore', 'ipc'],
    // Without it Node uses several times as much memory and is hardly faster.
    execArgv: ['--heap-growing-percent=100'],
    // What reads files of others gets no secrets of the service.
    env: {},
  })
  let has_ended = false
  try {
    // It is null if the process could not start.
    child.stdin?.on('error', () => {})
    child.stdin?.end(file)
    return await Promise.race([read(child, log), waitFor(() => has_ended || mustEnd())])
  } finally {
    has_ended = true
    await end(child)
  }
}

/** Its memory is free when this resolves. */
async function end(child: ChildProcess): Promise<void> {
  if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return
  const exited = once(child, 'exit')
  child.kill('SIGKILL')
  await exited
}

function read(child: ChildProcess, log: RunContext['log']): Promise<Parsed> {
  const { promise, resolve, reject } = Promise.withResolvers<Parsed>()
  const passages: ParsedPassage[] = []
  let is_reading = false
  child.on('message', (message: ReaderMessage) => {
    if (message.type === 'reading') is_reading = true
    else if (message.type === 'passages') {
      passages.push(...message.passages)
      // If it has ended meanwhile, `exit` says so.
      child.send('more', () => {})
    } else if (message.type === 'end') resolve({ passages, characters: message.characters })
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
    // Somebody ended it, such as a machine without memory. It is tried again, but not for ever.
    else if (signal === 'SIGKILL' || signal === 'SIGTERM') reject(error)
    else reject(new UnreadableError(not_readable))
  })
  return promise
}

/** The machine has no room for a process now, or for its modules: those that can't be opened may look as if they were missing. */
const notStarted = (cause: Error): Error =>
  Object.assign(new Error('a process could not read a file', { cause }), { code: 'ERR_WORKER_INIT_FAILED' })

/** The file is not to blame, so attempts go on until it is read. */
const interrupted = (): Error =>
  Object.assign(new Error('other workspaces waited for this reader: the document is read again later'), {
    code: 'EAGAIN',
  })

async function waitFor(isOver: () => boolean): Promise<undefined> {
  while (!isOver()) await sleep(check_every_ms, undefined, { ref: false })
  return undefined
}
