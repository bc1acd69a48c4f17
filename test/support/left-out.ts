import fs from 'node:fs'
import path from 'node:path'

/** What `npm run test:cluster` leaves out. */

interface LeftOut {
  /** A folder or a file. */
  in: string
  /** Only these tests of the file. */
  tests?: string[]
  because: string
}

const rows_read = 'it counts the rows that are read by pg_stat, which the workers write when they like'
const plans_read = 'it reads plans, and that of a shard without rows is another one'

const left_out: LeftOut[] = [
  { in: 'test/browser', because: 'the pages send the requests that other tests send' },
  { in: 'test/setup', because: 'it is about the embedded PostgreSQL, an empty database and its migrations' },
  {
    in: 'test/campaigns/cancel.test.ts',
    tests: ['canceling a campaign does not read all enrollments for each, also with old statistics'],
    because: rows_read,
  },
  { in: 'test/consent/old-statistics.test.ts', because: rows_read },
  {
    in: 'test/contacts/filters.test.ts',
    tests: ['a filter by phone number or email reads its index, not all contacts'],
    because: plans_read,
  },
  { in: 'test/contacts/new-workspaces.test.ts', because: rows_read },
  { in: 'test/agent-tests/old-statistics.test.ts', because: rows_read },
  { in: 'test/conversations/old-statistics.test.ts', because: rows_read },
  {
    in: 'test/kit/due.test.ts',
    tests: ['looking for due work reads one row of a workspace, however many conversations are open'],
    because: rows_read,
  },
  {
    in: 'test/kit/transactions.test.ts',
    tests: ['a write that meets a full disk in any table gets 503'],
    because: 'triggers fill the disk, and Citus takes no triggers',
  },
  {
    in: 'test/retention/retention.test.ts',
    tests: ['old rows are found by an index'],
    because: plans_read,
  },
  {
    in: 'test/sweeps/statements.test.ts',
    because: 'it also sends what only a database without shards takes; test/cluster/plans.test.ts asks Citus itself',
  },
]

interface Kept {
  kept: string[]
  /** The names of single tests, each after the name of its file. */
  skipped: RegExp[]
  /** A line for each entry of the list that concerns these files. */
  reasons: string[]
}

/** Takes from these files what can't run on a cluster. Fails when the list names something that doesn't exist. */
export function leaveOut(files: string[]): Kept {
  for (const entry of left_out) check(entry)
  const whole = left_out.filter(({ tests }) => !tests)
  const concerned = left_out.filter((entry) => files.some((file) => isIn(entry, file)))
  return {
    kept: files.filter((file) => !whole.some((entry) => isIn(entry, file))),
    skipped: concerned.flatMap(({ in: file, tests = [] }) =>
      tests.map((name) => new RegExp(`^${RegExp.escape(`${file} ${name}`)}$`)),
    ),
    reasons: concerned.flatMap(({ in: place, tests, because }) =>
      tests ? tests.map((name) => `  ${place}: ${name}: ${because}`) : `  ${place}: ${because}`,
    ),
  }
}

const isIn = ({ in: place }: LeftOut, file: string): boolean => file === place || file.startsWith(`${place}/`)

function check({ in: place, tests = [] }: LeftOut): void {
  const found = path.resolve(import.meta.dirname, '../..', place)
  if (!fs.existsSync(found)) throw new Error(`test/support/left-out.ts names ${place}, which doesn't exist`)
  const source = tests.length > 0 ? fs.readFileSync(found, 'utf8') : ''
  const missing = tests.find((name) => !source.includes(`test('${name}'`))
  if (missing) throw new Error(`test/support/left-out.ts names a test that ${place} doesn't have: ${missing}`)
}
