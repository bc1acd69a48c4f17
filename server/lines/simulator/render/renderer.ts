import { once } from 'node:events'
import { createReadStream } from 'node:fs'
import fs from 'node:fs/promises'
import path from 'node:path'
import type { AudioToRender, Renderer, Store } from '../../../calls/carrier.ts'
import { inScratchFolder } from '../../../kit/blobs/scratch.ts'
import * as clock from '../../../kit/clock.ts'
import { openConcurrencyLimit } from '../../../kit/limits/concurrency.ts'
import { overloaded } from '../../../kit/problem.ts'
import { inThread } from '../../../kit/work/threads.ts'
import { openRenderSlot } from './slots.ts'
import type { Rendering } from './thread.ts'
import { wavSize } from './wav.ts'

/**
 * The limit of a job, without waits. A call of two hours in which both sides speak all the time takes about half of
 * this.
 */
const job_max_ms = 15 * 60 * 1000
/** How long a slice takes. A new thread costs about a tenth of it, and a call of half a minute is rendered in one. */
const slice_ms_default = 3_000
const jobs_max = 50
const jobs_per_workspace_max = 10
const heap_max_mb = 128

const default_voices = { contact: 'rms', agent: 'slt' } as const

interface RendererOptions {
  /** The folder for temporary files. */
  folder: string
  /** After this time a thread ends, and another call has the slot. */
  slice_ms?: number
}

/**
 * Renders calls in slices, which wait for one slot. Each slice runs in a thread that ends with it, so there is one thread at
 * most: rendering uses a whole processor, and an idle process needs no memory for it.
 */
export function openRenderer({ folder, slice_ms = slice_ms_default }: RendererOptions): Renderer {
  const jobs = new Map<string, Promise<void>>()
  const places = openConcurrencyLimit(jobs_max, jobs_per_workspace_max)
  const slot = openRenderSlot()

  function render(audio: AudioToRender, store: Store): Promise<void> {
    const { id, workspace } = audio
    const known = jobs.get(id)
    if (known) return known
    if (!places.acquire(workspace)) return Promise.reject(overloaded('too_many_recordings'))
    const job = renderAndStore(audio, store).finally(() => {
      jobs.delete(id)
      places.release(workspace)
    })
    // Requests that wait for the job get the error. Without any, it must not be an unhandled rejection.
    job.catch(() => {})
    jobs.set(id, job)
    return job
  }

  async function renderAndStore({ workspace, duration_ms, ...tracks }: AudioToRender, store: Store): Promise<void> {
    const contact = { ...tracks.contact, voice: tracks.contact.voice ?? default_voices.contact }
    const agent = { ...tracks.agent, voice: tracks.agent.voice ?? default_voices.agent }
    const size = wavSize(duration_ms)
    await inScratchFolder(folder, async (scratch) => {
      const file = path.join(scratch, 'recording.wav')
      const rendering = { file, duration_ms, contact, agent, slice_ms }
      let time_left_ms = job_max_ms
      let bytes_left = size
      while (bytes_left > 0) {
        time_left_ms -= await slot.take({ workspace, bytes_left }, () => runThread(rendering, time_left_ms))
        bytes_left = size - (await fs.stat(file)).size
      }
      const stream = createReadStream(file)
      // The reader of the stream gets the error. Without a reader it must not end the process.
      stream.on('error', () => {})
      await store({ size, stream }).finally(() => stream.destroy())
    })
  }

  return { render }
}

/** Returns how long the thread took, in milliseconds. Fails when the thread does, or takes too long. */
async function runThread(rendering: Rendering, time_max_ms: number): Promise<number> {
  const started_at = clock.ticks()
  const options = {
    data: rendering,
    limits: { maxOldGenerationSizeMb: heap_max_mb },
    time_max_ms,
    tooLong: () => new Error('rendering took too long'),
  }
  const [code] = await inThread(new URL('./thread.ts', import.meta.url), options, (thread, signal) =>
    once(thread, 'exit', { signal }),
  )
  if (code !== 0) throw new Error(`rendering ended with ${code}`)
  return clock.ticks() - started_at
}
