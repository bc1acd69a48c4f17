import { type ChildProcess, fork } from 'node:child_process'
import { type ResourceLimits, Worker } from 'node:worker_threads'

interface ThreadOptions {
  data?: unknown
  limits?: ResourceLimits
}

/** Starts a thread, which doesn't keep this process running. */
export function startThread(file: URL, { data, limits }: ThreadOptions): Worker {
  const thread = new Worker(file, { workerData: data, ...(limits && { resourceLimits: limits }) })
  thread.unref()
  // Without this listener, an error that comes after the end would end this process.
  thread.on('error', () => {})
  return thread
}

interface UseOptions extends ThreadOptions {
  time_max_ms: number
  /** The error of a thread that takes longer. */
  tooLong: () => Error
  signal?: AbortSignal
}

/** Starts a thread, and ends it when `use` has what it wants from it, when the signal is aborted, or when it takes too long. */
export async function inThread<T>(
  file: URL,
  { time_max_ms, tooLong, signal, ...options }: UseOptions,
  use: (thread: Worker, ended: AbortSignal) => Promise<T>,
): Promise<T> {
  signal?.throwIfAborted()
  const thread = startThread(file, options)
  const limit = new AbortController()
  const timer = setTimeout(() => limit.abort(tooLong()), time_max_ms).unref()
  const ended = signal ? AbortSignal.any([signal, limit.signal]) : limit.signal
  try {
    return await use(thread, ended)
  } catch (error) {
    throw ended.aborted ? ended.reason : error
  } finally {
    clearTimeout(timer)
    await thread.terminate()
  }
}

interface ProcessOptions {
  parameters?: string[]
  node_options?: string[]
  /** The whole environment of the process, without secrets of the service. */
  env?: Record<string, string>
  stderr?: 'ignore' | 'inherit'
}

/** Starts a process that runs a file, and exchanges messages with this one. */
export const startProcess = (
  file: string,
  { parameters = [], node_options = [], env = {}, stderr = 'ignore' }: ProcessOptions,
): ChildProcess =>
  fork(file, parameters, {
    serialization: 'advanced',
    // Pipes would keep this process from ending.
    stdio: ['ignore', 'ignore', stderr, 'ipc'],
    execArgv: node_options,
    env,
  })

/** Keeps this process running as long as the other one, or until `letProcessEnd`. */
export function waitForProcess(child: ChildProcess): void {
  child.ref()
  child.channel?.ref()
}

/** Lets this process end before the other one. */
export function letProcessEnd(child: ChildProcess | undefined): void {
  child?.unref()
  child?.channel?.unref()
}

/** Whether the process has started, and has not ended. */
export const isRunning = ({ pid, exitCode, signalCode }: ChildProcess): boolean =>
  pid !== undefined && exitCode === null && signalCode === null

/** Kills the process. Its memory is free when this resolves. */
export async function killProcess(child: ChildProcess): Promise<void> {
  if (!isRunning(child)) return
  child.ref()
  // `once` would also reject when the process can't be killed.
  const exited = new Promise((resolve) => child.once('exit', resolve))
  child.kill('SIGKILL')
  await exited
}
