import { findRefusals, type Rule } from '../consent/refusals.ts'
import * as consent from '../consent/store.ts'
import type { Word } from '../consent/words.ts'
import type { At } from '../kit/at.ts'
import * as clock from '../kit/clock.ts'
import { sql } from '../kit/postgres/sql.ts'

/** To one number. Each costs money, and a machine may send the words. */
const confirmations_per_day_max = 10

/** A word such as STOP that came by SMS. */
interface WordBySms {
  /** Of its conversation. */
  key: string
  from: string
  contact_id: string | null
  word: Word
  evidence: { conversation_id: string; seq: number }
}

/** Writes words that change what may be sent into the ledger. Returns the keys of those that are confirmed. */
export async function recordWords(
  at: At,
  { words, refusals }: { words: WordBySms[]; refusals: Map<string, Rule> },
): Promise<Set<string>> {
  if (words.length === 0) return new Set()
  const numbers = words.map(({ from }) => from)
  const [no_calls, often_confirmed] = await Promise.all([
    findRefusals(at, { kind: 'voice', phone_numbers: numbers, own_numbers: numbers }),
    findOftenConfirmed(at, numbers),
  ])
  // A word is about messages and calls.
  const hasOptedOut = ({ from }: WordBySms) => [refusals, no_calls].every((rules) => rules.get(from) === 'opted_out')
  const effective = words.filter((one) => one.word !== 'opt_out' || !hasOptedOut(one))
  await consent.record(
    at,
    effective.flatMap(({ from: phone_number, contact_id, word, evidence }) => {
      if (word === 'help') return []
      const status = word === 'opt_in' ? ('granted' as const) : ('revoked' as const)
      return [{ phone_number, contact_id, kind: 'all' as const, status, source: 'sms_keyword' as const, evidence }]
    }),
  )
  const maySend = ({ from }: WordBySms) => [undefined, 'opted_out'].includes(refusals.get(from))
  const confirmed = effective.filter((one) => maySend(one) && !often_confirmed.has(one.from))
  return new Set(confirmed.map(({ key }) => key))
}

/** The numbers that have got many confirmations on the last day. */
async function findOftenConfirmed({ db, workspace, now }: At, numbers: string[]): Promise<Set<string>> {
  const found = await db.many<{ counterpart: string }>(
    sql`select conversation.counterpart from conversations as conversation
      join messages on messages.workspace_id = ${workspace} and messages.conversation_id = conversation.id
      where conversation.workspace_id = ${workspace} and conversation.counterpart = any(${numbers}::text[])
        and messages.is_exempt and messages.created_at > ${clock.iso(now - clock.day_ms)}
      group by conversation.counterpart having count(*) >= ${confirmations_per_day_max}`,
  )
  return new Set(found.map(({ counterpart }) => counterpart))
}
