import { findRefusals, type Rule } from '../consent/refusals.ts'
import type { Shown } from '../consent/spoken.ts'
import * as consent from '../consent/store.ts'
import type { Word } from '../consent/words.ts'
import { isPhoneNumber } from '../contacts/phone.ts'
import type { At } from '../kit/at.ts'
import * as clock from '../kit/clock.ts'
import { sql } from '../kit/postgres/sql.ts'

/** A sender gets at most this many confirmations in a day: each costs money, and a machine may send the words. */
const confirmations_per_day_max = 10

/** A word such as STOP, or a sentence that says the same, which came by SMS or by another service that the carrier brings. */
interface WordBySms {
  /** The key of the conversation. */
  key: string
  /** The counterpart of the conversation: the number, or a name such as `whatsapp:+14155550100`. */
  sender: string
  from: string
  contact_id: string | null
  word: Word
  evidence: Shown & { conversation_id: string; seq: number }
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
    findOftenConfirmed(
      at,
      words.map(({ sender }) => sender),
    ),
  ])
  // A word is about both messages and calls.
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
  const confirmed = effective.filter((one) => maySend(one) && !often_confirmed.has(one.sender))
  return new Set(confirmed.map(({ key }) => key))
}

/** Finds the senders that have got many confirmations on the last day. Only confirmations by SMS are messages. */
async function findOftenConfirmed(at: At, senders: string[]): Promise<Set<string>> {
  const [by_sms, others] = [senders.filter(isPhoneNumber), senders.filter((sender) => !isPhoneNumber(sender))]
  const found = await Promise.all([
    by_sms.length > 0 ? findByMessages(at, by_sms) : [],
    others.length > 0 ? findByTurns(at, others) : [],
  ])
  return new Set(found.flat().map(({ counterpart }) => counterpart))
}

const findByMessages = ({ db, workspace, now }: At, senders: string[]): Promise<{ counterpart: string }[]> =>
  db.many(
    sql`select conversation.counterpart from conversations as conversation
      join messages on messages.workspace_id = ${workspace} and messages.conversation_id = conversation.id
      where conversation.workspace_id = ${workspace} and conversation.counterpart = any(${senders}::text[])
        and messages.is_exempt and messages.created_at > ${clock.iso(now - clock.day_ms)}
      group by conversation.counterpart having count(*) >= ${confirmations_per_day_max}`,
  )

/** Finds senders by turns: replies to senders who don't write by SMS are turns only. */
const findByTurns = ({ db, workspace, now }: At, senders: string[]): Promise<{ counterpart: string }[]> =>
  db.many(
    sql`select conversation.counterpart from conversations as conversation
      join conversation_turns as turn on turn.workspace_id = ${workspace} and turn.conversation_id = conversation.id
      where conversation.workspace_id = ${workspace} and conversation.counterpart = any(${senders}::text[])
        and turn.role = 'system' and turn.created_at > ${clock.iso(now - clock.day_ms)}
      group by conversation.counterpart having count(*) >= ${confirmations_per_day_max}`,
  )
