import { type At, type InWorkspace, timeStands } from '../at.ts'
import * as clock from '../clock.ts'
import { inParallel } from '../limits/in-parallel.ts'
import type { Log } from '../log.ts'
import { forAllWorkspaces, tenantOf, valueFor } from '../postgres/citus/tenants.ts'
import { isUnavailable } from '../postgres/errors.ts'
import type { Db, Pool } from '../postgres/pool.ts'
import { join, raw, type Sql, sql } from '../postgres/sql.ts'

const poll_every_ms = 500
/** Due workspaces of a kind that one poll reads. */
const polled_max = 1_000
/** A workspace with much work is noted at most this often. */
const note_every_ms = 1_000
/** A note that could not be written is tried again after this long. */
const note_retry_ms = 2_000

/** A kind of background work whose due workspaces are kept in `due_workspaces`. */
export interface DueKind {
  /** Notifications that announce new work have this topic. */
  kind: string
  /** Whether the table of this work is not sharded, also where others are. */
  is_local?: boolean
  /** Selects, as one value, when work of the workspace is due next; null when there is none. It reads few rows. */
  nextDue: (workspace: string | Sql) => Sql
  /** Selects when work of the workspace is due next, but not before the leases of the items end. */
  nextFree?: (workspace: string) => Sql
  /** Selects the `due_at` of items that are due and that no process works on, the oldest first. It reads few more than `limit`. */
  selectWaiting: (of: Waiting) => Sql
}

interface Waiting {
  workspace: string | Sql
  /** The database's time, by which leases go. */
  now: number
  limit: number
}

/**
 * Notes in `due_workspaces`, after the commit, that new work is due, so that other processes find it. This is a hint: when
 * the process is killed before, `noteAllDue` finds the work, which takes up to half a minute.
 */
export function openDueNotes(pool: Pool, kinds: string[], log: Log): { stop: () => Promise<void> } {
  const noted_at = new Map<string, number>()
  const pending = new Map<string, NodeJS.Timeout>()
  const writing = new Set<Promise<void>>()
  let is_stopping = false

  function note(key: string): void {
    const [kind = '', workspace = ''] = key.split(' ')
    pending.delete(key)
    noted_at.set(key, clock.ticks())
    const write = noteDue(pool, kind, workspace)
      .catch((error: unknown) => {
        log.warn({ err: error, kind }, 'due work could not be noted')
        if (isUnavailable(error) && !is_stopping && !pending.has(key)) noteLater(key, note_retry_ms)
      })
      .finally(() => writing.delete(write))
    writing.add(write)
  }

  const noteLater = (key: string, wait_ms: number) => pending.set(key, setTimeout(note, wait_ms, key))

  /** Forgets workspaces that were quiet for a while, so that the map stays small. */
  const cleaning = setInterval(() => {
    for (const [key, ticks] of noted_at) if (clock.ticks() - ticks > note_every_ms) noted_at.delete(key)
  }, 60 * note_every_ms).unref()

  const unsubscribe = pool.subscribe(({ topic, workspace, is_due = true }) => {
    if (!is_due || !kinds.includes(topic)) return
    const key = `${topic} ${workspace}`
    if (pending.has(key)) return
    const wait_ms = (noted_at.get(key) ?? Number.NEGATIVE_INFINITY) + note_every_ms - clock.ticks()
    if (wait_ms <= 0) note(key)
    else noteLater(key, wait_ms)
  })
  return {
    async stop() {
      is_stopping = true
      unsubscribe()
      clearInterval(cleaning)
      for (const [key, timer] of pending) {
        clearTimeout(timer)
        note(key)
      }
      await Promise.all(writing)
    },
  }
}

async function noteDue(db: Db, kind: string, workspace: string): Promise<void> {
  await db.run(
    sql`insert into due_workspaces (workspace_id, kind, due_at)
      values (${workspace}, ${kind}, '-infinity')
      on conflict (workspace_id, kind) do update set due_at = excluded.due_at
      where due_workspaces.due_at > excluded.due_at`,
  )
}

interface EveryDue {
  kinds: DueKind[]
  /** Selects the `workspace_id` of all workspaces. */
  workspaces: Sql
  /** Gets the error when a sharded database can't be asked with one statement. */
  onNodeDown?: ((error: unknown) => void) | undefined
}

/**
 * Notes every workspace that has work, also what a killed process has not noted. It asks each workspace for its next work only.
 * A kind that fails doesn't keep the others from being noted. A sharded database is asked with one statement, so that idle
 * workspaces cost little. When a node is down, each workspace is asked alone, so that only those of that node fail.
 */
export async function noteAllDue(db: Db, { kinds, workspaces, onNodeDown }: EveryDue): Promise<void> {
  const { local = [], own = [] } = Object.groupBy(kinds, ({ is_local }) => (is_local ? 'local' : 'own'))
  const noteEach = (kinds: DueKind[]) => inParallel(kinds, { at_once: 1 }, (kind) => noteAllOf(db, kind, workspaces))
  const noteOwn = () =>
    forAllWorkspaces(db, {
      workspaces,
      together: () => noteEach(own),
      find: (each) => findAllDue(each, own),
      withFound: (notes) => writeNotes(db, notes),
      alone: (workspace) => noteAllIn({ db, workspace }, own),
      onNodeDown,
    })
  await inParallel([() => noteEach(local), noteOwn], { at_once: 1 }, (note) => note())
}

const findAllDue = async (db: Db, kinds: DueKind[]): Promise<Note[]> => {
  const times = timesOf(kinds, raw('tenants.workspace_id'))
  const tenants = await db.many<{ workspace_id: string; due_at: (string | null)[] }>(
    sql`select workspace_id, ${times} as due_at from tenants`,
  )
  return tenants.flatMap(({ workspace_id: workspace, due_at }) =>
    kinds.map(({ kind }, index) => ({ workspace, kind, due_at: due_at[index] ?? null })),
  )
}

async function noteAllIn(at: InWorkspace, kinds: DueKind[]): Promise<void> {
  const times = [...(await readDueTimes(at, kinds))]
  const notes = times.map(([kind, time]) => ({
    workspace: at.workspace,
    kind,
    due_at: Number.isFinite(time) ? clock.iso(time) : null,
  }))
  await writeNotes(at.db, notes)
}

interface Note {
  workspace: string
  kind: string
  due_at: string | null
}

/** Writes the notes, and leaves out workspaces without work. */
async function writeNotes(db: Db, all: Note[]): Promise<void> {
  const due = all.filter(({ due_at }) => due_at !== null)
  if (due.length === 0) return
  await db.run(
    sql`insert into due_workspaces (workspace_id, kind, due_at)
      select workspace_id, kind, due_at
      from unnest(${due.map(({ workspace }) => workspace)}::uuid[], ${due.map(({ kind }) => kind)}::text[],
        ${due.map(({ due_at }) => due_at)}::timestamptz[]) as next (workspace_id, kind, due_at)
      on conflict (workspace_id, kind) do update set due_at = excluded.due_at
      where due_workspaces.due_at > excluded.due_at`,
  )
}

const noteAllOf = (db: Db, { kind, nextDue }: DueKind, workspaces: Sql): Promise<number> =>
  db.run(
    sql`insert into due_workspaces (workspace_id, kind, due_at)
      select workspace_id, ${kind}, due_at from (${workspaces}) as each_workspace
      cross join lateral (${nextDue(raw('each_workspace.workspace_id'))}) as next (due_at)
      where due_at is not null
      on conflict (workspace_id, kind) do update set due_at = excluded.due_at
      where due_workspaces.due_at > excluded.due_at`,
  )

/** Moves the note of a workspace to when it has something to do next. Call it when nothing was found to do. */
export async function moveDue(at: At, kind: DueKind): Promise<void> {
  const { db, workspace, now } = at
  // Leases end by wall time, also while the workspace's time stands still.
  const next = timeStands(at) ? kind.nextDue : (kind.nextFree ?? kind.nextDue)
  const next_due = await valueFor(db, next(workspace), 'timestamptz')
  const moved = await db.maybe<{ due_at: string | null }>(
    sql`update due_workspaces set due_at = next.due_at
      from (select coalesce(${next_due}, 'infinity') as due_at) as next
      where workspace_id = ${workspace} and kind = ${kind.kind} and due_workspaces.due_at <= ${clock.iso(now)}
        and due_workspaces.due_at < next.due_at
      returning case when isfinite(due_workspaces.due_at) then due_workspaces.due_at end as due_at`,
  )
  if (!moved) return
  // Work that was committed meanwhile was perhaps not noted, because the workspace still had its old note.
  const { is_earlier } = await db.one<{ is_earlier: boolean | null }>(
    sql`select (${next(workspace)}) < coalesce(${moved.due_at}::timestamptz, 'infinity') as is_earlier`,
  )
  if (is_earlier) await noteDue(db, kind.kind, workspace)
}

/** Returns when the next work of each kind is due. Infinity when there is none. */
export async function readDueTimes({ db, workspace }: InWorkspace, kinds: DueKind[]): Promise<Map<string, number>> {
  // Beside a row of the workspace, the node of a sharded database answers for all kinds. Otherwise each subquery would
  // go there and back.
  const { local = [], own = [] } = Object.groupBy(kinds, ({ is_local }) => (is_local ? 'local' : 'own'))
  const times = await Promise.all([
    readTimes(db, { workspace, kinds: local }),
    readTimes(db, { workspace, kinds: own, from: sql`from ${tenantOf(workspace)}` }),
  ])
  return new Map(times.flatMap((each) => [...each]))
}

async function readTimes(
  db: Db,
  { workspace, kinds, from = raw('') }: { workspace: string; kinds: DueKind[]; from?: Sql },
): Promise<Map<string, number>> {
  if (kinds.length === 0) return new Map()
  const { due_at } = await db.one<{ due_at: (string | null)[] }>(
    sql`select ${timesOf(kinds, workspace)} as due_at ${from}`,
  )
  const toTime = (text: string | null | undefined) => (text ? clock.parse(text) : Number.POSITIVE_INFINITY)
  return new Map(kinds.map(({ kind }, index) => [kind, toTime(due_at[index])]))
}

const timesOf = (kinds: DueKind[], workspace: string | Sql): Sql => {
  const times = kinds.map(({ nextDue }) => sql`(${nextDue(workspace)})`)
  return sql`to_json(array[${join(times, ', ')}]::timestamptz[])`
}

/** Runs the work of a kind. */
export interface DueEngine {
  /** Whether the engine takes another workspace that a poll has found. */
  has_room: boolean
  add: (workspace: string, options?: { is_polled?: boolean }) => void
  /** Whether a workspace that a poll has found is left out for now. */
  isPausing: (workspace: string) => boolean
  /** Adds workspaces again whose work could not be claimed. */
  retry: () => void
}

interface DuePollOptions {
  pool: Pool
  kinds: string[]
  /** Selects the `workspace_id` and `now` of test workspaces. */
  test_times: Sql
  engineOf: (kind: string) => DueEngine
  log: Log
}

/**
 * Polls for due workspaces of all kinds with one statement. Reports a workspace immediately when this process commits work
 * for it. Work is due by wall time, and in the workspaces that `test_times` selects by their `now`.
 */
export function openDuePoll({ pool, kinds, test_times, engineOf, log }: DuePollOptions): { stop: () => Promise<void> } {
  const rounds = kinds.flatMap((kind) => [newRound(kind, timed), newRound(kind, announced)])
  let polling: Promise<void> | undefined

  async function poll(): Promise<void> {
    try {
      const pages = await readPages(pool, { rounds, test_times })
      for (const kind of kinds) engineOf(kind).retry()
      for (const [index, round] of rounds.entries())
        round.place = addPage(engineOf(round.kind), round, pages.get(index + 1) ?? [])
      // The next poll reads the rounds in reverse order, or the first round would take all room.
      rounds.reverse()
    } catch (error) {
      log.warn({ err: error }, 'polling for background work failed')
    }
    polling = undefined
  }

  const timer = setInterval(() => {
    polling ??= poll()
  }, poll_every_ms)
  const unsubscribe = pool.subscribe(({ topic, workspace, is_due = true }) => {
    try {
      if (is_due && kinds.includes(topic)) engineOf(topic).add(workspace)
    } catch (error) {
      log.error({ err: error }, 'background work did not begin')
    }
  })
  return {
    async stop() {
      clearInterval(timer)
      unsubscribe()
      await polling
    },
  }
}

/** A position in a round. The time is the database's text, which is exact. */
interface Place {
  due_text: string
  workspace_id: string
}

/** Many workspaces may stay due, because they are busy or another process has them. So polls go through them in rounds, page by page. */
interface Round {
  kind: string
  /** The position before the first workspace. */
  start: Place
  until: string
  /** The last workspace that was added. */
  place: Place
}

/** A round through workspaces to which someone has added work. The process that did so runs it, if it can. */
const announced = {
  start: { due_text: '-infinity', workspace_id: '00000000-0000-0000-0000-000000000000' },
  until: '-infinity',
}
/** A round through workspaces whose work has become due. Only polls find it, so it doesn't wait for the other round. */
const timed = {
  start: { due_text: '-infinity', workspace_id: 'ffffffff-ffff-ffff-ffff-ffffffffffff' },
  until: 'infinity',
}

const newRound = (kind: string, range: Pick<Round, 'start' | 'until'>): Round => ({
  kind,
  ...range,
  place: range.start,
})

/** The next page of each round, by the round's number. */
async function readPages(
  db: Db,
  { rounds, test_times }: { rounds: Round[]; test_times: Sql },
): Promise<Map<number, Place[]>> {
  const is_next = sql`due.kind = round.kind and (due.due_at, due.workspace_id) > (round.due_at, round.workspace_id)`
  const due = await db.many<Place & { nth: number }>(
    sql`with test as (${test_times}),
      test_due as materialized (
        select due.kind, due.workspace_id, due.due_at from due_workspaces as due
        join test on test.workspace_id = due.workspace_id where due.due_at <= test.now)
      select round.nth, page.workspace_id, page.due_at::text as due_text
      from unnest(${rounds.map(({ kind }) => kind)}::text[], ${rounds.map(({ until }) => until)}::timestamptz[],
          ${rounds.map(({ place }) => place.due_text)}::timestamptz[], ${rounds.map(({ place }) => place.workspace_id)}::uuid[])
        with ordinality as round (kind, until, due_at, workspace_id, nth)
      cross join lateral (
        (select due.workspace_id, due.due_at from due_workspaces as due
          where ${is_next} and due.due_at <= least(round.until, ${clock.iso(clock.wall())})
            and due.workspace_id not in (select test.workspace_id from test)
          order by due.due_at, due.workspace_id limit ${polled_max})
        union all
        (select due.workspace_id, due.due_at from test_due as due where ${is_next} and due.due_at <= round.until
          order by due.due_at, due.workspace_id limit ${polled_max})
        order by due_at, workspace_id limit ${polled_max}) as page
      order by round.nth, page.due_at, page.workspace_id`,
  )
  return Map.groupBy(due, ({ nth }) => nth)
}

/** Adds the workspaces of a page. Returns the position after which the round goes on: its start when all were added. */
function addPage(engine: DueEngine, { start, place }: Round, page: Place[]): Place {
  let last = place
  for (const next of page) {
    if (!engine.has_room) return last
    if (!engine.isPausing(next.workspace_id)) engine.add(next.workspace_id, { is_polled: true })
    last = next
  }
  return page.length < polled_max ? start : last
}
