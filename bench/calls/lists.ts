import { randomUUID } from 'node:crypto'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import pg from 'pg'
import { from as copyFrom } from 'pg-copy-streams'
import * as clock from '../../server/kit/clock.ts'
import { newId } from '../../server/kit/id.ts'
import { copyLine } from '../../server/kit/postgres/copy.ts'
import { chunksOf } from '../chunks.ts'
import { alternate, atMost, type Comparison, timed } from '../comparison.ts'
import type { Database } from '../database.ts'
import type { Tenant } from '../rows.ts'
import { openClient } from '../scale/client.ts'
import type { Bench } from './simulated.ts'

export const calls = 100_000
export const turns_each = 10
export const samples = 100
const ratio_max = 1.5
const page_size = 20
const minute_ms = 60_000
const references = 1_000

const call_columns = [
  'workspace_id',
  'id',
  'direction',
  'status',
  'outcome',
  'end_reason',
  'ended_by',
  'to_number',
  'conversation_id',
  'agent_id',
  'agent_name',
  'version_id',
  'version_label',
  'started_at',
  'answered_at',
  'ended_at',
  'duration_ms',
  'turn_count',
  'is_test',
  'search_text',
  'created_at',
  'updated_at',
]
const conversation_columns = [
  'workspace_id',
  'id',
  'kind',
  'status',
  'agent_id',
  'agent_name',
  'version_id',
  'version_label',
  'turn_count',
  'last_turn_at',
  'close_reason',
  'created_at',
  'updated_at',
]
const turn_columns = ['workspace_id', 'conversation_id', 'seq', 'role', 'text', 'heard', 'created_at']
const fill_counts = `insert into call_counts (workspace_id, status, slot, total)
  select workspace_id, status, 0, count(*) from calls where workspace_id = $1 group by 1, 2`

interface Row {
  call_id: string
  conversation_id: string
  created_at: string
  words: string[]
}

/** Fills a workspace with calls that have ended. */
export async function fillCalls({ url }: Database, tenant: Tenant, signal: AbortSignal): Promise<void> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    await copyCalls(client, { tenant, count: calls }, signal)
    await client.query('vacuum analyze calls, conversations, conversation_turns, call_counts')
    await client.query('checkpoint')
  } finally {
    await client.end()
  }
}

/** Copies calls that have ended into a workspace, on a connection that is used for nothing else. */
export async function copyCalls(
  client: pg.Client,
  { tenant: { workspace_id }, count }: { tenant: Tenant; count: number },
  signal: AbortSignal,
): Promise<void> {
  const began_at = clock.wall() - count * minute_ms
  const [agent_id, version_id] = [randomUUID(), randomUUID()]
  const rows = Array.from({ length: count }, (_, index): Row => {
    const words = Array.from({ length: turns_each }, (_, seq) => said(index, seq))
    return { call_id: newId(), conversation_id: newId(), created_at: clock.iso(began_at + index * minute_ms), words }
  })
  const agent = [agent_id, 'Caller', version_id, 'v1']
  const copy = async (table: string, columns: string[], toLines: (row: Row, index: number) => string) => {
    const stream = client.query(copyFrom(`copy ${table} (${columns}) from stdin`))
    await pipeline(Readable.from(chunksOf(rows.values().map(toLines))), stream, { signal })
  }
  // Leaves out the checks of foreign keys.
  await client.query('set session_replication_role = replica')
  await copy('calls', call_columns, ({ call_id, conversation_id, created_at, words }, index) =>
    copyLine([
      workspace_id,
      call_id,
      'outbound',
      'completed',
      'answered',
      'agent_hung_up',
      'agent',
      `+1415${5_000_000 + index}`,
      conversation_id,
      ...agent,
      created_at,
      created_at,
      created_at,
      60_000,
      turns_each,
      't',
      words.join(' ').toLowerCase(),
      created_at,
      created_at,
    ]),
  )
  await copy('conversations', conversation_columns, ({ conversation_id, created_at }) =>
    copyLine([
      workspace_id,
      conversation_id,
      'voice',
      'closed',
      ...agent,
      turns_each,
      created_at,
      'agent_ended',
      created_at,
      created_at,
    ]),
  )
  await copy('conversation_turns', turn_columns, ({ conversation_id, created_at, words }) =>
    words
      .map((text, index) => {
        const role = index % 2 === 0 ? 'contact' : 'agent'
        return copyLine([workspace_id, conversation_id, index + 1, role, text, text, created_at])
      })
      .join(''),
  )
  await client.query(fill_counts, [workspace_id])
}

const sentences = ['Is Tuesday at nine all right for your appointment?', 'Yes, that works for me.', 'Thank you.']

/** One turn of each call names a reference, which a hundred calls share. */
const said = (index: number, seq: number): string =>
  seq === 3 ? `The reference is ${referenceOf(index)}.` : (sentences[(index + seq) % sentences.length] ?? '')

const referenceOf = (index: number): string => `order ${1_000 + (index % references)}`

/** Compares lists and searches with plain SQL. */
export async function* measureLists(
  stack: AsyncDisposableStack,
  { database, server, tenant }: Bench & { tenant: Tenant },
  signal: AbortSignal,
): AsyncGenerator<Comparison> {
  const client = openClient(stack, server.port, tenant.token)
  const plain = new pg.Pool({ connectionString: database.url, max: 2, idleTimeoutMillis: 0 })
  stack.defer(() => plain.end())
  const readPlain = (filter: string, values: string[]) => {
    const where = `from calls where workspace_id = $1 ${filter}`
    const parameters = [tenant.workspace_id, ...values]
    return Promise.all([
      plain.query(`select * ${where} order by created_at desc, id desc limit ${page_size}`, parameters),
      plain.query(`select count(*) ${where}`, parameters),
    ])
  }
  const measure = (query: () => string) => async () => {
    signal.throwIfAborted()
    return timed(async () => {
      const { data } = await client.get(`/api/v1/calls${query()}`)
      if (data.length !== page_size) throw new Error(`${data.length} calls instead of ${page_size}`)
    })
  }
  const reference = () => referenceOf(Math.floor(Math.random() * references))
  const list = await alternate(
    samples,
    measure(() => ''),
    () => timed(() => readPlain('', [])),
  )
  yield atMost('GET /calls in ms, beside plain SQL', list[0], list[1], ratio_max)
  const search = await alternate(
    samples,
    measure(() => `?search=${encodeURIComponent(reference())}`),
    () => timed(() => readPlain('and search_text like $2', [`%${reference()}%`])),
  )
  yield atMost('GET /calls?search= in ms, beside plain SQL', search[0], search[1], ratio_max)
}
