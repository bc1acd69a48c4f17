import type { CallLine, CallLineEvent } from '../../server/calls/carrier.ts'
import { newLine } from '../../server/lines/simulator/line.ts'
import { newRandom } from '../../server/lines/simulator/random.ts'

/** A small agent for tests of the line: it knows when to speak, and when to hang up. */
export interface Listener {
  /** What the agent says when the contact has spoken. After the last answer it hangs up. */
  answers: string[]
  /** Whether it speaks before the contact does. */
  speaks_first?: boolean
  presses?: string
  /** Goes on after the last answer, with the same again. */
  is_endless?: boolean
}

/** What the agent has done, and when. */
export type Command = [now: number, ...(['say' | 'press', string, string?] | ['endReply' | 'clear' | 'hangUp', string])]

export interface Played {
  events: CallLineEvent[]
  commands: Command[]
  end: 'agent' | 'contact' | 'silence' | 'max_duration' | 'unanswered' | 'nothing'
}

const pause_ms = 500
const hanging_pause_ms = 1_400
const reminders_ms = [8_000, 16_000, 20_000]
const call_ms_max = 10 * 60_000
const steps_max = 20_000

export const dialPerson = (person: string, seed = 1, started_at = 1_000_000): CallLine =>
  newLine({ person, started_at, ...newRandom(seed, person, 1) })

export function apply(line: CallLine, [now, name, first = '', second = '']: Command): void {
  if (name === 'say') line.say(now, { reply: first, text: second })
  else if (name === 'hangUp') line.hangUp(now)
  else line[name](now, first)
}

/** Drives the line as the engine does: from one event to the next. */
export function play(line: CallLine, { answers, speaks_first = false, presses, is_endless = false }: Listener): Played {
  const events: CallLineEvent[] = []
  const commands: Command[] = []
  let answered_at = 0
  let reply = 0
  let is_playing = false
  let is_contact_speaking = false
  let speak_at = Number.POSITIVE_INFINITY
  let quiet_since = Number.POSITIVE_INFINITY
  let reminders = 0
  const command = (one: Command) => {
    commands.push(one)
    apply(line, one)
  }
  const say = (now: number, text: string) => {
    reply += 1
    is_playing = true
    speak_at = Number.POSITIVE_INFINITY
    for (const sentence of text.split(/(?<=[.!?]) /)) command([now, 'say', `r${reply}`, sentence])
    command([now, 'endReply', `r${reply}`])
  }
  const finish = (now: number, end: Played['end']): Played => {
    command([now, 'hangUp', ''])
    events.push(...line.take(now))
    return { events, commands, end }
  }
  for (let step = 0; step < steps_max; step += 1) {
    const is_quiet = answered_at > 0 && !is_playing && !is_contact_speaking
    const silence_at = is_quiet ? quiet_since + (reminders_ms[reminders] ?? 0) : Number.POSITIVE_INFINITY
    const own_at = Math.min(
      speak_at,
      silence_at,
      answered_at > 0 ? answered_at + call_ms_max : Number.POSITIVE_INFINITY,
    )
    const now = Math.min(own_at, line.next_at ?? Number.POSITIVE_INFINITY)
    if (now === Number.POSITIVE_INFINITY) return { events, commands, end: 'nothing' }
    if (now === line.next_at) {
      const taken = line.take(now)
      events.push(...taken)
      if (taken.some((event) => event.type === 'fact' && event.fact.fact.kind === 'final'))
        return { events, commands, end: answered_at > 0 ? 'contact' : 'unanswered' }
      for (const event of taken) {
        if (event.type === 'answered') {
          answered_at = now
          quiet_since = now
          if (speaks_first) speak_at = now
        } else if (event.type === 'speech_started') {
          is_contact_speaking = true
          speak_at = Number.POSITIVE_INFINITY
        } else if (event.type === 'speech_stopped') {
          is_contact_speaking = false
          quiet_since = now
          reminders = 0
        } else if (event.type === 'heard') {
          if (is_playing && event.text.split(' ').length > 2) {
            is_playing = false
            command([now, 'clear', `r${reply}`])
          }
          if (event.part && !is_playing) speak_at = now + (/(,|\band)$/.test(event.text) ? hanging_pause_ms : pause_ms)
        } else if (event.type === 'play_done') {
          is_playing = false
          quiet_since = now
          if (answers.length === 0 && !is_endless && reminders === 0) return finish(now, 'agent')
        } else if (event.type === 'machine' && event.kind === 'menu' && presses) command([now, 'press', presses])
        else if (event.type === 'beep') speak_at = now
      }
    } else if (now === speak_at) {
      const next = answers.length > 1 || !is_endless ? answers.shift() : answers[0]
      say(now, next ?? 'Goodbye.')
    } else if (now === silence_at) {
      if (reminders === 2) return finish(now, 'silence')
      reminders += 1
      const since = quiet_since
      say(now, 'Are you still there?')
      quiet_since = since
    } else return finish(now, 'max_duration')
  }
  throw new Error('the call did not end')
}
