import type { ChildProcess } from 'node:child_process'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import * as clock from '../../kit/clock.ts'
import type { Log } from '../../kit/log.ts'
import { killProcess, letProcessEnd, startProcess, waitForProcess } from '../../kit/work/threads.ts'
import type { FromHearing, ToHearing } from './messages.ts'
import type { Phrase } from './recogniser.ts'

/** Hears in a process of its own, which is started when it is needed, and again after it has crashed. */
export interface Hearing {
  /** Resolves when the models are loaded. */
  start: () => Promise<void>
  hear: (detector: number, samples: Float32Array) => Promise<number>
  closeDetector: (detector: number) => void
  recognise: (phrase: Phrase, signal: AbortSignal) => Promise<string>
  /** Ends the process. May be called twice. */
  close: () => Promise<void>
}

const program = path.join(import.meta.dirname, 'hearing-process.ts')
const idle_max_ms = 5 * 60 * clock.second_ms
const watch_ms = clock.second_ms
/**
 * A process that answers a question later than this is killed, soon enough for the next question of the same caller to
 * be answered.
 */
const answer_max_ms = { loading: 60 * clock.second_ms, ready: 12 * clock.second_ms }
/** A process starts this long after a crash, so that frames don't start one after the other. */
const restart_after_ms = clock.second_ms
/** Only when the process stands still do this many frames and phrases wait for an answer. */
const unanswered_max = 2_000

interface Question {
  asked_at: number
  /** Set when nobody waits for the answer any more. Whether it comes still says whether the process works. */
  is_left: boolean
  resolve: (answer: FromHearing) => void
  reject: (error: Error) => void
}

type QuestionMessage = Extract<ToHearing, { id: number }>

interface HearingOptions {
  /** Returns where offline speech is installed when the process starts. */
  findFolder: () => string
  log: Log
}

export function openHearing({ findFolder, log }: HearingOptions): Hearing {
  let child: ChildProcess | undefined
  let ready = Promise.withResolvers<void>()
  let ready_at: number | undefined
  let crashed_at = Number.NEGATIVE_INFINITY
  let used_at = 0
  let last_id = 0
  let is_closed = false
  let watching: NodeJS.Timeout | undefined
  const questions = new Map<number, Question>()

  const restartsIn = (): number => (child ? 0 : crashed_at + restart_after_ms - clock.ticks())

  function start(): ChildProcess {
    if (child) return child
    if (is_closed) throw new Error('offline speech was closed')
    if (restartsIn() > 0) throw new Error('offline speech has crashed and starts again soon')
    const started = startProcess(program, {
      parameters: [findFolder()],
      // The runtime would report its use to its vendor.
      env: { ORT_DISABLE_TELEMETRY: '1' },
      stderr: 'inherit',
    })
    started.on('message', (message: FromHearing) => onMessage(message))
    started.on('error', (error) => onEnd(started, error.message))
    started.on('exit', (code, signal) => onEnd(started, `it ended with ${signal ?? code}`))
    letProcessEnd(started)
    child = started
    used_at = clock.ticks()
    ready = Promise.withResolvers()
    ready_at = undefined
    // This avoids an unhandled rejection when nobody waits for the start.
    ready.promise.catch(() => {})
    watching = setInterval(watch, watch_ms)
    watching.unref()
    return started
  }

  function onMessage(message: FromHearing): void {
    if (message.kind === 'ready') {
      ready.resolve()
      ready_at = clock.ticks()
      return
    }
    const question = questions.get(message.id)
    forget(message.id)
    if (message.kind === 'failed') question?.reject(new Error(message.message))
    else question?.resolve(message)
  }

  /** Notes the end of a process, also when this process has ended it. */
  function onEnd(ended: ChildProcess, reason: string): void {
    if (child !== ended) return
    child = undefined
    clearInterval(watching)
    crashed_at = clock.ticks()
    log.error({ reason }, 'the process of offline speech has ended')
    rejectAll(new Error(`offline speech has crashed: ${reason}`))
  }

  function rejectAll(error: Error): void {
    ready.reject(error)
    for (const [id, { reject }] of questions) {
      forget(id)
      reject(error)
    }
  }

  function watch(): void {
    const [oldest] = questions.values()
    const now = clock.ticks()
    const limit_ms = ready_at === undefined ? answer_max_ms.loading : answer_max_ms.ready
    if (oldest && now - Math.max(oldest.asked_at, ready_at ?? 0) > limit_ms) child?.kill('SIGKILL')
    if (!oldest && now - used_at > idle_max_ms) void stop()
  }

  function forget(id: number): void {
    questions.delete(id)
    letGo()
  }

  /** Lets the process of the service end, unless someone waits for an answer. */
  function letGo(): void {
    if (!isAwaited()) letProcessEnd(child)
  }

  const isAwaited = (): boolean => questions.values().some(({ is_left }) => !is_left)

  function ask(newQuestion: (id: number) => QuestionMessage): { id: number; answer: Promise<FromHearing> } {
    if (questions.size >= unanswered_max) throw new Error('offline speech has too much to do')
    const started = start()
    last_id += 1
    const id = last_id
    used_at = clock.ticks()
    const { promise, resolve, reject } = Promise.withResolvers<FromHearing>()
    questions.set(id, { asked_at: used_at, is_left: false, resolve, reject })
    waitForProcess(started)
    send(started, newQuestion(id))
    return { id, answer: promise }
  }

  // A message that can't be sent is lost with the process, whose end rejects the question.
  const send = (to: ChildProcess | undefined, message: ToHearing) => void to?.send(message, () => {})

  async function hear(detector: number, samples: Float32Array): Promise<number> {
    const answer = await ask((id) => ({ kind: 'hear', id, detector, samples })).answer
    return answer.kind === 'heard' ? answer.probability : 0
  }

  async function recognise(phrase: Phrase, signal: AbortSignal): Promise<string> {
    signal.throwIfAborted()
    // Words are worth the wait for a restart: a crash must not end the calls that ask right after it.
    while (restartsIn() > 0) await sleep(Math.ceil(restartsIn()), undefined, { signal })
    const { id, answer } = ask((id) => ({ kind: 'recognise', id, phrase }))
    const question = questions.get(id)
    const cancel = () => {
      send(child, { kind: 'cancel', id })
      if (question) question.is_left = true
      letGo()
      question?.reject(signal.reason)
    }
    signal.addEventListener('abort', cancel)
    try {
      const answered = await answer
      return answered.kind === 'recognised' ? answered.text : ''
    } finally {
      signal.removeEventListener('abort', cancel)
    }
  }

  async function stop(): Promise<void> {
    const stopping = child
    if (!stopping) return
    child = undefined
    clearInterval(watching)
    rejectAll(new Error('offline speech was closed'))
    await killProcess(stopping)
  }

  return {
    async start() {
      const started = start()
      waitForProcess(started)
      try {
        await ready.promise
      } finally {
        letGo()
      }
    },
    hear,
    closeDetector: (detector) => send(child, { kind: 'close_detector', detector }),
    recognise,
    close() {
      is_closed = true
      return stop()
    },
  }
}
