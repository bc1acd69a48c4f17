import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import type { Worker } from 'node:worker_threads'
import * as clock from '../../kit/clock.ts'
import type { Log } from '../../kit/log.ts'
import { errorMessage } from '../../kit/problem.ts'
import { startThread } from '../../kit/work/threads.ts'
import type { FromVoice, ToVoice } from './voice-thread.ts'
import type { VoicedText } from './voiced-text.ts'

/** Speaks with Flite in a thread, which is started when it is needed, and again after it has failed. */
export interface Voice {
  /** Starts the thread, if it doesn't run. */
  start: () => void
  speak: (speech: Omit<ToVoice, 'id'>) => Promise<VoicedText>
  /** Ends the thread, and starts none any more. May be called twice. */
  close: () => Promise<void>
}

const heap_max_mb = 128
const idle_max_ms = 5 * 60 * clock.second_ms
/** A thread that speaks a text for longer than this is ended. */
const answer_max_ms = 10 * clock.second_ms

interface Question {
  resolve: (spoken: VoicedText) => void
  reject: (error: Error) => void
}

export function openVoice({ log }: { log: Log }): Voice {
  let thread: { worker: Worker; folder: string } | undefined
  let last_id = 0
  let timer: NodeJS.Timeout | undefined
  let is_closed = false
  const questions = new Map<number, Question>()

  function start(): Worker {
    if (thread) return thread.worker
    if (is_closed) throw new Error('the voice was closed')
    const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'flite-'))
    const worker = startThread(new URL('./voice-thread.ts', import.meta.url), {
      data: folder,
      limits: { maxOldGenerationSizeMb: heap_max_mb },
    })
    const started = { worker, folder }
    thread = started
    worker.on('message', onMessage)
    worker.on('error', (error) => void end(started, new Error(errorMessage(error))))
    worker.on('exit', (code) => void end(started, new Error(`the voice ended with ${code}`)))
    return worker
  }

  function onMessage(message: FromVoice): void {
    const question = questions.get(message.id)
    questions.delete(message.id)
    watch()
    if ('error' in message) question?.reject(new Error(message.error))
    else question?.resolve(message.spoken)
  }

  /** The thread keeps the process running only while someone waits for it. */
  function watch(): void {
    clearTimeout(timer)
    if (!thread) return
    const started = thread
    const is_idle = questions.size === 0
    if (is_idle) started.worker.unref()
    else started.worker.ref()
    const stop = () => void end(started, is_idle ? undefined : new Error('the voice took too long'))
    timer = setTimeout(stop, is_idle ? idle_max_ms : answer_max_ms)
    timer.unref()
  }

  async function end(ended: { worker: Worker; folder: string }, error: Error | undefined): Promise<void> {
    if (thread !== ended) return
    thread = undefined
    clearTimeout(timer)
    if (error) log.error({ err: error }, 'the thread that speaks has ended')
    for (const { reject } of questions.values()) reject(error ?? new Error('the voice was closed'))
    questions.clear()
    await ended.worker.terminate()
    // If this fails, files are left in the folder for temporary files and do no harm.
    fs.rm(ended.folder, { recursive: true, force: true }, () => {})
  }

  return {
    start() {
      start()
      watch()
    },
    speak: (speech) =>
      new Promise((resolve, reject) => {
        const worker = start()
        last_id += 1
        questions.set(last_id, { resolve, reject })
        watch()
        worker.postMessage({ id: last_id, ...speech } satisfies ToVoice)
      }),
    close: async () => {
      is_closed = true
      if (thread) await end(thread, undefined)
    },
  }
}
