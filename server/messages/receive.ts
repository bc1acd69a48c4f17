import type { Rule } from '../consent/refusals.ts'
import { type Asking, answerLanguage, askingOf } from '../consent/written.ts'
import { isPhoneNumber } from '../contacts/phone.ts'
import { stamp } from '../contacts/rows.ts'
import * as contacts from '../contacts/store.ts'
import { findAgent, insert, newConversation, openVersions } from '../conversations/begin.ts'
import { lockThreads, newRow, type Row } from '../conversations/rows.ts'
import type { Conversation } from '../conversations/schema.ts'
import { newTurn } from '../conversations/turns.ts'
import { isAsked } from '../conversations/waiting.ts'
import type { At } from '../kit/at.ts'
import * as clock from '../kit/clock.ts'
import { newId } from '../kit/id.ts'
import { letOthersRun } from '../kit/let-others-run.ts'
import { sql } from '../kit/postgres/sql.ts'
import { invalidState } from '../kit/problem.ts'
import { sentencesIn } from '../talk/sentences.ts'
import { type Inbound, keptOf, numberOf } from './inbound.ts'
import { decide, findConfigurationOf } from './opt-out-question.ts'
import { findSmsRefusals, type NewMessage, readSegmentPrice, withMessage } from './outgoing.ts'
import { segmentsOf } from './segments.ts'
import { recordWords } from './words-by-sms.ts'
import { type ReceivedChange, writeReceived } from './write-received.ts'

/** The messages of one sender on one channel, in order. Only the last one may ask for no more messages, or for more. */
interface SenderMessages {
  key: string
  channel: Inbound['channel']
  from: string
  /** The sender's number, also if the sender has not written by SMS. */
  number: string | undefined
  contact_id: string | null
  messages: Inbound[]
  asking: Asking | undefined
  keeps_question?: boolean
}

/**
 * Writes messages with everything that follows from them: contacts, conversations, turns, consent and events. Repeated
 * messages have no effect. Each conversation is answered in the background, unless its sender may not be written to.
 * Returns replies for senders who have not written by SMS: they get no SMS, and are told something right away.
 */
export async function receive(at: At, messages: Inbound[]): Promise<Map<Inbound, string>> {
  const fresh = await withoutRepeats(at, messages)
  const found = await findContacts(at, fresh)
  const locked = await stamp(
    at,
    [...found.values()].map((contact_id) => ({ contact_id, at: at.now })),
  )
  // A contact may have been deleted meanwhile.
  const contact_ids = new Map([...found].filter(([, id]) => locked.has(id)))
  const replies = new Map<Inbound, string>()
  // Another round begins after each wish, because it changes what follows.
  for (let rest = fresh; rest.length > 0; ) {
    const { said, later } = await splitAtWishes(rest, contact_ids)
    const round = await receiveRound(at, said)
    for (const [message, reply] of round.replies) replies.set(message, reply)
    rest = [...round.later, ...later]
  }
  return replies
}

async function withoutRepeats({ db, workspace }: At, messages: Inbound[]): Promise<Inbound[]> {
  const by_key = new Map(
    messages.toReversed().map((message) => [carrierKey(message.channel.id, message.carrier_id), message]),
  )
  const unique = messages.filter(
    (message) => by_key.get(carrierKey(message.channel.id, message.carrier_id)) === message,
  )
  const known = await db.many<{ channel_id: string; carrier_id: string }>(
    sql`select channel_id, carrier_id from messages
      where workspace_id = ${workspace} and channel_id = any(${channelIds(unique)}::uuid[])
        and carrier_id = any(${unique.map(({ carrier_id }) => carrier_id)}::text[])`,
  )
  const known_keys = new Set(known.map(({ channel_id, carrier_id }) => carrierKey(channel_id, carrier_id)))
  return unique.filter(({ channel, carrier_id }) => !known_keys.has(carrierKey(channel.id, carrier_id)))
}

/** Returns each id once: PostgreSQL would search the index for each of them with each of the other values. */
const channelIds = (all: { channel: Inbound['channel'] }[]): string[] => [
  ...new Set(all.map(({ channel }) => channel.id)),
]

const carrierKey = (channel_id: string, carrier_id: string): string => `${channel_id} ${carrier_id}`

/** Finds contacts by number. A number without a contact gets one. */
async function findContacts(at: At, messages: Inbound[]): Promise<Map<string, string>> {
  const numbers = [...new Set(messages.flatMap(({ from }) => numberOf(from) ?? []))]
  const found = await contacts.idsByNumber(at, numbers)
  const missing = numbers.filter((number) => !found.has(number))
  if (missing.length === 0) return found
  await contacts.create(
    at,
    missing.map((phone_number) => ({ phone_number, source: 'inbound' as const })),
  )
  return contacts.idsByNumber(at, numbers)
}

async function splitAtWishes(
  messages: Inbound[],
  contact_ids: Map<string, string>,
): Promise<{ said: SenderMessages[]; later: Inbound[] }> {
  const by_key = new Map<string, SenderMessages>()
  const later: Inbound[] = []
  for (const message of messages) {
    const { channel, from } = message
    const key = threadKey(channel.id, from)
    const said = by_key.get(key)
    if (said?.asking) {
      later.push(message)
      continue
    }
    await letOthersRun({ is_urgent: true })
    const asking = askingOf(message.text, { by_sms: true })
    if (said) {
      said.messages.push(message)
      said.asking = asking
    } else {
      const number = numberOf(from)
      const contact_id = contact_ids.get(number ?? '') ?? null
      by_key.set(key, { key, channel, from, number, contact_id, messages: [message], asking })
    }
  }
  // Sorted, so that concurrent transactions lock conversations in the same order and don't deadlock.
  return { said: [...by_key.values()].sort((left, right) => (left.key < right.key ? -1 : 1)), later }
}

const threadKey = (channel_id: string, counterpart: string): string => `${channel_id} ${counterpart}`

/** Writes a round of messages. Returns what to reply, and the messages that come after answers to a question. */
async function receiveRound(
  at: At,
  given: SenderMessages[],
): Promise<{ replies: [Inbound, string][]; later: Inbound[] }> {
  const [threads, refusals] = await Promise.all([openThreads(at, given), findRefusals(at, given)])
  const later: Inbound[] = []
  const all = await Promise.all(
    given.map(async (said) => {
      const thread = threadOf(threads, said)
      const { messages, asking, number } = said
      const one = isAsked(thread) ? { ...said, messages: messages.slice(0, 1) } : said
      later.push(...messages.slice(one.messages.length))
      const text = one.messages.at(-1)?.text ?? ''
      const is_last = one.messages.length === messages.length
      const decided = await decide(at, { thread, text, asking: is_last ? asking : undefined })
      const is_asked_back = decided.asking?.word !== 'unclear' || (number !== undefined && !refusals.has(number))
      return { ...one, ...decided, asking: is_asked_back ? decided.asking : undefined }
    }),
  )
  const words = all.flatMap((said) => {
    const { id, turn_count } = threadOf(threads, said)
    const { asking, number } = said
    if (!asking || asking.word === 'unclear' || !number) return []
    const { word, shown } = asking
    const evidence = { conversation_id: id, seq: turn_count + said.messages.length, ...shown }
    return [{ ...said, sender: said.from, from: number, word, evidence }]
  })
  const confirmed = await recordWords(at, { words, refusals })
  const received = await Promise.all(
    all.map(async (said) => {
      const thread = threadOf(threads, said)
      const refusal = refusals.get(said.number ?? '')
      return toReceived(at, { said, thread, refusal, is_confirmed: confirmed.has(said.key) })
    }),
  )
  await writeReceived(at, received)
  return { replies: received.flatMap(({ reply }) => (reply ? [reply] : [])), later }
}

type Threads = Map<string, Row>
type Refusals = Map<string, Rule>

function threadOf(threads: Threads, { key }: SenderMessages): Row {
  const thread = threads.get(key)
  if (!thread) throw new Error('a conversation was neither found nor begun')
  return thread
}

const findRefusals = (at: At, all: SenderMessages[]): Promise<Refusals> =>
  findSmsRefusals(
    at,
    all.flatMap(({ number }) => number ?? []),
  )

/** Finds the open conversations, and locks them. One that is missing is begun, by this or a concurrent transaction. */
async function openThreads(at: At, all: SenderMessages[]): Promise<Threads> {
  const found = await findThreads(at, all)
  const missing = all.filter(({ key }) => !found.has(key))
  if (missing.length === 0) return found
  const begun = await beginningsOf(at, missing)
  const ids = await insert(
    at,
    begun.map((conversation) => ({ conversation })),
  )
  const inserted = begun
    .filter(({ id }) => ids.has(id))
    .map((conversation) => newRow(conversation, { due_at: null, lease_token: null }))
  const others = missing.filter((_, index) => !ids.has(begun[index]?.id ?? ''))
  return new Map([...found, ...(await findThreads(at, others)), ...inserted.map(byThread)])
}

async function findThreads(at: At, all: SenderMessages[]): Promise<Threads> {
  if (all.length === 0) return new Map()
  const locked = await lockThreads(at, { channel_ids: channelIds(all), counterparts: all.map(({ from }) => from) })
  return new Map(locked.map(byThread))
}

const byThread = (thread: Row): [string, Row] => [threadKey(thread.channel_id ?? '', thread.counterpart ?? ''), thread]

async function beginningsOf(at: At, all: SenderMessages[]): Promise<Conversation[]> {
  const agent_ids = [...new Set(all.map(({ channel }) => channel.agent_id ?? ''))]
  const agents = new Map(await Promise.all(agent_ids.map(async (id) => [id, await findAgent(at, id)] as const)))
  const findVersion = openVersions(at)
  return Promise.all(
    all.map(async ({ channel, from, contact_id }) => {
      const agent = agents.get(channel.agent_id ?? '')
      if (!agent) throw invalidState('No agent answers on this channel.')
      const version = await findVersion(agent, contact_id ?? from)
      const parts = {
        kind: 'sms' as const,
        channel_id: channel.id,
        contact_id,
        counterpart: from,
        awaits_answer: false,
      }
      return newConversation(at, { ...parts, agent, version })
    }),
  )
}

interface ThreadMessages {
  said: SenderMessages
  thread: Row
  refusal: ReturnType<Refusals['get']>
  is_confirmed: boolean
}

interface WithReply extends ReceivedChange {
  reply: [Inbound, string] | undefined
}

async function toReceived(at: At, { said, thread, refusal, is_confirmed }: ThreadMessages): Promise<WithReply> {
  const { id, contact_id, turn_count, channel_id, counterpart } = thread
  const last = said.messages.at(-1)
  const created_at = clock.iso(at.now)
  const turns = said.messages.map((inbound, index) => {
    const { text, carrier_id } = inbound
    const message = { status: 'delivered' as const, segments: segmentsOf(text), cost_micros: null, error: null }
    const seq = turn_count + index + 1
    const carried: NewMessage = {
      id: newId(),
      conversation_id: id,
      seq,
      channel_id: said.channel.id,
      carrier_id,
      message,
      is_exempt: false,
      direction: 'inbound',
    }
    return {
      id,
      contact_id,
      turn: newTurn({ seq, role: 'contact', text: keptOf(inbound), message, created_at }),
      carried,
    }
  })
  const is_sms = isPhoneNumber(said.from)
  const { keeps_question = false } = said
  const is_told_to_text =
    !is_sms &&
    said.number !== undefined &&
    (turn_count === 0 || isAsked(thread)) &&
    !said.asking &&
    !keeps_question &&
    refusal === undefined
  const asks_back = said.asking?.word === 'unclear'
  const asked = is_confirmed || asks_back ? said.asking : undefined
  const sentence = asked || is_told_to_text ? await sentenceFor(at, { thread, asked, number: said.number }) : undefined
  const seq = turn_count + turns.length + 1
  const answer = sentence && {
    id,
    contact_id,
    turn: newTurn({ seq, role: 'system', text: sentence, created_at }),
  }
  const segment_price = answer ? await readSegmentPrice(at) : 0
  // The last message may ask for something that the service answers. The agent answers those before it.
  const asks_agent = said.messages.length > (said.asking ? 1 : 0)
  return {
    before: thread,
    turns: [
      ...turns,
      ...(answer && is_sms
        ? [withMessage(answer, { channel_id, counterpart, segment_price, is_exempt: !asks_back })]
        : []),
      ...(answer && !is_sms ? [answer] : []),
    ],
    // The agent answers nothing else until the question is answered.
    awaits_answer:
      !asks_back && !keeps_question && (thread.awaits_answer || (asks_agent && refusal === undefined && is_sms)),
    closes: said.asking?.word === 'opt_out',
    asks_back,
    keeps_question,
    reply: !is_sms && last && sentence ? [last, sentence] : undefined,
  }
}

const sayings = { opt_out: 'opt_out', opt_in: 'opt_in', help: 'help', unclear: 'no_more_question' } as const

/**
 * Returns a sentence that answers a wish, in its language. Senders without a wish are told to write by SMS, in the
 * agent's language.
 */
async function sentenceFor(
  at: At,
  { thread, asked, number }: { thread: Row; asked: Asking | undefined; number: string | undefined },
): Promise<string> {
  const { language: agents = 'en' } = (await findConfigurationOf(at, thread)) ?? {}
  return asked
    ? sentencesIn(answerLanguage(asked, { agents, number }))[sayings[asked.word]]
    : sentencesIn(agents).text_instead
}
