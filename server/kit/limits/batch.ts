import * as clock from '../clock.ts'
import type { Db } from '../postgres/pool.ts'
import { listOf, raw, type Sql, sql } from '../postgres/sql.ts'
import { overloaded } from '../problem.ts'

/** Who would wait longer for a turn is told to come again, so that no queue grows beyond what is served meanwhile. */
const wait_max_ms = 2_000
const look_every_ms = 100

interface Waiting<In, Out> {
  input: In
  since: number
  resolve: (output: Out) => void
  reject: (error: unknown) => void
}

interface Group<In, Out> {
  waiting: Waiting<In, Out>[]
  flights: number
  is_scheduled: boolean
  /** Somebody has waited too long, and nothing has come back since: who comes now would wait as long. */
  is_stalled: boolean
}

/** How many go together, how many groups of one name may be under way at once, and how many make another one worth it. */
export interface Limits {
  size_max: number
  flights_max: number
  another_min?: number
}

/**
 * Gathers concurrent calls with the same `name` into one call of `run`, which answers each in its place.
 * A lone call is not delayed beyond the current turn of the event loop; under load, groups form by themselves
 * because calls wait while earlier groups are under way.
 */
export function gather<In, Out>(
  { size_max, flights_max, another_min = 1 }: Limits,
  run: (name: string, inputs: In[]) => Promise<Out[]>,
): (name: string, input: In) => Promise<Out> {
  const groups = new Map<string, Group<In, Out>>()
  let watch: NodeJS.Timeout | undefined

  /** One timer for all that wait, and none when nobody does. */
  function refuseLate(): void {
    const too_early = clock.ticks() - wait_max_ms
    let is_anyone_waiting = false
    for (const group of groups.values()) {
      const in_time = group.waiting.findIndex(({ since }) => since > too_early)
      const late = group.waiting.splice(0, in_time === -1 ? group.waiting.length : in_time)
      for (const { reject } of late) reject(overloaded())
      group.is_stalled ||= late.length > 0
      is_anyone_waiting ||= group.waiting.length > 0
    }
    if (is_anyone_waiting) return
    clearInterval(watch)
    watch = undefined
  }

  function schedule(name: string, group: Group<In, Out>): void {
    const enough = group.flights === 0 ? 1 : another_min
    if (group.is_scheduled || group.waiting.length < enough || group.flights === flights_max) return
    group.is_scheduled = true
    setImmediate(() => {
      group.is_scheduled = false
      const calls = group.waiting.splice(0, size_max)
      if (calls.length > 0) return void fly(name, group, calls)
      if (group.flights === 0) groups.delete(name)
    })
  }

  async function fly(name: string, group: Group<In, Out>, calls: Waiting<In, Out>[]): Promise<void> {
    group.flights += 1
    schedule(name, group)
    try {
      const outputs = await run(
        name,
        calls.map(({ input }) => input),
      )
      if (outputs.length !== calls.length) throw new Error(`${name} answered ${outputs.length} of ${calls.length}`)
      outputs.forEach((output, index) => {
        calls[index]?.resolve(output)
      })
    } catch (error) {
      for (const call of calls) call.reject(error)
    }
    group.flights -= 1
    group.is_stalled = false
    schedule(name, group)
    if (group.flights === 0 && group.waiting.length === 0) groups.delete(name)
  }

  return (name, input) =>
    new Promise((resolve, reject) => {
      let group = groups.get(name)
      if (!group) {
        group = { waiting: [], flights: 0, is_scheduled: false, is_stalled: false }
        groups.set(name, group)
      }
      if (group.is_stalled && group.flights === flights_max) return reject(overloaded())
      group.waiting.push({ input, since: clock.ticks(), resolve, reject })
      watch ??= setInterval(refuseLate, look_every_ms).unref()
      schedule(name, group)
    })
}

/** Runs work of one name a few at a time, in the order in which it came. */
export function lanes(flights_max: number): <T>(name: string, work: () => Promise<T>) => Promise<T> {
  const queue = gather<() => Promise<void>, void>({ size_max: 1, flights_max }, async (_name, works) =>
    Promise.all(works.map((work) => work())),
  )
  return (name, work) =>
    new Promise((resolve, reject) => {
      queue(name, () => work().then(resolve, reject)).catch(reject)
    })
}

/** One statement for many costs little more than for one: a second is sent only for as many as make up for it. */
const reads = { size_max: 100, flights_max: 3, another_min: 24 }

interface Wanted {
  workspace: string
  id: string
}

/**
 * Gathers concurrent gets by id over one handle into one statement, whosever they are: each is looked up with its
 * own workspace.
 */
export function gatherById<Row>(
  columns: Sql,
  table: Sql,
  joined = raw(''),
): (db: Db, workspace: string, id: string) => Promise<Row | undefined> {
  /** Of one workspace, as most often: the index is read for a list of ids, which is cheaper than a join. */
  async function readOfOne(db: Db, workspace: string, wanted: Wanted[]): Promise<(Row | undefined)[]> {
    const rows = await db.many<Row & { id: string }>(
      sql`select ${columns} from ${table} ${joined}
        where workspace_id = ${workspace} and id = any(${listOf(wanted.map(({ id }) => id))}::uuid[]) order by id`,
    )
    const found = new Map(rows.map((row) => [row.id, row]))
    return wanted.map(({ id }) => found.get(id))
  }

  async function read(db: Db, wanted: Wanted[]): Promise<(Row | undefined)[]> {
    const [first] = wanted
    if (first && wanted.every(({ workspace }) => workspace === first.workspace)) {
      return readOfOne(db, first.workspace, wanted)
    }
    const rows = await db.many<Row & { workspace_id: string; id: string }>(
      sql`select workspace_id, ${columns}
        from unnest(${listOf(wanted.map(({ workspace }) => workspace))}::uuid[],
          ${listOf(wanted.map(({ id }) => id))}::uuid[]) as wanted (workspace_id, id)
        join ${table} using (workspace_id, id) ${joined}`,
    )
    const found = new Map(rows.map((row) => [row.workspace_id + row.id, row]))
    return wanted.map(({ workspace, id }) => found.get(workspace + id))
  }

  const gatherers = new WeakMap<Db, (name: string, input: Wanted) => Promise<Row | undefined>>()
  return (db, workspace, id) => {
    let gatherer = gatherers.get(db)
    if (!gatherer) {
      gatherer = gather(reads, (_name, wanted) => read(db, wanted))
      gatherers.set(db, gatherer)
    }
    return gatherer('', { workspace, id })
  }
}
