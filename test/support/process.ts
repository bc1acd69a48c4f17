import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import path from 'node:path'

const checkout = path.resolve(import.meta.dirname, '../..')

export interface Ended {
  code: number | null
  stdout: string
  stderr: string
}

export interface Running {
  child: ChildProcess
  stdout: () => string
  stderr: () => string
  /** Waits until standard output matches, and returns the match. Fails if the process ends before. */
  says: (pattern: RegExp) => Promise<RegExpExecArray>
  ended: Promise<Ended>
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
  let stdout = ''
  let stderr = ''
  child.stdout.setEncoding('utf8').on('data', (text) => {
    stdout += text
  })
  child.stderr.setEncoding('utf8').on('data', (text) => {
    stderr += text
  })
  const ended = once(child, 'close').then(([code]): Ended => ({ code, stdout, stderr }))
  const says = async (pattern: RegExp): Promise<RegExpExecArray> => {
    for (;;) {
      const found = pattern.exec(stdout)
      if (found) return found
      const has_ended = await Promise.race([once(child.stdout, 'data').then(() => false), ended.then(() => true)])
      if (has_ended && !pattern.test(stdout))
        throw new Error(`it ended without printing ${pattern}:\n${stdout}\n${stderr}`)
    }
  }
  return { child, stdout: () => stdout, stderr: () => stderr, says, ended }
}
