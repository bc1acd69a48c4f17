/** The agent's words as they are made, within this process. */
export interface OpenTurn {
  seq: number
  text: string
}

type Listener = (turn: OpenTurn, piece: string) => void

const open_turns = new Map<string, OpenTurn>()
const listeners = new Map<string, Set<Listener>>()

/** The turn that the agent is making in this process, if any. */
export const openTurnOf = (conversation: string): OpenTurn | undefined => open_turns.get(conversation)

export function say(conversation: string, seq: number, piece: string): void {
  const turn = open_turns.get(conversation) ?? { seq, text: '' }
  turn.text += piece
  open_turns.set(conversation, turn)
  for (const listener of listeners.get(conversation) ?? []) listener(turn, piece)
}

export const endTurn = (conversation: string): boolean => open_turns.delete(conversation)

/** Returns the function that ends it. */
export function listen(conversation: string, listener: Listener): () => void {
  const group = listeners.get(conversation) ?? new Set()
  listeners.set(conversation, group.add(listener))
  return () => {
    group.delete(listener)
    if (group.size === 0) listeners.delete(conversation)
  }
}
