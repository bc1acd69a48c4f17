import { once } from 'node:events'
import { createReadStream } from 'node:fs'
import path from 'node:path'
import { Worker } from 'node:worker_threads'
import type { AudioToRender, Renderer, Store } from '../../calls/rendering.ts'
import { inScratchFolder } from '../../kit/blobs/scratch.ts'
import { openConcurrencyLimit } from '../../kit/limits/concurrency.ts'
import { overloaded } from '../../kit/problem.ts'
import type { Rendering } from './thread.ts'
import { wavSize } from './wav.ts'

/** A call of two hours in which both sides speak all the time takes about half of this. */
const job_max_ms = 15 * 60 * 1000
/** Rendering uses a whole processor. */
const jobs_at_once = 1
const jobs_max = 50
const jobs_per_workspace_max = 10
const heap_max_mb = 128

const default_voices = { contact: 'rms', agent: 'slt' } as const

interface RendererOptions {
  /** For temporary files. */
  folder: string
}

/**
 * Renders calls one after the other, each in a thread that ends with its call: so an idle process needs no memory for it.
 * Workspaces take turns, so that one with many calls doesn't keep the others waiting.
 */
export function openRenderer({ folder }: RendererOptions): Renderer {
  const jobs = new Map<string, Promise<void>>()
  const slots = openConcurrencyLimit(jobs_max, jobs_per_workspace_max)
  /** By workspace. The first one is next. */
  const waiting = new Map<string, (() => void)[]>()
  let running = 0

  function render(audio: AudioToRender, store: Store): Promise<void> {
    const { id, workspace } = audio
    const known = jobs.get(id)
    if (known) return known
    if (!slots.acquire(workspace)) return Promise.reject(overloaded())
    const job = inTurn(workspace, () => renderAndStore(audio, store)).finally(() => {
      jobs.delete(id)
      slots.release(workspace)
    })
    // Those who wait for it get the error. Nobody may be waiting.
    job.catch(() => {})
    jobs.set(id, job)
    return job
  }

  async function inTurn(workspace: string, work: () => Promise<void>): Promise<void> {
    if (running < jobs_at_once) running += 1
    else await new Promise<void>((resolve) => waiting.set(workspace, [...(waiting.get(workspace) ?? []), resolve]))
    try {
      await work()
    } finally {
      startNext()
    }
  }

  /** The next one takes over the place of the one that has ended. */
  function startNext(): void {
    const [next] = waiting
    if (!next) {
      running -= 1
      return
    }
    const [workspace, [start, ...later]] = next
    waiting.delete(workspace)
    if (later.length > 0) waiting.set(workspace, later)
    start?.()
  }

  async function renderAndStore({ duration_ms, ...tracks }: AudioToRender, store: Store): Promise<void> {
    const contact = { ...tracks.contact, voice: tracks.contact.voice ?? default_voices.contact }
    const agent = { ...tracks.agent, voice: tracks.agent.voice ?? default_voices.agent }
    await inScratchFolder(folder, async (scratch) => {
      const file = path.join(scratch, 'recording.wav')
      await runThread({ file, duration_ms, contact, agent })
      const stream = createReadStream(file)
      // Whoever reads it gets the error. Nobody may be reading.
      stream.on('error', () => {})
      await store({ size: wavSize(duration_ms), stream }).finally(() => stream.destroy())
    })
  }

  return { render }
}

/** Fails when the thread does, or takes too long. */
async function runThread(rendering: Rendering): Promise<void> {
  const thread = new Worker(new URL('./thread.ts', import.meta.url), {
    workerData: rendering,
    resourceLimits: { maxOldGenerationSizeMb: heap_max_mb },
  })
  thread.unref()
  // One that comes after the end has nobody to tell.
  thread.on('error', () => {})
  const too_long = new AbortController()
  const timer = setTimeout(() => too_long.abort(new Error('rendering took too long')), job_max_ms)
  timer.unref()
  try {
    const [code] = await once(thread, 'exit', { signal: too_long.signal })
    if (code !== 0) throw new Error(`rendering ended with ${code}`)
  } finally {
    clearTimeout(timer)
    await thread.terminate()
  }
}
