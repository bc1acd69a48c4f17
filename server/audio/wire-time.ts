/** Relates the wire's own time to the workspace's. */
export interface WireTime {
  /** Notes that a frame that ends at this time of the wire has just come. */
  note: (end_ms: number) => void
  toWorkspace: (wire_ms: number) => number
  /**
   * Turns the workspace's time into that of the recording, which is the wire's and begins when its first frame came:
   * the clocks may differ.
   */
  toRecording: (time: number) => number
}

/** In each second, the difference may grow by this much: clocks of two machines do not run exactly alike. */
const drift_per_second_ms = 0.5

/**
 * Opens the relation between the two clocks. Frames can come late and never early, so the smallest difference that was
 * seen is the true one.
 */
export function openWireTime(now: () => number): WireTime {
  let first: number | undefined
  let difference = 0
  let noted_at = 0
  return {
    note(end_ms) {
      const time = now()
      const seen = time - end_ms
      const grown = difference + ((time - noted_at) / 1_000) * drift_per_second_ms
      difference = first === undefined ? seen : Math.min(seen, grown)
      first ??= difference
      noted_at = time
    },
    toWorkspace: (wire_ms) => wire_ms + (first === undefined ? now() : difference),
    toRecording: (time) => (first === undefined ? time : time - difference + first),
  }
}
