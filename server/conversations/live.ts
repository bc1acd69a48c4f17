import { type InWorkspace, newTool } from '../kit/at.ts'

interface OpenTurn {
  seq: number
  text: string
}

type Listener = (turn: OpenTurn, piece: string) => void

/** The agents' words as they are made, within this process. */
export interface LiveWords {
  /** The turn that the agent is making in this process, if any. */
  openTurnOf: (at: InWorkspace, id: string) => OpenTurn | undefined
  /** Returns the function that ends it. */
  listen: (at: InWorkspace, id: string, listener: Listener) => () => void
  /** For the driver of the conversation. */
  openSpeaker: (at: InWorkspace, id: string) => Speaker
}

export interface Speaker {
  say: (seq: number, piece: string) => void
  endTurn: () => void
}

export const liveWords = newTool(openLiveWords)

function openLiveWords(): LiveWords {
  const open_turns = new Map<string, OpenTurn>()
  const listeners = new Map<string, Set<Listener>>()
  const keyOf = ({ workspace }: InWorkspace, id: string) => `${workspace} ${id}`
  return {
    openTurnOf: (at, id) => open_turns.get(keyOf(at, id)),
    listen(at, id, listener) {
      const key = keyOf(at, id)
      const group = listeners.get(key) ?? new Set()
      listeners.set(key, group.add(listener))
      return () => {
        group.delete(listener)
        if (group.size === 0 && listeners.get(key) === group) listeners.delete(key)
      }
    },
    openSpeaker(at, id) {
      const key = keyOf(at, id)
      return {
        say(seq, piece) {
          const turn = open_turns.get(key) ?? { seq, text: '' }
          turn.text += piece
          open_turns.set(key, turn)
          for (const listener of listeners.get(key) ?? []) listener(turn, piece)
        },
        endTurn: () => void open_turns.delete(key),
      }
    },
  }
}
