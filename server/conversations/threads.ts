import { newHook } from '../kit/at.ts'

/**
 * What has happened in a conversation by SMS.
 * - `sent`: the carrier has the first message that was written to the contact. `failed`, `unknown`: it does not, or that is not known.
 *   What becomes of later messages does not count.
 * - `replied`: the contact has written. `opted_out`: with a word such as STOP.
 * - `closed`: it has ended.
 */
export interface ThreadChange {
  id: string
  /** Of a contact that has written. */
  contact_id?: string | null
  what: 'sent' | 'failed' | 'unknown' | 'replied' | 'opted_out' | 'closed'
}

/** Runs in the transaction in which it happens. */
export const threads_changed = newHook<ThreadChange[]>('conversations.threads_changed')
