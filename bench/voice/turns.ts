import type { VoiceApi } from '../../test/support/voice-calls.ts'

export interface Turns {
  /** From the last sound of a sentence to the first sound of the answer. */
  waits_ms: number[]
  /** Answers that were played with a gap, because their sound came too late. */
  ran_dry: number
}

interface Call {
  agent_id: string
  sounds: Int16Array[]
  /** The sound that is said first. */
  first: number
  turns: number
  signal: AbortSignal
}

const quiet_ms = 500

/** Says one sentence after the other in a call, each when the agent has answered the last one. */
export async function measureTurns(api: VoiceApi, { agent_id, sounds, first, turns, signal }: Call): Promise<Turns> {
  const talker = await api.talk(agent_id)
  const waits_ms: number[] = []
  let ran_dry = 0
  try {
    await talker.untilQuiet(0, quiet_ms)
    while (waits_ms.length < turns) {
      signal.throwIfAborted()
      const sound = sounds[(first + waits_ms.length) % sounds.length] ?? new Int16Array()
      const { end_ms } = await talker.say(sound)
      const heard_ms = await talker.untilHeard(end_ms)
      waits_ms.push(heard_ms - end_ms)
      await talker.untilQuiet(heard_ms, quiet_ms)
      if (talker.stretches.filter((stretch) => stretch.end_ms > heard_ms).length > 1) ran_dry += 1
    }
    await talker.hangUp()
  } finally {
    talker.close()
  }
  await api.untilEnded(talker.call_id)
  return { waits_ms, ran_dry }
}
