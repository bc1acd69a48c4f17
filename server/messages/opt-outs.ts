import { findOptedOut } from '../consent/refusals.ts'
import type { Shown } from '../consent/spoken.ts'
import * as consent from '../consent/store.ts'
import { type Asking, answerLanguage, askingOf } from '../consent/written.ts'
import { isPhoneNumber } from '../contacts/phone.ts'
import * as contacts from '../contacts/store.ts'
import { lockAll, type Row, updateReceived } from '../conversations/rows.ts'
import type { Conversation } from '../conversations/schema.ts'
import type { Said } from '../conversations/store.ts'
import { newTurn } from '../conversations/turns.ts'
import { mustAnswerBy } from '../conversations/waiting.ts'
import type { At } from '../kit/at.ts'
import * as clock from '../kit/clock.ts'
import { letOthersRun } from '../kit/let-others-run.ts'
import { sentencesIn } from '../talk/sentences.ts'
import { numberOf } from './inbound.ts'
import { decide, findConfigurationOf, findQuestion } from './opt-out-question.ts'
import { findSmsRefusals, readSegmentPrice, withMessage } from './outgoing.ts'
import { wasSent } from './rows.ts'
import { recordWords } from './words-by-sms.ts'
import { type ReceivedChange, writeReceived } from './write-received.ts'

/**
 * Obeys contacts who write over the API, or in a web chat, that they want no more calls and messages. Their
 * conversations end with a confirmation. A contact who may mean something else is asked back. Returns the changed
 * conversations. If it is not known who writes, there is nothing to obey.
 */
export async function obey(at: At, all: Said[]): Promise<Conversation[]> {
  const written = await findAsking(all)
  if (written.size === 0) return []
  const ids = [...written.keys()]
  const [rows, people] = await Promise.all([
    lockAll(at, ids),
    contacts.getMany(
      at,
      [...written.values()].flatMap(({ contact_id }) => contact_id ?? []),
    ),
  ])
  const known = [...written.values()].flatMap(({ contact_id, ...one }) => {
    const row = rows.get(one.id)
    const contact = people.get(contact_id ?? '')
    return row && contact ? { ...one, row, contact } : []
  })
  const refused = await findOptedOut(
    at,
    'all',
    known.map(({ contact }) => contact.phone_number),
  )
  const decided = (
    await Promise.all(
      known.map(async ({ asking: found, ...one }) => {
        const thread = { ...one.row, turn_count: one.turn.seq - 1 }
        const { asking, keeps_question = false } = await decide(at, { thread, text: one.turn.text, asking: found })
        const is_pointless = asking?.word === 'unclear' && refused.has(one.contact.phone_number)
        return (asking && !is_pointless) || keeps_question ? [{ ...one, asking }] : []
      }),
    )
  ).flat()
  await consent.record(
    at,
    decided
      // Trials are left out, in which a tester plays the contact.
      .filter(({ row, asking }) => !row.is_test && asking?.word === 'opt_out')
      .map(({ id, contact, turn, asking }) => ({
        phone_number: contact.phone_number,
        contact_id: contact.id,
        kind: 'all' as const,
        status: 'revoked' as const,
        source: 'api' as const,
        evidence: { conversation_id: id, seq: turn.seq, ...asking?.shown },
      })),
  )
  const received = await Promise.all(
    decided.map(async ({ row, contact, asking }) => {
      if (!asking) return { before: row, turns: [], awaits_answer: false, closes: false, keeps_question: true }
      const { language: agents = 'en' } = (await findConfigurationOf(at, row)) ?? {}
      const { no_more_messages, no_more_question } = sentencesIn(
        answerLanguage(asking, { agents, number: contact.phone_number }),
      )
      const closes = asking.word === 'opt_out'
      return answering(at, { row, contact_id: contact.id, text: closes ? no_more_messages : no_more_question, closes })
    }),
  )
  return writeReceived(at, received)
}

/** Finds the words in each conversation that may ask for no more calls and messages. */
async function findAsking(all: Said[]): Promise<Map<string, Said & { asking: Asking | undefined }>> {
  const written = new Map<string, Said & { asking: Asking | undefined }>()
  for (const said of all) {
    if (said.contact_id === null || written.get(said.id)?.asking?.word === 'opt_out') continue
    await letOthersRun({ is_urgent: true })
    const found = askingOf(said.turn.text, { by_sms: false })
    const asking = found?.word === 'opt_out' || found?.word === 'unclear' ? found : undefined
    if (asking?.word === 'opt_out' || ((asking || said.is_answer) && !written.has(said.id)))
      written.set(said.id, { ...said, asking })
  }
  return written
}

interface ServiceAnswer {
  row: Row
  contact_id: string | null
  text: string
  closes: boolean
}

/** Answers with a sentence that ends the conversation, or asks back. */
function answering(at: At, { row, contact_id, text, closes }: ServiceAnswer): ReceivedChange {
  const { id } = row
  const turn = newTurn({ seq: row.turn_count + 1, role: 'system', text, created_at: clock.iso(at.now) })
  return { before: row, turns: [{ id, contact_id, turn }], awaits_answer: false, closes, asks_back: !closes }
}

/**
 * Takes silence for yes: by SMS, no answer to the question within a day means yes. The opt-out is confirmed, where a
 * message can be sent. Returns false, and forgets the question, if it was not sent, if nobody can answer it any more,
 * or if the person has said something about it elsewhere.
 */
export async function takeSilenceForYes(at: At, id: string): Promise<boolean> {
  const row = (await lockAll(at, [id])).get(id)
  const answer_by = row && mustAnswerBy(row)
  if (!row || answer_by === undefined || answer_by > at.now) return false
  const { channel_id, counterpart, contact_id } = row
  const { seq, language } = await findQuestion(at, row)
  const number = numberOf(counterpart ?? '')
  if (
    seq === undefined ||
    number === undefined ||
    !(await wasSent(at, { id, seq })) ||
    (await hasSpoken(at, row, number))
  ) {
    await updateReceived(at, [{ ...row, opt_out_asked_seq: null }])
    return false
  }
  const is_confirmed = await recordSilence(at, row, { rule: 'silence', language: language.tag, words: '' })
  const closing = answering(at, { row, contact_id, text: language.sayings.opt_out, closes: true })
  const segment_price = await readSegmentPrice(at)
  const turns = closing.turns.map((one) =>
    withMessage(one, { channel_id, counterpart, segment_price, is_exempt: true }),
  )
  await writeReceived(at, [{ ...closing, turns: is_confirmed ? turns : [] }])
  return true
}

/** Whether the ledger has an entry about messages that is newer than the question. */
async function hasSpoken(at: At, { opt_out_asked_at }: Row, phone_number: string): Promise<boolean> {
  const latest = await consent.findLatest(at, { kind: 'sms', phone_number })
  return latest !== undefined && opt_out_asked_at !== null && latest.created_at >= opt_out_asked_at
}

/** Records an opt-out by silence. Returns whether a confirmation is sent. */
async function recordSilence(at: At, row: Row, shown: Shown): Promise<boolean> {
  const { id, counterpart, contact_id, turn_count } = row
  const number = numberOf(counterpart ?? '')
  if (row.is_test || counterpart === null || number === undefined) return false
  const refusals = await findSmsRefusals(at, [number])
  const evidence = { conversation_id: id, seq: turn_count, ...shown }
  const silence = { key: id, sender: counterpart, from: number, contact_id, word: 'opt_out' as const, evidence }
  const confirmed = await recordWords(at, { words: [silence], refusals })
  return confirmed.has(id) && isPhoneNumber(counterpart)
}
