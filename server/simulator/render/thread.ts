import path from 'node:path'
import { workerData } from 'node:worker_threads'
import { openSynthesizer } from './flite.ts'
import { openTrack, type Track } from './track.ts'
import { writeWav } from './wav.ts'

/** What a thread renders. It ends with the thread, or the thread fails. */
export interface Rendering {
  file: string
  duration_ms: number
  contact: Track
  agent: Track
}

// It is what `renderer.ts` passes.
const { file, duration_ms, contact, agent } = workerData as Rendering
const synthesizer = await openSynthesizer(path.dirname(file))
await writeWav(file, { duration_ms, left: openTrack(synthesizer, contact), right: openTrack(synthesizer, agent) })
