import type { Verdict } from '../calls/facts.ts'
import type { Machine } from '../talk/state.ts'
import { type AnsweringEvent, type AnsweringInput, dueAt, newAnswering, step } from './answering.ts'
import { openBeepDetector } from './beep.ts'
import type { Timers } from './timers.ts'

/** Finds out who has answered, from what a line hears. Times are the workspace's. */
export interface WhoAnswered {
  /** Takes a frame of the contact's sound that ends at this time. */
  hear: (frame: Int16Array, at: number) => void
  /** The contact has spoken for this long without a pause. */
  noteVoice: (voice_ms: number) => void
  take: (input: AnsweringInput) => void
  takeVerdict: (verdict: Verdict) => void
  close: () => void
}

interface WhoAnsweredOptions {
  rate: number
  now: () => number
  timers: Timers
  emit: (event: AnsweringEvent, at: number) => void
  recogniseSoFar: () => void
  /** What was found earlier in the call, the last one last. */
  found_before: Machine[]
}

/** A long speech is recognised after these times, because a machine need not be heard to its end. */
const recognise_after_ms = [4_000, 8_000]

export function openWhoAnswered(options: WhoAnsweredOptions): WhoAnswered {
  const { rate, now, timers, emit, recogniseSoFar, found_before } = options
  const detector = openBeepDetector(rate)
  let state = newAnswering(now(), found_before)
  let recognised = 0
  let cancel = () => {}

  function take(input: AnsweringInput): void {
    const next = step(state, input)
    state = next.state
    for (const event of next.events) emit(event, input.at)
    wait()
  }

  function wait(): void {
    cancel()
    const due = dueAt(state)
    if (due !== undefined) cancel = timers.after(due - now(), () => take({ type: 'time', at: now() }))
  }
  // A voicemail may say nothing more, so the time of the next decision is set now.
  wait()

  return {
    hear(frame, at) {
      if (state.is_settled || state.has_beep) return
      for (const type of detector.take(frame)) take({ type, at })
    },
    noteVoice(voice_ms) {
      const due = recognise_after_ms[recognised]
      if (state.found || due === undefined || voice_ms < due) return
      recognised += 1
      recogniseSoFar()
    },
    take,
    takeVerdict: (verdict) => take({ type: 'verdict', verdict, at: now() }),
    close: () => cancel(),
  }
}
