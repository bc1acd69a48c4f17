/** A connection that carries sound: PCM16, mono. Nothing here throws. */
export interface Wire {
  readonly sample_rate: 8_000 | 16_000
  /** Set by the line. Frames come in order; `at_ms` is their place on the wire's own time line, from 0. Missing time is missing frames. */
  onFrame: (frame: Int16Array, at_ms: number) => void
  /**
   * Set by the line: how much of what was sent has been played, in ms since the wire opened. Sound that was cleared before it was
   * played never counts. It is called a few times a second while something is played, when nothing is left to play, and after each
   * `clear`, before what was sent after it is played: so the line knows where the sound was cut. `clears` says how often `clear` was
   * called before the other side had played this. Without it, reports that were on their way at a `clear` can't be told from later ones.
   */
  onPlayed: (played_ms: number, clears?: number) => void
  onDigit: (digit: string) => void
  /** The other side has hung up, or the connection is lost for good. Called once. */
  onEnd: (reason: 'hung_up' | 'lost') => void
  /** Set by the line: the connection is gone for now, or back. Nothing is played meanwhile. */
  onPause?: (is_paused: boolean) => void
  /** Sends sound to be played after what was sent before. */
  send: (frame: Int16Array) => void
  /** Drops what was sent and not yet played. */
  clear: () => void
  /** Shows words to the other side, where the wire can. */
  showWords?: (words: { role: 'contact' | 'agent'; text: string; is_final: boolean }) => void
  /** Presses keys, where the wire can. */
  press?: (digits: string) => void
  /** Transfers the call to someone else, where the wire can. What is sent meanwhile is not played. */
  transfer?: (to: string) => void
  /** Set by the line. False: nobody has taken over, and the wire is back. True: someone has, as far as is known, and the call is over. */
  onTransferred?: (is_ok: boolean) => void
  end: (reason: string) => void
}
