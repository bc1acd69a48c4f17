import { findConfiguration } from '../agents/find-version.ts'
import { readResults as readCallResults } from '../calls/store.ts'
import * as contacts from '../contacts/store.ts'
import { findAgent } from '../conversations/begin.ts'
import { readResults as readConversationResults } from '../conversations/store.ts'
import type { At } from '../kit/at.ts'
import { csvLine } from '../kit/csv.ts'
import * as page from '../kit/postgres/page.ts'
import { raw, sql } from '../kit/postgres/sql.ts'
import { columns } from './enrollment-rows.ts'
import type { Campaign, Enrollment } from './schema.ts'
import { get } from './store.ts'

const rows_per_chunk = 1_000
const sort: page.Sort = { name: 'created_at', column: 'created_at', is_descending: false, is_nullable: false }
const fixed_columns = ['phone_number', 'status', 'reason', 'attempts', 'last_outcome']

/**
 * Yields a row for each enrollment as CSV, oldest first. Each chunk is a separate statement, so that a slow client holds no
 * connection and no snapshot.
 */
export async function* reportCsv(at: At, id: string): AsyncGenerator<string> {
  const { db, workspace } = at
  const names = await resultNames(at, await get(at, id))
  let header = csvLine([...fixed_columns, ...names])
  let last: Enrollment | undefined
  do {
    const is_after_last = last ? page.after(sort, { value: last.created_at, id: last.id }) : raw('true')
    const rows: Enrollment[] = await db.many<Enrollment>(
      sql`select ${columns} from enrollments
        where workspace_id = ${workspace} and campaign_id = ${id} and ${is_after_last}
        order by ${page.orderBy(sort)} limit ${rows_per_chunk}`,
    )
    yield header + (await formatRows(at, rows, names))
    header = ''
    last = rows.length === rows_per_chunk ? rows.at(-1) : undefined
  } while (last)
}

/** Returns the names of the results that the agent collects. An agent that was deleted after the campaign has none. */
async function resultNames(at: At, { agent_id, agent_version }: Campaign): Promise<string[]> {
  const agent = await findAgent(at, agent_id)
  if (!agent) return []
  const version_id = agent_version?.id ?? agent.deployed_version.id
  const configuration = await findConfiguration(at, { agent_id, version_id })
  return configuration?.results.map(({ name }) => name) ?? []
}

async function formatRows(at: At, rows: Enrollment[], names: string[]): Promise<string> {
  const [people, call_results, conversation_results] = await Promise.all([
    contacts.getMany(
      at,
      rows.map(({ contact_id }) => contact_id),
    ),
    readCallResults(
      at,
      rows.flatMap(({ last_call_id }) => last_call_id ?? []),
    ),
    readConversationResults(
      at,
      rows.flatMap(({ last_conversation_id }) => last_conversation_id ?? []),
    ),
  ])
  return rows
    .map(({ contact_id, status, reason, attempts, last_outcome, last_call_id, last_conversation_id }) => {
      const results = call_results.get(last_call_id ?? '') ?? conversation_results.get(last_conversation_id ?? '') ?? {}
      const { phone_number = null } = people.get(contact_id) ?? {}
      return csvLine([
        phone_number,
        status,
        reason,
        String(attempts),
        last_outcome,
        ...names.map((name) => formatResult(Object.hasOwn(results, name) ? results[name] : null)),
      ])
    })
    .join('')
}

const formatResult = (value: unknown): string | null =>
  value === undefined || value === null ? null : typeof value === 'string' ? value : JSON.stringify(value)
