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
import type { Server } from '../processes.ts'
import { pickRandom, type Tenant } from '../rows.ts'
import { openClient } from '../scale/client.ts'

export const big_conversations = 100_000
export const small_conversations = 100
export const turns_each = 10
export const samples = 200
const ratio_max = 1.5
const minute_ms = 60_000
const day_ms = 24 * 60 * minute_ms

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
  'last_answer_seq',
  'close_reason',
  'created_at',
  'updated_at',
  'due_at',
]
const turn_columns = ['workspace_id', 'conversation_id', 'seq', 'role', 'text', 'latency', 'usage', 'created_at']
const fill_counts = `insert into conversation_counts (workspace_id, status, slot, total)
  select workspace_id, status, 0, count(*) from conversations where workspace_id = any($1::uuid[]) group by 1, 2`

/** Fills a large and a small workspace. Their ids are those of the conversations. */
export async function fillThreads({ url }: Database, big: Tenant, small: Tenant, signal: AbortSignal): Promise<void> {
  big.ids = Array.from({ length: big_conversations }, newId)
  small.ids = Array.from({ length: small_conversations }, newId)
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  const copy = async (table: string, columns: string[], lines: Iterable<string>) => {
    const stream = client.query(copyFrom(`copy ${table} (${columns}) from stdin`))
    await pipeline(Readable.from(chunksOf(lines)), stream, { signal })
  }
  try {
    // Leaves out the checks of foreign keys.
    await client.query('set session_replication_role = replica')
    for (const tenant of [big, small]) {
      await copy('conversations', conversation_columns, conversationLines(tenant))
      await copy('conversation_turns', turn_columns, turnLines(tenant))
    }
    await client.query(fill_counts, [[big.workspace_id, small.workspace_id]])
    await client.query('vacuum analyze conversations, conversation_turns, conversation_counts')
    await client.query('checkpoint')
  } finally {
    await client.end()
  }
}

/** One in five is open, which is a page in the small workspace, and one in fifty is handed over. */
function* conversationLines({ workspace_id, ids }: Tenant): Generator<string> {
  const [agent_id, version_id] = [randomUUID(), randomUUID()]
  for (const [index, id] of ids.entries()) {
    const status = index % 5 === 0 ? 'open' : index % 50 === 1 ? 'handed_over' : 'closed'
    const is_closed = status === 'closed'
    const created_at = beginningOf(index, ids.length)
    const last_turn_at = clock.iso(created_at + turns_each * minute_ms)
    yield copyLine([
      workspace_id,
      id,
      'api',
      status,
      agent_id,
      'Reception',
      version_id,
      'v1',
      turns_each,
      last_turn_at,
      turns_each,
      is_closed ? 'agent_ended' : null,
      clock.iso(created_at),
      last_turn_at,
      is_closed ? null : clock.iso(clock.wall() + day_ms),
    ])
  }
}

/** They began during the last day, oldest first. */
const beginningOf = (index: number, count: number): number =>
  clock.wall() - day_ms + Math.floor((index / count) * (day_ms / 2))

const latency = JSON.stringify({ model_first_ms: 180, model_ms: 420, tools_ms: null, turn_ms: 431 })
const usage = JSON.stringify({ input_tokens: 400, output_tokens: 16 })

function* turnLines({ workspace_id, ids }: Tenant): Generator<string> {
  for (const [index, id] of ids.entries()) {
    const created_at = clock.iso(beginningOf(index, ids.length))
    for (let seq = 1; seq <= turns_each; seq += 2) {
      const question = `When are you open in week ${index % 52}?`
      const answer = 'We are open from nine to six, Monday to Friday. Anything else?'
      yield copyLine([workspace_id, id, seq, 'contact', question, null, null, created_at])
      yield copyLine([workspace_id, id, seq + 1, 'agent', answer, latency, usage, created_at])
    }
  }
}

const requests = [
  { name: 'thread', path: (ids: string[]) => `/${pickRandom(ids)}/turns`, length: turns_each },
  { name: 'list', path: () => '', length: 20 },
  { name: 'list with status=open', path: () => '?status=open', length: 20 },
]

/** Compares reads of the large workspace with those of the small one. */
export async function* measureThreads(
  stack: AsyncDisposableStack,
  { server, big, small }: { server: Server; big: Tenant; small: Tenant },
  signal: AbortSignal,
): AsyncGenerator<Comparison> {
  const open = ({ token }: Tenant) => openClient(stack, server.port, token)
  const clients = { big: open(big), small: open(small) }
  for (const { name, path, length } of requests) {
    const measure =
      (client: typeof clients.big, { ids }: Tenant) =>
      () => {
        signal.throwIfAborted()
        return timed(async () => {
          const { data } = await client.get(`/api/v1/conversations${path(ids)}`)
          if (data.length !== length) throw new Error(`${name}: ${data.length} instead of ${length}`)
        })
      }
    const [ours, beside] = await alternate(samples, measure(clients.big, big), measure(clients.small, small))
    yield atMost(`${name} in ms, beside 1,000 turns`, ours, beside, ratio_max)
  }
}
