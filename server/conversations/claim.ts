import { type Configuration, complete } from '../agents/configuration.ts'
import { findConfiguration } from '../agents/find-version.ts'
import type { Contact } from '../contacts/schema.ts'
import * as contacts from '../contacts/store.ts'
import { timeZoneOf } from '../contacts/zones.ts'
import type { At } from '../kit/at.ts'
import * as clock from '../kit/clock.ts'
import { sql, toArrayLiteral } from '../kit/postgres/sql.ts'
import type { RowOf } from '../kit/postgres/table.ts'
import type { DueKind } from '../kit/work/due.ts'
import { dueRows } from '../kit/work/rows.ts'
import type { DueItem } from '../kit/work/work.ts'
import { history_turns, type ToolCall } from '../talk/state.ts'
import * as workspaces from '../workspaces/store.ts'
import { leaseDue, select, table } from './rows.ts'
import type { Turn } from './schema.ts'
import { numberOf, turnColumns } from './turns.ts'

/** A conversation that this process drives, as it was when the process leased it. */
export interface ClaimedConversation extends Row {
  token: string
  contact: Contact | undefined
  /** The contact names dates and times in this zone. */
  time_zone: string
  /** Undefined when the agent was deleted. */
  configuration: Configuration | undefined
  /** The last turns, oldest first. There are none when nothing is to be said. */
  turns: LoadedTurn[]
  /** Tool runs that are not yet part of a turn: a process was killed before it could write the turn. */
  runs: LoadedRun[]
}

const columns = select([
  'id',
  'due_at',
  'kind',
  'status',
  'channel_id',
  'agent_id',
  'agent_name',
  'version_id',
  'draft',
  'contact_id',
  'turn_count',
  'last_turn_at',
  'created_at',
  'variables',
  'results',
  'close_reason',
  'summary',
  'summarized_until',
  'needs_summary',
  'tokens',
  'awaits_answer',
  'last_answer_seq',
  'timers',
  'script_state',
  'opt_out_asked_at',
  'opt_out_asked_seq',
  'attempt',
])

interface Row extends RowOf<typeof columns> {
  due_at: string
}

export interface LoadedTurn extends Turn {
  conversation_id: string
  is_open: boolean
}

export interface LoadedRun {
  conversation_id: string
  id: string
  name: string
  arguments: unknown
  result: unknown
  status: Turn['tools'][number]['status']
  duration_ms: number | null
  /** When the run began. */
  created_at: string
}

/** How far a run was when the contact last spoke. Undefined if it has begun since. */
export function beforeWords(
  { status, created_at, duration_ms }: LoadedRun,
  turns: Pick<Turn, 'role' | 'created_at'>[],
): ToolCall['before_words'] {
  const said_at = turns.findLast(({ role }) => role === 'contact')?.created_at
  if (said_at === undefined || created_at >= said_at) return undefined
  const ended = clock.parse(created_at) + (duration_ms ?? 0)
  return status !== 'running' && ended < clock.parse(said_at) ? 'ended' : 'begun'
}

/** Nearly all open conversations have a `due_at`, and few are leased, so each part reads few rows of its index. */
export const due_conversations: DueKind = {
  ...dueRows(table.name),
  nextFree: (workspace) => sql`select least(
    (select min(due_at) from conversations where workspace_id = ${workspace} and lease_until is null),
    (select min(greatest(due_at, lease_until)) from conversations
      where workspace_id = ${workspace} and lease_until is not null and due_at is not null))`,
}

/** Leases due conversations, and reads what is needed to continue them. */
export async function claim(at: At, { slots }: { slots: number }): Promise<ClaimedConversation[]> {
  const leased = await leaseDue(at, slots, columns)
  const contact_ids = leased.flatMap(({ contact_id }) => contact_id ?? [])
  const [turns, runs, known, settings, configurations] = await Promise.all([
    loadTurns(at, leased),
    loadRuns(at, leased.filter(isSpoken)),
    contacts.getMany(at, contact_ids),
    workspaces.readSettings(at),
    Promise.all(leased.map((row) => configurationOf(at, row))),
  ])
  return leased.map((row, index) => ({
    ...row,
    contact: known.get(row.contact_id ?? ''),
    time_zone: timeZoneOf(known.get(row.contact_id ?? ''), { now: at.now, workspace_time_zone: settings.time_zone }),
    configuration: configurations[index],
    // What was said after the lease began is read as a change.
    turns: turns.get(row.id)?.filter(({ seq }) => seq <= row.turn_count) ?? [],
    runs: runs.get(row.id) ?? [],
  }))
}

/** Returns whether what was said before matters. It doesn't when only the time of an open conversation has run out. */
const isSpoken = ({ awaits_answer, needs_summary, status }: Row): boolean =>
  awaits_answer || needs_summary || status === 'handed_over'

async function configurationOf(
  at: At,
  { draft, version_id, agent_id }: Row,
): Promise<ClaimedConversation['configuration']> {
  if (version_id === null) return draft ? complete(draft) : undefined
  return findConfiguration(at, { agent_id, version_id })
}

/**
 * Reads the last turns of conversations where they matter. Of the other conversations it reads only a turn that is
 * open, because a process was killed.
 */
async function loadTurns({ db, workspace }: At, rows: Row[]): Promise<Map<string, LoadedTurn[]>> {
  if (rows.length === 0) return new Map()
  const ids = rows.map(({ id }) => id)
  const ranges = rows.map(({ id, turn_count }) => ({ id, after: turn_count - history_turns }))
  const after = Math.min(...ranges.map((range) => range.after))
  const afters = rows.map((row): [string, number] => [
    row.id,
    isSpoken(row) ? row.turn_count - history_turns : row.turn_count,
  ])
  const turns = await db.many<LoadedTurn>(
    sql`select conversation_id, is_open, ${turnColumns(workspace, ranges)} from conversation_turns as turn
      where workspace_id = ${workspace} and conversation_id = any(${ids}::uuid[]) and seq > ${after}
        and (is_open or seq > ${numberOf(new Map(afters))})
      order by seq`,
  )
  return Map.groupBy(turns, ({ conversation_id }) => conversation_id)
}

async function loadRuns({ db, workspace }: At, rows: DueItem[]): Promise<Map<string, LoadedRun[]>> {
  if (rows.length === 0) return new Map()
  const ids = toArrayLiteral(rows.map(({ id }) => id))
  const runs = await db.many<LoadedRun>(
    sql`select conversation_id, id, name, arguments, result, status, duration_ms, created_at from tool_runs
      where workspace_id = ${workspace} and conversation_id = any(${ids}::uuid[]) and seq is null
      order by created_at, id`,
  )
  return Map.groupBy(runs, ({ conversation_id }) => conversation_id)
}

/** What another process knew of a talk: the last turns, oldest first, with the one that was open, and tools without a turn. */
export interface Talk extends Pick<ClaimedConversation, 'script_state' | 'turns' | 'runs'> {
  tokens: number
}

/** Reads a talk that goes on in this process. */
export async function readTalk(at: At, id: string): Promise<Talk> {
  const { db, workspace } = at
  const [row, turns, runs] = await Promise.all([
    select(['script_state', 'tokens']).one(
      db,
      sql`from conversations where workspace_id = ${workspace} and id = ${id}`,
    ),
    db.many<LoadedTurn>(
      sql`select last.* from (
          select conversation_id, is_open, ${turnColumns(workspace, [{ id }])} from conversation_turns as turn
          where workspace_id = ${workspace} and conversation_id = ${id} order by seq desc limit ${history_turns}
        ) as last order by seq`,
    ),
    loadRuns(at, [{ id, due_at: '' }]),
  ])
  return { ...row, turns, runs: runs.get(id) ?? [] }
}
