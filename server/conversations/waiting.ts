import type { Conversation } from './schema.ts'

interface Changed {
  status: Conversation['status']
  now: string
  /** When the contact has first said something, of what is added now. */
  said_at?: string | undefined
}

/**
 * Since when a conversation waits for a person after a change: since it was handed over, or since the contact's first words after
 * the last answer of a person. What the service says itself changes nothing.
 */
export function waitingSince(
  before: Pick<Conversation, 'status' | 'waiting_since'>,
  { status, now, said_at }: Changed,
): string | null {
  if (status !== 'handed_over') return null
  if (before.status !== 'handed_over') return now
  return before.waiting_since ?? said_at ?? null
}
