import type { SoundLatency } from '../talk/line.ts'
import { settleTime } from '../talk/turn-taking.ts'

interface Words {
  text: string
  ended_at: number
  heard_at: number
  recognise_ms: number
}

interface Reply {
  words: Words | undefined
  said_at: number
  sent_at: number | undefined
  sound_at: number | undefined
}

/** Latencies of this many replies are kept: a turn asks for its latency when it is written, soon after its reply. */
const replies_max = 20

/** Measures what lies between the end of the contact's words and the first sound of the answer. */
export function openLatency() {
  const replies = new Map<string, Reply>()
  let words: Words | undefined

  return {
    noteWords(text: string, times: Omit<Words, 'text'>): void {
      words = { ...times, text: words ? `${words.text} ${text}` : text }
    },
    /** Notes that a reply begins, which answers the words before it. */
    noteReply(id: string, said_at: number): void {
      if (replies.has(id)) return
      replies.set(id, { words, said_at, sent_at: undefined, sound_at: undefined })
      words = undefined
      const [oldest] = replies.keys()
      if (replies.size > replies_max && oldest !== undefined) replies.delete(oldest)
    },
    noteSent(id: string, at: number): void {
      const reply = replies.get(id)
      if (reply) reply.sent_at ??= at
    },
    noteSound(id: string, at: number): void {
      const reply = replies.get(id)
      if (reply) reply.sound_at ??= at
    },
    /** Returns undefined before the reply sounds, and for a reply that answers nothing that was said. */
    read(id: string): SoundLatency | undefined {
      const { words: answered, said_at = 0, sent_at, sound_at } = replies.get(id) ?? {}
      if (!answered || sent_at === undefined || sound_at === undefined) return undefined
      const { text, ended_at, heard_at, recognise_ms } = answered
      const round = (time_ms: number) => Math.max(0, Math.round(time_ms))
      return {
        wait_ms: round(Math.max(settleTime(text), heard_at - ended_at)),
        recognise_ms: round(recognise_ms),
        voice_ms: round(sent_at - said_at),
        first_sound_ms: round(sound_at - ended_at),
      }
    },
  }
}
