import { queryOptions } from '@tanstack/react-query'
import type { Call } from '../../../server/calls/schema.ts'
import type { Api } from '../kit/api.ts'
import { ParleyError } from '../kit/request.ts'

/** A longer recording is not read for its waveform: 15 minutes are 14 MB, and 58 MB decoded. */
const waveform_max_ms = 15 * 60_000
/** Of recordings of the telephone. */
const sample_rate_hz = 8_000
const peak_count = 800
const wait_s = 2
const tries_max = 60

/** The loudest sample of each stretch of a track, from 0 to 1 for the loudest of the recording. */
export type Peaks = number[]

export const recordingPath = ({ id }: Pick<Call, 'id'>): string => `/calls/${id}/recording`

/** Whether the server is still making the recording. */
export const isRendering = (error: unknown): error is ParleyError =>
  error instanceof ParleyError && error.status === 409 && error.details.reason === 'rendering'

/** Resolves when the recording can be played: to the peaks of its tracks, or to null if it is too long for a waveform. */
export const recordingQuery = (api: Api, call: Call) =>
  queryOptions({
    queryKey: [api.workspace, 'calls', 'recording', call.id],
    staleTime: Infinity,
    queryFn: async ({ signal }): Promise<Peaks[] | null> => {
      const is_long = (call.recording.duration_ms ?? 0) > waveform_max_ms
      const bytes = await api.bytes(recordingPath(call), { signal, ...(is_long && { range: 'bytes=0-43' }) })
      return is_long ? null : await readPeaks(bytes)
    },
    retry: (failures, error) => isRendering(error) && failures < tries_max,
    retryDelay: (_, error) => 1000 * ((isRendering(error) && error.retryAfter) || wait_s),
  })

/** Null if the browser can't decode it. It may still play it. */
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

/** So that the loudest is 1: telephones are quiet. */
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
