/** Finds out when sound was played, for the recording. */
export interface PlayedTrack {
  /** The wire says that these samples have been played, the last one just now. `end` counts all samples played so far. */
  add: (samples: Int16Array, end: number, now: number) => void
  flush: () => void
}

/** Reports that come within this time show how late each of them was. */
const look_ahead_ms = 500
/** Times that differ less belong to one sound without a gap. */
const same_ms = 15

interface Report {
  samples: Int16Array
  start: number
  now: number
  /** When the first sample of the wire would have been played, had there been no gap. */
  origin_ms: number
}

/**
 * Opens the track. A report can come late but never early, so each piece of sound was played at the earliest time that
 * its own report and those soon after allow.
 */
export function openPlayedTrack(rate: number, write: (samples: Int16Array, at_ms: number) => void): PlayedTrack {
  let reports: Report[] = []
  let origin_ms = Number.NaN
  let written_to = Number.NEGATIVE_INFINITY

  function place({ samples, start }: Report, following: Report[]): void {
    const earliest = Math.min(...following.map((report) => report.origin_ms))
    if (!(Math.abs(earliest - origin_ms) <= same_ms)) origin_ms = earliest
    const at_ms = origin_ms + (start * 1_000) / rate
    const doubled = Math.max(0, Math.round(((written_to - at_ms) * rate) / 1_000))
    if (doubled >= samples.length) return
    write(samples.subarray(doubled), at_ms + (doubled * 1_000) / rate)
    written_to = at_ms + (samples.length * 1_000) / rate
  }

  function placeUntil(time: number): void {
    while (reports[0] && reports[0].now <= time) {
      place(reports[0], reports)
      reports = reports.slice(1)
    }
  }

  return {
    add(samples, end, now) {
      reports.push({ samples, start: end - samples.length, now, origin_ms: now - (end * 1_000) / rate })
      placeUntil(now - look_ahead_ms)
    },
    flush: () => placeUntil(Number.POSITIVE_INFINITY),
  }
}
