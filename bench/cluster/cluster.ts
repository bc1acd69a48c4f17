import { alternate, atLeast, type Comparison, formatRow, headerLine } from '../comparison.ts'
import { batch_size } from '../fill.ts'
import { startLoad } from '../processes.ts'
import { openBoth } from './databases.ts'
import * as idle from './idle.ts'
import * as messages from './messages.ts'
import { openSide, type Side, workspaces } from './side.ts'

const shards = 32
const rounds = 3
const warm_up_ms = 300
const measured_ms = 1_500

/** The least share of the speed on plain PostgreSQL, with one workspace and with eight. */
const targets = {
  'get by id': { one: 0.8, eight: 0.4 },
  'list of 20': { one: 0.45, eight: 0.4 },
  'create with an Idempotency-Key': { one: 0.45, eight: 0.3 },
}
const message_targets = { one: 0.65, eight: 0.45 }

export interface Clustered {
  table: Comparison[]
  idle: idle.IdleWorker[]
}

const method = `A database with ${shards} shards beside a plain one of the same PostgreSQL, on this machine, from one run. On each, one process with the API and
the worker, and ${workspaces} workspaces with ${batch_size.toLocaleString('en')} contacts each.
  idle      Commits a second in this database on each worker node while nothing is asked of the service, over ${idle.measured_ms / 1_000} seconds.
  requests  A second, from another process with 64 connections, to one workspace or to ${workspaces} in turn.
  messages  How many messages are answered a second, until the last answer of a scripted agent is recorded: ${messages.count} conversations get one each.
Median of ${rounds} rounds after a warm-up; the two services take turns. The target follows each figure.
`

/** Measures what sharding costs. */
export async function clustering(stack: AsyncDisposableStack, signal: AbortSignal): Promise<Clustered> {
  console.log(method)
  const { sharded, plain } = await openBoth(stack, shards)
  const ours = await openSide(stack, sharded, signal)
  const idle_workers = await idle.measureIdle(sharded, signal)
  for (const worker of idle_workers) console.log(idle.formatWorker(worker))
  const beside = await openSide(stack, plain, signal)
  const table: Comparison[] = []
  console.log(headerLine())
  for await (const row of measureAll(stack, { ours, beside }, signal)) {
    table.push(row)
    console.log(formatRow(row))
  }
  return { table, idle: idle_workers }
}

async function* measureAll(
  stack: AsyncDisposableStack,
  { ours, beside }: { ours: Side; beside: Side },
  signal: AbortSignal,
): AsyncGenerator<Comparison> {
  const requests = [ours, beside].map(({ server: { port }, tenants }) => {
    const measure = startLoad(stack, tenants, signal)
    return async (row: string, count: number) => {
      const job = { row, port, workspaces: count, warm_up_ms, measured_ms, has_own_responses: true }
      return (await measure(job)).per_second
    }
  })
  const counts = { one: 1, eight: workspaces }
  for (const [row, target] of Object.entries(targets)) {
    for (const name of ['one', 'eight'] as const) {
      const measures = requests.map((measure) => () => measure(row, counts[name]))
      const [sharded, plain] = await alternate(rounds, ...measures)
      yield atLeast(`${row}, ${describe(name)}`, sharded, plain, target[name])
    }
  }
  const sides = [await messages.openThreads(stack, ours), await messages.openThreads(stack, beside)]
  for (const name of ['one', 'eight'] as const) {
    const measures = sides.map((side) => () => messages.answerMessages(side, counts[name], signal))
    const [sharded, plain] = await alternate(rounds, ...measures)
    yield atLeast(`messages, ${describe(name)}`, sharded, plain, message_targets[name])
  }
}

const describe = (name: 'one' | 'eight'): string => `${name} workspace${name === 'one' ? '' : 's'}`
