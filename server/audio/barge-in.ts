import { isBackChannel } from '../talk/turn-taking.ts'
import type { Speaker } from './speaking/speaker.ts'
import type { Timers } from './timers.ts'

/**
 * Decides what the line does while both sides speak. The engine decides whether the agent is interrupted: then it
 * clears the reply.
 */
export interface BargeIn {
  /** Notes that the contact begins to speak. */
  begin: () => void
  /** Notes that the contact has spoken for this long. */
  noteVoice: (voice_ms: number) => void
  /** Takes the words that were understood so far. */
  noteWords: (text: string) => void
  /** The contact has stopped, and all its words were reported. */
  end: () => void
  /** The engine has taken what the contact has said. */
  decide: () => void
  close: () => void
}

interface BargeInOptions {
  speaker: Pick<Speaker, 'hold' | 'resume' | 'is_held' | 'is_sounding' | 'is_uninterruptible' | 'is_ending'>
  timers: Timers
  recogniseSoFar: () => void
}

const hold_after_ms = 250
/** The words so far are recognised when the contact has spoken for this long over the agent's words. */
const recognise_after_ms = [700, 1_200, 2_400, 4_800]
const understand_within_ms = 1_200
/** The agent goes on if the engine has decided nothing after this time. */
const decide_within_ms = 2_500

export function openBargeIn({ speaker, timers, recogniseSoFar }: BargeInOptions): BargeIn {
  let is_understood = false
  /** How long the contact had spoken when the agent was stopped. */
  let held_at_ms = 0
  /** Set when the agent goes on, though the contact still makes a sound. */
  let is_false_alarm = false
  let recognised = 0
  let is_ended = true
  let cancel = () => {}

  function awaitDecision(): void {
    cancel()
    cancel = timers.after(decide_within_ms, goOn)
  }

  function goOn(): void {
    cancel()
    if (!speaker.is_held) return
    is_false_alarm = true
    speaker.resume()
  }

  return {
    begin() {
      is_understood = false
      is_false_alarm = false
      recognised = 0
      is_ended = false
      if (speaker.is_held) awaitDecision()
      else cancel()
    },
    noteVoice(voice_ms) {
      if (!speaker.is_sounding || speaker.is_uninterruptible) return
      // Speech during the last word of a question is often its answer already, and no sign of listening.
      const must_hold = !speaker.is_held && !speaker.is_ending && !is_false_alarm
      if (voice_ms >= hold_after_ms && must_hold) {
        speaker.hold()
        held_at_ms = voice_ms
        awaitDecision()
      }
      const is_late = voice_ms >= held_at_ms - hold_after_ms + understand_within_ms
      if (is_late && speaker.is_held && !is_understood) goOn()
      const due = recognise_after_ms[recognised]
      if (due === undefined || voice_ms < due) return
      recognised = recognise_after_ms.filter((time_ms) => time_ms <= voice_ms).length
      recogniseSoFar()
    },
    noteWords(text) {
      is_understood ||= text !== '' && !isBackChannel(text)
    },
    end() {
      is_ended = true
    },
    decide() {
      if (!is_ended || !speaker.is_held) return
      // The engine has just taken the words. If it clears the line, it does so before anything else happens.
      cancel()
      cancel = timers.after(0, goOn)
    },
    close: () => cancel(),
  }
}
