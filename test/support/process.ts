import { type ChildProcess, spawn } from 'node:child_process'
import { EventEmitter, once } from 'node:events'
import path from 'node:path'
import { PassThrough, Readable } from 'node:stream'
import { runCommand } from '../../server/cli/parley.ts'
import type { Shell, StopSignal } from '../../server/start/shell.ts'

const checkout = path.resolve(import.meta.dirname, '../..')

export interface Ended {
  code: number | null
  stdout: string
  stderr: string
}

interface Output {
  stdout: () => string
  stderr: () => string
  /** Waits until standard output matches, and returns the match. Fails if the command ends before. */
  says: (pattern: RegExp) => Promise<RegExpExecArray>
  ended: Promise<Ended>
}

export interface Command extends Output {
  /** Acts as if the signal had reached the process. */
  signal: (name: StopSignal) => void
}

export interface Running extends Output {
  child: ChildProcess
}

/** Runs `parley ...` in this process, because starting one takes a second. The environment is only what is given. */
export function command(
  words: string[],
  environment: Record<string, string> = {},
  input: string | Shell['stdin'] = '',
): Command {
  const signals = new EventEmitter()
  const { promise: exited, resolve: exit } = Promise.withResolvers<number>()
  const stdin = typeof input === 'string' ? Readable.from(Buffer.from(input), { objectMode: false }) : input
  const [stdout, stderr] = [new PassThrough(), new PassThrough()]
  const on: Shell['on'] = (event, listener) => signals.on(event, listener)
  const shell: Shell = { env: environment, stdin, stdout, stderr, exit, on }
  const returned = runCommand(words, shell).then(() => Number(shell.exitCode ?? 0))
  const end = async (): Promise<number> => {
    // `serve` returns after its start, and exits after a signal.
    const code = await Promise.race([exited, words.includes('serve') ? returned.then(() => exited) : returned])
    signals.removeAllListeners()
    const drained = Promise.all([once(stdout, 'end'), once(stderr, 'end')])
    stdout.end()
    stderr.end()
    await drained
    return code
  }
  return { ...follow(stdout, stderr, end()), signal: (name) => void signals.emit(name) }
}

/** Starts the service in this process, until the stack is disposed of. Returns its URL, without a path. */
export async function serveInProcess(
  stack: AsyncDisposableStack,
  environment: Record<string, string>,
  options: string[] = [],
): Promise<string> {
  const running = command(['serve', ...options], {
    PORT: '0',
    LOG_LEVEL: 'warn',
    RATE_LIMIT_PER_SECOND: '0',
    ...environment,
  })
  stack.defer(async () => {
    running.signal('SIGTERM')
    await running.ended
  })
  const [, url = ''] = await running.says(/Base address +(\S+)\/api\/v1/)
  return url
}

/** Starts `parley ...` as a user does. The environment contains only PATH, HOME and the given variables. */
export const parley = (
  words: string[],
  environment: Record<string, string> = {},
  input = '',
  root = checkout,
): Running => startNode([path.join(root, 'bin/parley.mjs'), ...words], environment, input)

/** Starts a TypeScript file of this checkout as `parley` is started. */
export const startFile = (words: string[], environment: Record<string, string>): Running =>
  startNode([path.join(checkout, 'bin/run.mjs'), ...words], environment)

function startNode(words: string[], environment: Record<string, string>, input = ''): Running {
  const { PATH = '', HOME = '' } = process.env
  const child = spawn('node', words, {
    env: { PATH, HOME, ...environment },
    stdio: ['pipe', 'pipe', 'pipe'],
  })
  child.stdin.on('error', () => {}).end(input)
  const code = once(child, 'close').then(([code]): number | null => code)
  return { ...follow(child.stdout, child.stderr, code), child }
}

function follow(stdout_stream: Readable, stderr_stream: Readable, code: Promise<number | null>): Output {
  let stdout = ''
  let stderr = ''
  stdout_stream.setEncoding('utf8').on('data', (text) => {
    stdout += text
  })
  stderr_stream.setEncoding('utf8').on('data', (text) => {
    stderr += text
  })
  const ended = code.then((code): Ended => ({ code, stdout, stderr }))
  const says = async (pattern: RegExp): Promise<RegExpExecArray> => {
    for (;;) {
      const found = pattern.exec(stdout)
      if (found) return found
      const has_ended = await Promise.race([once(stdout_stream, 'data').then(() => false), ended.then(() => true)])
      if (has_ended && !pattern.test(stdout))
        throw new Error(`it ended without printing ${pattern}:\n${stdout}\n${stderr}`)
    }
  }
  return { stdout: () => stdout, stderr: () => stderr, says, ended }
}
