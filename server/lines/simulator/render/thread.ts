import path from 'node:path'
import { workerData } from 'node:worker_threads'
import { openSynthesizer } from '../../../audio/flite.ts'
import * as clock from '../../../kit/clock.ts'
import { openTrack, type Track } from './track.ts'
import { continueWav } from './wav.ts'

/** What a thread renders. It continues where `file` ends, and ends with the call or the slice. */
export interface Rendering {
  file: string
  slice_ms: number
  duration_ms: number
  contact: Track
  agent: Track
}

// The cast is true because `renderer.ts` passes this.
const { file, slice_ms, duration_ms, contact, agent } = workerData as Rendering
const slice_ends_at = clock.ticks() + slice_ms
const synthesizer = await openSynthesizer(path.dirname(file))
await continueWav(file, {
  duration_ms,
  openTracks: (position) => [openTrack(synthesizer, contact, position), openTrack(synthesizer, agent, position)],
  mustStop: () => clock.ticks() >= slice_ends_at,
})
