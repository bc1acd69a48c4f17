import { queryOptions } from '@tanstack/react-query'
import type { Call } from '../../../server/calls/schema.ts'
import type { Api } from '../kit/api.ts'
import { ParleyError } from '../kit/request.ts'

/** A longer recording is played as it arrives, without a waveform: 15 minutes are 14 MB, and 58 MB decoded. */
const in_memory_max_ms = 15 * 60_000
/** The rate of recordings, which is that of the telephone. */
const sample_rate_hz = 8_000
const peak_count = 800
const wait_s = 2
const tries_max = 60

/** The loudest sample of each stretch of a track, from 0 to 1 for the loudest of the recording. */
export type Peaks = number[]

export const recordingPath = ({ id }: Pick<Call, 'id'>): string => `/calls/${id}/recording`

export const durationOf = ({ recording, duration_ms }: Pick<Call, 'recording' | 'duration_ms'>): number =>
  recording.duration_ms ?? duration_ms ?? 0

/** Whether the server is still making the recording. The answer to a HEAD says no more than its status. */
export const isRendering = (error: unknown): error is ParleyError =>
  error instanceof ParleyError && error.status === 409

export interface LoadedRecording {
  /** The file. Null if it is too long to be kept. */
  file: Blob | null
  /** The peaks of its tracks. Null if there is no waveform. */
  peaks: Peaks[] | null
}

/**
 * Resolves when the recording can be played. The audit log has an entry for each request that gets a part of it, so
 * nothing reads it again: there is one entry for each time that someone opens the call and plays it.
 */
export const recordingQuery = (api: Api, call: Call) =>
  queryOptions({
    queryKey: [api.workspace, 'calls', 'recording', call.id],
    staleTime: 'static',
    gcTime: 0,
    queryFn: async ({ signal }): Promise<LoadedRecording> => {
      if (durationOf(call) > in_memory_max_ms) {
        await api.head(recordingPath(call), signal)
        return { file: null, peaks: null }
      }
      const bytes = await api.bytes(recordingPath(call), signal)
      // The file is made first, because decoding takes the bytes away.
      const file = new Blob([bytes], { type: 'audio/wav' })
      return { file, peaks: await readPeaks(bytes) }
    },
    retry: (failures, error) => isRendering(error) && failures < tries_max,
    retryDelay: (_, error) => 1000 * ((isRendering(error) && error.retryAfter) || wait_s),
  })

/** Decodes the recording. Returns null if the browser can't, although it may still play it. */
async function readPeaks(bytes: ArrayBuffer): Promise<Peaks[] | null> {
  try {
    const audio = await new OfflineAudioContext(2, 1, sample_rate_hz).decodeAudioData(bytes)
    return scaled(
      Array.from({ length: audio.numberOfChannels }, (_, channel) => peaksOf(audio.getChannelData(channel))),
    )
  } catch {
    return null
  }
}

/** Scales the peaks so that the loudest is 1, because telephones are quiet. */
function scaled(tracks: Peaks[]): Peaks[] {
  const loudest = Math.max(...tracks.flat())
  return loudest === 0 ? tracks : tracks.map((peaks) => peaks.map((peak) => peak / loudest))
}

function peaksOf(samples: Float32Array): Peaks {
  const stretch = samples.length / peak_count
  return Array.from({ length: peak_count }, (_, index) => {
    let peak = 0
    for (let at = Math.floor(index * stretch); at < (index + 1) * stretch; at += 1) {
      peak = Math.max(peak, Math.abs(samples[at] ?? 0))
    }
    return peak
  })
}
