import type { CallLine, CallLineEvent, Carrier } from '../../calls/carrier.ts'

export interface LimitedCarrier extends Carrier {
  /** Whether the person has hung up because of the limit. */
  readonly is_at_limit: boolean
}

interface Limits {
  turns_max: number
  /** The person hangs up when this is aborted. */
  signal: AbortSignal
}

/** Wraps a carrier so that its person hangs up instead of beginning another turn after this many. */
export function limited(carrier: Carrier, limits: Limits): LimitedCarrier {
  let is_at_limit = false
  return {
    ...carrier,
    get is_at_limit() {
      return is_at_limit
    },
    dial: async (at, call) =>
      limitedLine(await carrier.dial(at, call), limits, () => {
        is_at_limit = true
      }),
  }
}

function limitedLine(line: CallLine, { turns_max, signal }: Limits, onLimit: () => void): CallLine {
  let turns = 0
  let has_agent_spoken = true
  /** Whether an event would begin one turn too many. Stretches of speech that follow each other are one turn. */
  const isBeyond = (event: CallLineEvent): boolean => {
    if (event.type !== 'heard' || !event.part || !has_agent_spoken) return false
    has_agent_spoken = false
    turns += 1
    return turns > turns_max
  }
  return {
    ...(line.contact_voice !== undefined && { contact_voice: line.contact_voice }),
    get next_at() {
      return line.next_at
    },
    take(now) {
      const events = line.take(now)
      const beyond = turns > turns_max ? -1 : events.findIndex((event) => signal.aborted || isBeyond(event))
      const event = events[beyond]
      if (!event) return events
      onLimit()
      line.hangUp(event.at)
      return [...events.slice(0, beyond), { type: 'hung_up', at: event.at }]
    },
    say(now, words) {
      has_agent_spoken = true
      line.say(now, words)
    },
    endReply: line.endReply,
    clear: line.clear,
    readPlayed: line.readPlayed,
    press: line.press,
    transfer: line.transfer,
    hangUp: line.hangUp,
    save: line.save,
  }
}
