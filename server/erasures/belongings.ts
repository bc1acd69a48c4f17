import * as calls from '../calls/erase.ts'
import { redact as redactCall } from '../calls/erase.ts'
import { cancelOf } from '../campaigns/enrollments.ts'
import { type Person, personOf } from '../consent/person.ts'
import { spellingsOf } from '../consent/spellings.ts'
import { eraseNumbers } from '../consent/suppressions.ts'
import type { Contact } from '../contacts/schema.ts'
import * as contacts from '../contacts/store.ts'
import * as conversations from '../conversations/erase.ts'
import { redact as redactConversation } from '../conversations/erase.ts'
import * as events from '../events/store.ts'
import * as imports from '../imports/of-person.ts'
import { eraseReceipts } from '../integrations/of-person.ts'
import type { At } from '../kit/at.ts'
import * as chat_visitors from '../lines/web-chat/visitors.ts'
import { countIn } from '../messages/rows.ts'
import type { Counts } from './schema.ts'

/*
 * What belongs to a person, and how it is erased. Each room says how it finds what it has of a person (`of-person.ts`), and what goes
 * with it:
 *
 * - conversations, with turns, tool runs, text messages, unanswered questions and visitors of web chats. Their events, deliveries, inboxes
 *   and stored answers are reduced to ids, and what runs of tests say about them is erased;
 * - calls, with their conversations, recordings and transcripts;
 * - enrollments in campaigns, with their variables;
 * - rows of imports, and receipts of integrations;
 * - suppressions, of which a keyed hash is left, and entries of the consent ledger, which have nothing else;
 * - the contact, with search texts, tags, custom fields, ids in CRM systems, and its events.
 */

const ended_at_once_max = 50
const conversations_at_once = 10
const calls_at_once = 5
const calls_left_at_once = 200

export type { Person } from '../consent/person.ts'

/** Returns the numbers of a contact: that of now, and earlier ones that nobody else has. */
export async function numbersOf(at: At, { id, phone_number }: Pick<Contact, 'id' | 'phone_number'>): Promise<string[]> {
  const earlier = await events.previousTexts(at, { resource_id: id, field: 'phone_number' })
  const holders = await contacts.idsByNumber(at, earlier.flatMap(spellingsOf))
  const isOthers = (number: string) => spellingsOf(number).some((spelling) => (holders.get(spelling) ?? id) !== id)
  return [phone_number, ...earlier.filter((number) => number !== phone_number && !isOthers(number))]
}

/** Returns the person that a contact stands for. */
export const personOfContact = async (
  at: At,
  contact: Pick<Contact, 'id' | 'phone_number' | 'email'>,
): Promise<Person> => personOf(at, { contact_id: contact.id, contact, numbers: await numbersOf(at, contact) })

/**
 * Ends what would go on and say more about the person, before anything is erased. `is_all` is false if there may be
 * more to end, and `on_line` counts calls that are still going on.
 */
export async function end(at: At, person: Person): Promise<{ is_all: boolean; on_line: number; ended: number }> {
  const canceled = await cancelOf(at, person, ended_at_once_max)
  const closed = await conversations.closeOf(at, person, ended_at_once_max)
  const on_line = await calls.endOf(at, person, ended_at_once_max)
  const is_all = [canceled, closed, on_line].every((count) => count < ended_at_once_max)
  return { is_all, on_line, ended: canceled + closed }
}

/** Redacts some conversations and calls that are over. Returns undefined if there are none. */
export async function redactSome(at: At, person: Person): Promise<Counts | undefined> {
  const left = await calls.leaveWithoutFiles(at, person, calls_left_at_once)
  const over = await calls.findOverOf(at, person, calls_at_once)
  const counted = await countOfCalls(at, over)
  for (const { id } of over) await redactCall(at, { id, by: 'system' })
  await calls.leave(
    at,
    person,
    over.map(({ id }) => id),
  )
  const talks = await findTalks(at, person)
  const of_talks = await countOfConversations(at, talks)
  // There may be more calls than are redacted at once: these are redacted with their conversations.
  const more = await calls.findOfConversations(
    at,
    talks.map(({ id }) => id),
  )
  const of_more = await countOfCalls(
    at,
    more.map((call) => ({ ...call, conversation_id: null })),
  )
  for (const { id, redacted_at } of talks) if (redacted_at === null) await redactConversation(at, { id, reason: 'api' })
  const web_chats = talks.filter(({ kind }) => kind === 'web_chat')
  if (web_chats.length > 0)
    await chat_visitors.forget(
      at,
      web_chats.map(({ id }) => id),
    )
  await conversations.leave(
    at,
    talks.map(({ id }) => id),
  )
  return left + over.length + talks.length === 0 ? undefined : sumOf([counted, of_talks, of_more])
}

async function findTalks(at: At, person: Person): Promise<conversations.Held[]> {
  const found = await conversations.findOverOf(at, person, conversations_at_once)
  const on_line = await calls.findOnLine(
    at,
    found.map(({ id }) => id),
  )
  return found.filter(({ id }) => !on_line.has(id))
}

async function countOfCalls(
  at: At,
  found: { id: string; conversation_id: string | null; has_file: boolean }[],
): Promise<Counts> {
  if (found.length === 0) return nothing
  const conversation_ids = found.flatMap(({ conversation_id }) => conversation_id ?? [])
  return {
    conversations: conversation_ids.length,
    calls: found.length,
    messages: 0,
    events: await events.countOf(at, [...found.map(({ id }) => id), ...conversation_ids]),
    files: found.filter(({ has_file }) => has_file).length,
  }
}

/** Counts what is erased with conversations. Those that were redacted before were counted then. */
async function countOfConversations(at: At, found: conversations.Held[]): Promise<Counts> {
  const ids = found.flatMap(({ id, redacted_at }) => (redacted_at === null ? [id] : []))
  if (ids.length === 0) return nothing
  const [messages, recorded] = await Promise.all([countIn(at, ids), events.countOf(at, ids)])
  return { conversations: ids.length, calls: 0, messages, events: recorded, files: 0 }
}

/** Erases the person's rows in the next uploads. Returns where to go on, or undefined at the end. */
export const eraseFromUploads = imports.eraseFromUploads

/** Whether all talks are erased, with their files. */
export const hasNoTalks = async (at: At, person: Person): Promise<boolean> =>
  (await conversations.hasNoneOf(at, person)) && (await calls.hasNoneOf(at, person))

/** Erases the rest, and at last the contact, if it is still there. Returns undefined if there are talks again. */
export async function eraseRest(at: At, person: Person): Promise<Counts | undefined> {
  const { contact_ids } = person
  // The contacts are locked first, as when they are deleted. A call or message that came meanwhile held them until now.
  const found = await contacts.lock(at, contact_ids)
  if (!(await hasNoTalks(at, person))) return undefined
  await eraseReceipts(at, person)
  await imports.forgetNumbers(at, person)
  await eraseNumbers(at, person)
  const recorded = await events.countOf(at, contact_ids)
  await contacts.removeLocked(at, [...found.values()])
  return { ...nothing, events: recorded }
}

export const nothing: Counts = { conversations: 0, calls: 0, messages: 0, events: 0, files: 0 }

function sumOf(all: Counts[]): Counts {
  const sum = { ...nothing }
  for (const counts of all) {
    sum.conversations += counts.conversations
    sum.calls += counts.calls
    sum.messages += counts.messages
    sum.events += counts.events
    sum.files += counts.files
  }
  return sum
}
