import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import path from 'node:path'
import { createInterface } from 'node:readline'
import type { Job, Result } from './load.ts'
import type { Tenant } from './rows.ts'

/** A measured server, in its own process. */
export interface Server {
  pid: number
  port: number
}

const start_ms = 30_000
const stop_ms = 12_000
const address = /http:\/\/127\.0\.0\.1:(\d+)/

/** Starts a file that prints its URL when it listens. `settings` are sent to it as a message. */
export async function startServer(
  stack: AsyncDisposableStack,
  file: string,
  args: string[],
  environment: Record<string, string>,
  settings?: object,
): Promise<Server> {
  const child = start(stack, file, args, environment)
  if (settings) child.send(settings)
  const { promise, resolve, reject } = Promise.withResolvers<number>()
  child.once('exit', (code) => reject(new Error(`${file} exited with ${code}`)))
  const timer = setTimeout(reject, start_ms, new Error(`${file} did not start within ${start_ms} ms`))
  onLine(child.stdout, (line) => {
    const [, port] = address.exec(line) ?? []
    if (port) resolve(Number(port))
  })
  const port = await promise.finally(() => clearTimeout(timer))
  return { port, pid: child.pid ?? 0 }
}

/** Starts the load process, and returns a function that measures one job. */
export function startLoad(
  stack: AsyncDisposableStack,
  tenants: Tenant[],
  signal: AbortSignal,
): (job: Job) => Promise<{ per_second: number; statuses: Record<string, number> }> {
  const child = start(stack, 'bench/load.ts', [], {})
  child.send({ tenants })
  signal.addEventListener('abort', () => child.kill())
  return async (job) => {
    signal.throwIfAborted()
    const { promise, resolve, reject } = Promise.withResolvers<Result>()
    const fail = () => reject(signal.reason ?? new Error('the load process has ended'))
    child.once('message', resolve).once('exit', fail)
    child.send({ job })
    const result = await promise.finally(() => child.off('exit', fail))
    if ('failure' in result) throw new Error(`${job.row}: ${result.failure}`)
    return result
  }
}

/** The environment is not inherited, because it may contain another configuration. */
function start(
  stack: AsyncDisposableStack,
  file: string,
  args: string[],
  environment: Record<string, string>,
): ChildProcess {
  const checkout = path.resolve(import.meta.dirname, '..')
  const child = spawn(process.execPath, [...process.execArgv, path.join(checkout, file), ...args], {
    cwd: checkout,
    env: { PATH: process.env.PATH, ...environment },
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  })
  onLine(child.stderr, (line) => {
    if (!line.includes('"level":30')) console.error(line)
  })
  stack.defer(() => stop(child))
  return child
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const timer = setTimeout(() => child.kill('SIGKILL'), stop_ms)
  const ended = once(child, 'exit')
  child.kill()
  await ended.finally(() => clearTimeout(timer))
}

function onLine(stream: ChildProcess['stdout'], callback: (line: string) => void): void {
  if (stream) createInterface({ input: stream }).on('line', callback)
}
