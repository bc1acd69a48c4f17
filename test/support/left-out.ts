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

const left_out: LeftOut[] = [
  { in: 'test/browser', because: 'the pages send the requests that other tests send' },
  { in: 'test/setup', because: 'it is about the embedded PostgreSQL, an empty database and its migrations' },
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
