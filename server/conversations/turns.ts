import type { At, InWorkspace } from '../kit/at.ts'
import { letOthersRun } from '../kit/let-others-run.ts'
import { batchedPerDb } from '../kit/postgres/batched-per-db.ts'
import { copyLine } from '../kit/postgres/copy.ts'
import { readNames } from '../kit/postgres/names.ts'
import * as page from '../kit/postgres/page.ts'
import type { Db } from '../kit/postgres/pool.ts'
import { rowsFrom, type Sql, sql } from '../kit/postgres/sql.ts'
import { invalid } from '../kit/problem.ts'
import { no_usage, type SpeechPart } from '../talk/state.ts'
import type { Turn, TurnQuery } from './schema.ts'
import * as conversations from './store.ts'

/** The largest integer of the database. */
const seq_max = 2 ** 31 - 1
/** After this many turns have been prepared for the database, other work of the process may run. */
const turns_at_once = 100

const oldest_first: page.Sort = {
  name: 'seq',
  column: 'seq',
  is_descending: false,
  is_nullable: false,
  is_ordinal: true,
}

export const no_latency = { model_first_ms: null, model_ms: null, tools_ms: null, turn_ms: null }

export const newTurn = (turn: Pick<Turn, 'seq' | 'role' | 'text' | 'created_at'> & Partial<Turn>): Turn => ({
  heard: null,
  is_interrupted: false,
  finish_reason: null,
  author: null,
  tools: [],
  script: null,
  citations: [],
  latency: no_latency,
  usage: no_usage,
  message: null,
  error: null,
  ...turn,
})

/** Turns of a conversation whose tools and messages are read. */
interface TurnRange {
  id: string
  after?: number
  until?: number
}

/**
 * The tools and the message of each turn come with it. They are read once for all turns, into an object that has the turns as its
 * keys: on outdated statistics, a look-up for each turn reads all of the workspace. A conversation may have several ranges: what is
 * between them is read too.
 */
export const turnColumns = (workspace: string, ranges: TurnRange[]): Sql => {
  const afters = new Map<string, number>()
  const untils = new Map<string, number>()
  for (const { id, after = 0, until = seq_max } of ranges) {
    afters.set(id, Math.min(after, afters.get(id) ?? seq_max))
    untils.set(id, Math.min(Math.max(until, untils.get(id) ?? 0), seq_max))
  }
  const is_read = sql`workspace_id = ${workspace} and conversation_id = any(${[...afters.keys()]}::uuid[])
      and seq > ${Math.min(...afters.values())}::integer and seq <= ${Math.max(...untils.values())}::integer
      and seq > ${numberOf(afters)} and seq <= ${numberOf(untils)}`
  return sql`seq, role, text, heard, is_interrupted, finish_reason, script, coalesce(citations, '[]') as citations, coalesce(latency, ${JSON.stringify(no_latency)}) as latency,
    coalesce(usage, ${JSON.stringify(no_usage)}) as usage, error, created_at,
    case when author_id is not null then jsonb_build_object('id', author_id, 'name', null) end as author,
    case when message_id is not null then (
      select jsonb_object_agg(id, jsonb_build_object('status', status, 'segments', segments, 'cost_micros', cost_micros, 'error', error))
      from messages where ${is_read}) -> message_id::text end as message,
    case when role = 'agent' then coalesce((
      select jsonb_object_agg(conversation_id || ' ' || seq, runs) from (
        select conversation_id, seq, jsonb_agg(jsonb_build_object('id', id, 'name', name, 'arguments', arguments, 'result', result,
          'status', status, 'duration_ms', duration_ms) order by created_at, id) as runs
        from tool_runs where ${is_read} group by conversation_id, seq) as of_turn
      ) -> (conversation_id || ' ' || seq), '[]') else '[]' end as tools`
}

/** The number of a row's conversation. A join would have the plan that reads all turns for each conversation. */
export const numberOf = (numbers: Map<string, number>): Sql =>
  sql`(${JSON.stringify(Object.fromEntries(numbers))}::jsonb ->> conversation_id::text)::integer`

/** Lists finished turns after a number, oldest first. The list ends before a turn that is not finished, so that none is missed. */
export const list = ({ db, workspace }: InWorkspace, { conversation_id, after, limit }: Position): Promise<Turn[]> =>
  db.many<Turn>(
    sql`select ${turnColumns(workspace, [{ id: conversation_id, after, until: after + limit }])}
      from conversation_turns as turn
      where workspace_id = ${workspace} and conversation_id = ${conversation_id} and seq > ${after}
        and not exists (select from conversation_turns as unfinished
          where unfinished.workspace_id = ${workspace} and unfinished.conversation_id = ${conversation_id}
            and unfinished.seq > ${after} and unfinished.seq <= turn.seq and unfinished.is_open)
      order by seq limit ${limit}`,
  )

/** Reads as `list` does. Concurrent reads of a workspace share a statement: each change wakes all streams of its conversation. */
export const listTogether = ({ db, workspace }: InWorkspace, position: Position): Promise<Turn[]> =>
  listInBatches(db, workspace, { workspace, position })

interface Position {
  conversation_id: string
  after: number
  limit: number
}

interface ListRequest {
  workspace: string
  position: Position
}

const batch_limits = { size_max: 100, in_flight_max: 2, concurrent_size_min: 24 }
const listInBatches = batchedPerDb(batch_limits, listAll)

async function listAll(db: Db, requests: ListRequest[]): Promise<Turn[][]> {
  const [first] = requests
  if (!first) return []
  const { workspace } = first
  const positions = requests.map(({ position }) => position)
  const ids = positions.map(({ conversation_id }) => conversation_id)
  const ranges = positions.map(({ conversation_id: id, after, limit }) => ({ id, after, until: after + limit }))
  const found = await db.many<Turn & { index: number }>(
    sql`select wanted.index::integer, page.*
      from unnest(${ids}::uuid[],
        ${positions.map(({ after }) => after)}::integer[], ${positions.map(({ limit }) => limit)}::integer[])
        with ordinality as wanted (id, after, max, index)
      cross join lateral (
        select ${turnColumns(workspace, ranges)} from conversation_turns as turn
        where workspace_id = ${workspace} and conversation_id = wanted.id and seq > wanted.after
          and not exists (select from conversation_turns as unfinished
            where unfinished.workspace_id = ${workspace} and unfinished.conversation_id = wanted.id
              and unfinished.seq > wanted.after and unfinished.seq <= turn.seq and unfinished.is_open)
        order by seq limit wanted.max
      ) as page
      order by wanted.index, page.seq`,
  )
  const by_index = Map.groupBy(found, ({ index }) => index - 1)
  return requests.map((_, index) => (by_index.get(index) ?? []).map(({ index: _, ...turn }) => turn))
}

/** The words before unanswered messages are looked for among this many turns. */
const unanswered_max = 50

/** Returns what was last said to the contact in a conversation. */
export async function lastWordsTo(
  { db, workspace }: InWorkspace,
  { id, turn_count }: { id: string; turn_count: number },
): Promise<string | undefined> {
  const last = await db.maybe<Pick<Turn, 'text'>>(
    sql`select text from conversation_turns
      where workspace_id = ${workspace} and conversation_id = ${id} and role <> 'contact' and seq > ${turn_count - unanswered_max}
      order by seq desc limit 1`,
  )
  return last?.text
}

/** Returns the number of the turn before the one that is not finished, or of the last one. */
export async function lastFinished(
  { db, workspace }: InWorkspace,
  { id, turn_count }: { id: string; turn_count: number },
): Promise<number> {
  const { seq } = await db.one<{ seq: number | null }>(
    sql`select min(seq) - 1 as seq from conversation_turns
      where workspace_id = ${workspace} and conversation_id = ${id} and is_open`,
  )
  return seq ?? turn_count
}

/** Fails when a request says in two ways where to go on. */
export function assertOnePlace({ after, wait_ms, offset, cursor }: TurnQuery): void {
  if (offset === 0 && cursor === undefined) return
  const path = cursor === undefined ? 'offset' : 'cursor'
  const follows = [after > 0 && 'after', wait_ms > 0 && 'wait_ms'].filter((name) => name !== false)
  const refuse = (name: string) => ({
    path: name,
    code: 'conflict',
    message: `${name} can't be used together with ${path}. Leave one of them out.`,
  })
  if (follows.length > 0) throw invalid(follows.map(refuse))
}

/** Reads a page of finished turns, oldest first. Their numbers have no gaps, so an offset is the number of the turn before. */
export async function read(
  at: At,
  { conversation_id, query }: { conversation_id: string; query: TurnQuery },
): Promise<page.Page<Turn>> {
  const { turn_count } = await conversations.get(at, conversation_id)
  const { after: first_after, limit, cursor, offset } = query
  const paging = { limit, offset: Math.max(first_after, offset), ...(cursor !== undefined && { cursor }) }
  const found = await page.readNumbered(paging, oldest_first, async ({ after, rows_max }) => {
    const range = { conversation_id, after: Math.min(after, seq_max), limit: rows_max }
    const [rows, total] = await Promise.all([list(at, range), lastFinished(at, { id: conversation_id, turn_count })])
    return { rows: rows.map((turn) => ({ ...turn, id: conversation_id })), total }
  })
  return { ...found, data: await withAuthors(at, found.data) }
}

/** Finds the turn that is not finished, if there is one. */
export const findOpen = ({ db, workspace }: InWorkspace, id: string): Promise<Turn | undefined> =>
  db.maybe<Turn>(
    sql`select ${turnColumns(workspace, [{ id }])} from conversation_turns as turn
      where workspace_id = ${workspace} and conversation_id = ${id} and is_open`,
  )

interface HeardTurn {
  conversation_id: string
  heard: string
  turn_ms: number | null
}

/** Reads what was heard in calls, oldest first, by conversation. */
export async function readSpoken({ db, workspace }: InWorkspace, ids: string[]): Promise<Map<string, HeardTurn[]>> {
  const turns = await db.many<HeardTurn>(
    sql`select conversation_id, coalesce(heard, text) as heard, coalesce(latency ->> 'first_sound_ms', latency ->> 'turn_ms')::integer as turn_ms
      from conversation_turns
      where workspace_id = ${workspace} and conversation_id = any(${ids}::uuid[]) order by conversation_id, seq`,
  )
  return Map.groupBy(turns, ({ conversation_id }) => conversation_id)
}

export interface TurnOf {
  /** The id of the conversation. */
  id: string
  turn: Turn
  speech?: SpeechPart[]
}

export async function insertTurns({ db, workspace }: At, turns: InsertedTurn[]): Promise<void> {
  if (turns.length === 0) return
  const lines: string[] = []
  for (const [index, turn] of turns.entries()) {
    // A few turns are sent at once, so that the order of statements stays the same.
    if (index % turns_at_once === turns_at_once - 1) await letOthersRun({ is_urgent: true })
    lines.push(lineOf(workspace, turn))
  }
  await db.copy('conversation_turns', turn_columns, lines.join(''))
}

interface InsertedTurn extends TurnOf {
  is_open?: boolean
  carried?: { id: string }
}

function lineOf(workspace: string, { id, is_open, carried, speech, turn: of_turn }: InsertedTurn): string {
  const { latency, usage, error, created_at, ...turn } = of_turn
  return copyLine([
    workspace,
    id,
    turn.seq,
    turn.role,
    turn.text,
    turn.heard,
    speech ? JSON.stringify(speech) : null,
    is_open ?? false,
    turn.is_interrupted,
    latency === no_latency ? null : JSON.stringify(latency),
    usage === no_usage ? null : JSON.stringify(usage),
    error,
    turn.finish_reason,
    turn.script ? JSON.stringify(turn.script) : null,
    storedCitations(turn),
    carried?.id ?? null,
    turn.author?.id ?? null,
    created_at,
  ])
}

const turn_columns = [
  'workspace_id',
  'conversation_id',
  'seq',
  'role',
  'text',
  'heard',
  'speech',
  'is_open',
  'is_interrupted',
  'latency',
  'usage',
  'error',
  'finish_reason',
  'script',
  'citations',
  'message_id',
  'author_id',
  'created_at',
]

/** Most turns have no citations, which is stored as null. */
const storedCitations = ({ citations }: Pick<Turn, 'citations'>): string | null =>
  citations.length > 0 ? JSON.stringify(citations) : null

/** Writes the last words of open turns, and closes them. */
export async function closeTurns({ db, workspace }: At, turns: TurnOf[]): Promise<void> {
  if (turns.length === 0) return
  const rows = turns.map(({ id, turn, speech }) => ({
    ...turn,
    citations: turn.citations.length > 0 ? turn.citations : null,
    conversation_id: id,
    speech,
  }))
  await db.run(
    sql`update conversation_turns as turn
      set text = row.text, heard = row.heard, speech = row.speech, is_open = false, is_interrupted = row.is_interrupted,
        finish_reason = row.finish_reason, script = row.script, citations = row.citations, latency = row.latency, usage = row.usage, error = row.error,
        created_at = row.created_at
      from ${rowsFrom(
        rows,
        `conversation_id uuid, seq integer, text text, heard text, speech jsonb, is_interrupted boolean,
          finish_reason text, script jsonb, citations jsonb, latency jsonb, usage jsonb, error text, created_at timestamptz`,
      )}
      where turn.workspace_id = ${workspace} and turn.conversation_id = row.conversation_id and turn.seq = row.seq`,
  )
}

/** Keeps what an open turn has shown so far, in case the process is killed. */
export const keepText = (
  { db, workspace }: InWorkspace,
  { id, seq, text }: { id: string; seq: number; text: string },
): Promise<number> =>
  db.run(
    sql`update conversation_turns set text = ${text}
      where workspace_id = ${workspace} and conversation_id = ${id} and seq = ${seq} and is_open`,
  )

/** Stores when the words of a turn were spoken. */
export const setSpeech = (
  { db, workspace }: InWorkspace,
  { id, seq, speech }: { id: string; seq: number; speech: SpeechPart[] },
): Promise<number> =>
  db.run(
    sql`update conversation_turns set heard = text, speech = ${JSON.stringify(speech)}
      where workspace_id = ${workspace} and conversation_id = ${id} and seq = ${seq} and role = 'human'`,
  )

/** Adds the names of people who have answered. Only their ids are stored. */
export async function withAuthors(at: At, turns: Turn[]): Promise<Turn[]> {
  const people = turns.map(({ author }) => author && { type: 'person', id: author.id })
  const withName = await readNames(at, people)
  return turns.map((turn) =>
    turn.author
      ? { ...turn, author: { id: turn.author.id, name: withName({ type: 'person', id: turn.author.id }).name } }
      : turn,
  )
}

/** A call ends long before it has this many turns. */
const turns_max = 10_000

/** A turn of a call. `speech` is empty for what was not spoken. */
export interface SpokenTurn extends Turn {
  speech: SpeechPart[]
}

/** Lists the finished turns of a call, oldest first. */
export const listSpoken = ({ db, workspace }: InWorkspace, conversation_id: string): Promise<SpokenTurn[]> =>
  db.many<SpokenTurn>(
    sql`select ${turnColumns(workspace, [{ id: conversation_id }])}, coalesce(speech, '[]') as speech from conversation_turns as turn
      where workspace_id = ${workspace} and conversation_id = ${conversation_id} and not is_open
      order by seq limit ${turns_max}`,
  )
