/** 512 samples at 16 kHz, the piece that a voice detector hears at once. */
export interface Window {
  samples: Int16Array
  /** The time of the first sample. */
  at_ms: number
}

/** A stretch of speech. */
export interface Segment {
  /** The windows of the speech, with some before and after the voice. */
  windows: Window[]
  /** How likely there is voice in each of the windows. */
  likely: number[]
  /** Where the voice begins. `end_ms` is where it has ended so far. */
  start_ms: number
  end_ms: number
  /** How much voice there is, without the pauses. */
  voice_ms: number
  /** How many windows at the end have no voice. */
  silent: number
}

export const window_samples = 512
export const window_ms = 32

/** A voice begins above `begin`, and goes on above `go_on`. */
const likely_min = { begin: 0.5, go_on: 0.35 }
/** A voice begins after this many windows, about 100 ms, and goes on after a pause when it is heard in this many. */
const windows_to_begin = 3
const windows_to_go_on = 2
const before_windows = Math.round(300 / window_ms)
/** After this much silence the speech may be over. */
const silent_windows = Math.ceil(200 / window_ms)
/** With the silence that is added at the end, a recogniser gets 30 seconds at most. */
const windows_max = Math.floor(29_500 / window_ms)
/** A long segment is cut where there is least voice in its last three seconds. */
const cut_windows = Math.round(3_000 / window_ms)

export interface SegmenterOptions {
  onStart: (segment: Segment) => void
  /** Called when there is voice in the last window. */
  onVoice: (segment: Segment) => void
  /** Called when the speech may be over. `end` says that it is. */
  onSilence: (segment: Segment) => void
  /** Called when the speech was not over after all. */
  onMore: (segment: Segment) => void
  /** Called with the beginning of a segment that is too long. The segment goes on with the rest. */
  onPiece: (piece: Segment) => void
}

export interface Segmenter {
  take: (window: Window, likely: number) => void
  readonly segment: Segment | undefined
  /** Ends the speech: what is heard from now on is another one. */
  end: () => void
}

/** Finds stretches of speech in windows, with hysteresis. */
export function openSegmenter(options: SegmenterOptions): Segmenter {
  let segment: Segment | undefined
  /** The last windows before a voice. */
  let before: { window: Window; likely: number }[] = []
  /** How many windows in a row have had voice, at the beginning and after a pause. */
  let voiced = 0

  function listen(window: Window, likely: number): void {
    before = [...before, { window, likely }].slice(-(before_windows + windows_to_begin))
    voiced = likely >= likely_min.begin ? voiced + 1 : 0
    if (voiced < windows_to_begin) return
    segment = {
      windows: before.map((one) => one.window),
      likely: before.map((one) => one.likely),
      start_ms: before.at(-windows_to_begin)?.window.at_ms ?? window.at_ms,
      end_ms: window.at_ms + window_ms,
      voice_ms: windows_to_begin * window_ms,
      silent: 0,
    }
    before = []
    options.onStart(segment)
  }

  function follow(current: Segment, window: Window, likely: number): void {
    current.windows.push(window)
    current.likely.push(likely)
    const is_pause = current.silent >= silent_windows
    const is_voice = likely >= (is_pause ? likely_min.begin : likely_min.go_on)
    voiced = is_voice ? voiced + 1 : 0
    if (!is_voice || (is_pause && voiced < windows_to_go_on)) {
      current.silent += 1
      if (current.silent === silent_windows) options.onSilence(current)
    } else {
      current.silent = 0
      current.end_ms = Math.max(current.end_ms, window.at_ms + window_ms)
      current.voice_ms += window_ms
      if (is_pause) options.onMore(current)
      options.onVoice(current)
    }
    if (current.windows.length >= windows_max) cutPiece(current)
  }

  function cutPiece(current: Segment): void {
    const last = current.likely.slice(-cut_windows)
    const place = current.windows.length - last.length + last.indexOf(Math.min(...last)) + 1
    const rest = current.windows.slice(place)
    const at_ms = rest[0]?.at_ms ?? current.end_ms
    options.onPiece({ ...current, windows: current.windows.slice(0, place), end_ms: Math.min(at_ms, current.end_ms) })
    Object.assign(current, { windows: rest, likely: current.likely.slice(place), start_ms: at_ms })
  }

  return {
    get segment() {
      return segment
    },
    take(window, likely) {
      if (segment) follow(segment, window, likely)
      else listen(window, likely)
    },
    end() {
      if (!segment) return
      const { windows, likely, silent } = segment
      const count = Math.min(silent, before_windows)
      before = windows.map((window, index) => ({ window, likely: likely[index] ?? 0 })).slice(windows.length - count)
      segment = undefined
    },
  }
}
