import * as calls from '../calls/erase.ts'
import * as enrollments from '../campaigns/enrollments.ts'
import type { Person } from '../consent/person.ts'
import * as consents from '../consent/store.ts'
import * as suppressions from '../consent/suppressions.ts'
import * as contacts from '../contacts/store.ts'
import * as conversations from '../conversations/erase.ts'
import { list as listTurns } from '../conversations/turns.ts'
import * as questions from '../documents/unanswered.ts'
import * as events from '../events/store.ts'
import * as imports from '../imports/of-person.ts'
import * as integrations from '../integrations/of-person.ts'
import { type AtOutside, inTransaction } from '../kit/at.ts'
import { firstIdOf } from '../kit/id.ts'
import { letOthersRun } from '../kit/let-others-run.ts'
import type { IdRange } from '../kit/postgres/page-by-id.ts'
import { personOfContact } from './belongings.ts'
import { writeZip, type ZipEntry } from './zip.ts'

/** A page of this many rows is in memory while the client doesn't read. An event may have 200 kB. */
const rows_per_page = 50
const piece_length = 256 * 1024

interface File {
  about: string
  /**
   * The tables that the file is about: test/sweeps/erasures.test.ts checks that all that is erased is in a file, or in
   * a list of what is not.
   */
  tables: string[]
  /** Yields pages of rows. A page may be empty, to let others run. */
  pages: (at: AtOutside, person: Person) => AsyncIterable<object[]>
}

/** The files with one JSON object in each line, by their names without the ending. @internal */
export const files: Record<string, File> = {
  contacts: {
    about: 'The contact, and contacts that have its number in another spelling.',
    tables: ['contacts', 'contact_crm_ids', 'contact_custom_fields', 'contact_tags'],
    async *pages(at, { contact_ids }) {
      const found = await contacts.getMany(at, contact_ids)
      for (const id of found.keys()) yield [await contacts.get(at, id)]
    },
  },
  conversations: {
    about: 'Conversations, also those of calls, without what was said.',
    tables: ['conversations'],
    pages: (at, person) => inPages((range) => conversations.listOf(at, person, range)),
  },
  turns: {
    about: 'What was said and written in these conversations, with the tools that ran and the text messages.',
    tables: ['conversation_turns', 'tool_runs'],
    pages: turnsOf,
  },
  calls: {
    about:
      'Calls. Their recordings are in the folder recordings, by id. A simulated call that nobody has listened to has none.',
    tables: ['calls'],
    pages: (at, person) => inPages((range) => calls.listOf(at, person, range)),
  },
  enrollments: {
    about: 'Campaigns that the contact was enrolled in.',
    tables: ['enrollments'],
    pages: (at, person) => inPages((range) => enrollments.listOfPerson(at, person, range)),
  },
  consents: {
    about: 'What the person has agreed to and refused.',
    tables: [],
    pages: (at, person) => inPages((range) => consents.listOfPerson(at, person, range)),
  },
  suppressions: {
    about: 'Numbers of the person that must not be called or written to.',
    tables: ['suppressions'],
    pages: (at, person) => inPages((range) => suppressions.listOfPerson(at, person, range)),
  },
  events: {
    about: 'What has happened to the contact, its conversations and its calls, with earlier values.',
    tables: ['events'],
    async *pages(at, person) {
      for await (const ids of resourcesOf(at, person)) yield* inPages((range) => events.listOf(at, ids, range))
    },
  },
  unanswered_questions: {
    about: 'Questions to which the documents had no answer.',
    tables: ['document_questions'],
    async *pages(at, person) {
      for await (const ids of conversationIds(at, person)) yield* inPages((range) => questions.listOf(at, ids, range))
    },
  },
  import_rows: {
    about: 'Rows of imported files that name the person.',
    tables: ['import_chunks'],
    async *pages(at, person) {
      let after: imports.UploadPosition | undefined
      do {
        const { rows, next } = await imports.listFromUploads(at, person, after)
        yield rows
        after = next
      } while (after)
    },
  },
  integration_receipts: {
    about: 'What other systems have sent about the person.',
    tables: ['integration_receipts'],
    pages: (at, person) => inPages((range) => integrations.listOf(at, person, range)),
  },
}

/**
 * Yields all that is known about the person whom the contact stands for, as a ZIP file. The person is found as an
 * erasure finds it. Each page is a statement of its own: a slow client holds no connection and no snapshot.
 */
export async function* exportEverything(at: AtOutside, contact_id: string): AsyncGenerator<Buffer> {
  // This is a transaction because the first use of keyed hashes makes their secret.
  const person = await inTransaction(at, async (at) => personOfContact(at, await contacts.get(at, contact_id)))
  yield* writeZip(entriesOf(at, person), { mtime_ms: at.now })
}

async function* entriesOf(at: AtOutside, person: Person): AsyncGenerator<ZipEntry> {
  yield { name: 'README.txt', content: [Buffer.from(readme)] }
  for (const [name, { pages }] of Object.entries(files))
    yield { name: fileName(name), content: jsonLines(pages(at, person)) }
  for await (const page of inPages((range) => calls.listOf(at, person, range)))
    for (const call of page) {
      const audio = await calls.openAudio(at, call)
      if (!audio) continue
      try {
        yield { name: `recordings/${call.id}.wav`, content: audio.stream }
      } finally {
        audio.stream.destroy()
      }
    }
}

const fileName = (name: string): string => `${name}.jsonl`

const readme = `All that this workspace knows about one person.

Each file .jsonl has one JSON object in each line. Times are in UTC. An empty file means that there is nothing.

${Object.entries(files)
  .map(([name, { about }]) => `${fileName(name)}: ${about}`)
  .join('\n')}
`

async function* jsonLines(pages: AsyncIterable<object[]>): AsyncGenerator<Buffer> {
  for await (const page of pages) {
    let text = ''
    for (const row of page) {
      await letOthersRun()
      text += `${JSON.stringify(row)}\n`
      if (text.length < piece_length) continue
      yield Buffer.from(text)
      text = ''
    }
    yield Buffer.from(text)
  }
}

async function* inPages<Row extends { id: string }>(read: (range: IdRange) => Promise<Row[]>): AsyncGenerator<Row[]> {
  for (let after: string | undefined = firstIdOf(0); after !== undefined; ) {
    const rows: Row[] = await read({ after, limit: rows_per_page })
    yield rows
    after = rows.length < rows_per_page ? undefined : rows.at(-1)?.id
  }
}

async function* conversationIds(at: AtOutside, person: Person): AsyncGenerator<string[]> {
  for await (const page of inPages((range) => conversations.listOf(at, person, range))) yield page.map(({ id }) => id)
}

async function* resourcesOf(at: AtOutside, person: Person): AsyncGenerator<string[]> {
  yield person.contact_ids
  yield* conversationIds(at, person)
  for await (const page of inPages((range) => calls.listOf(at, person, range))) yield page.map(({ id }) => id)
}

async function* turnsOf(at: AtOutside, person: Person): AsyncGenerator<object[]> {
  for await (const ids of conversationIds(at, person))
    for (const conversation_id of ids) {
      let after = 0
      for (let is_more = true; is_more; ) {
        const turns = await listTurns(at, { conversation_id, after, limit: rows_per_page })
        yield turns.map((turn) => ({ conversation_id, ...turn }))
        after = turns.at(-1)?.seq ?? after
        is_more = turns.length === rows_per_page
      }
    }
}
