import { spawn } from 'node:child_process'
import { once } from 'node:events'
import fs from 'node:fs'
import path from 'node:path'
import { run } from 'node:test'
import { spec } from 'node:test/reporters'
import { SetupError } from '../server/kit/postgres/embedded/embedded.ts'
import { withDatabase } from './support/database.ts'

/**
 * `npm test` checks format, lint and types, then runs every test on a new database. `npm test -- test/contacts/contacts.test.ts`
 * runs only the named files.
 */
const checkout = path.resolve(import.meta.dirname, '..')
/** Long enough for any machine: only a test that hangs takes longer. */
const test_timeout_ms = 180_000
const concurrency = 4
const group_size = 6
/** These start first, the slowest before the others: at the end they would run alone. */
const slowest = [
  'test/setup/cli.test.ts',
  'test/setup/start.test.ts',
  'test/faults/pressure.test.ts',
  'test/faults/kill.test.ts',
  'test/faults/conversations.test.ts',
  'test/faults/calls.test.ts',
  'test/faults/campaigns.test.ts',
  'test/faults/sms.test.ts',
  'test/faults/advance.test.ts',
  'test/browser/roles.test.ts',
  'test/browser/dashboard.test.ts',
  'test/browser/webhooks-and-integrations.test.ts',
  'test/browser/calls.test.ts',
  'test/browser/contacts-and-messages.test.ts',
  'test/browser/channels.test.ts',
  'test/browser/web-chat.test.ts',
  'test/setup/rolling.test.ts',
  'test/setup/restart.test.ts',
  'test/setup/embedded.test.ts',
  'test/setup/chat.test.ts',
  'test/events/stream.test.ts',
  'test/sweeps/statements.test.ts',
  'test/webhooks/recovery.test.ts',
  'test/http/downloads.test.ts',
]
const named_files = process.argv.slice(2)
const files = named_files.length > 0 ? named_files : inOrder(fs.globSync('test/**/*.test.ts', { cwd: checkout }).sort())

/** A browser uses a whole processor, so the files with one should not run at the same time. Nor should the groups. */
function inOrder(all: string[]): string[] {
  const rest = all.filter((file) => !isQuick(file) && !slowest.includes(file))
  const { browser = [], others = [] } = Object.groupBy([...slowest, ...rest], (file) =>
    file.includes('/browser/') ? 'browser' : 'others',
  )
  return spread(browser, spread(groups(all.filter(isQuick)), others, 5), 3)
}

/** Files that take long, or that start processes or a browser, run alone. */
function isQuick(file: string): boolean {
  return !slowest.includes(file) && !/\/(browser|faults|setup)\/|-kill\./.test(file)
}

/** Starting a server takes longer than most files, so a process runs several of them, each as a suite. */
function groups(quick: string[]): string[] {
  const folder = path.join(checkout, '.cache/test-groups')
  fs.rmSync(folder, { recursive: true, force: true })
  fs.mkdirSync(folder, { recursive: true })
  return Array.from({ length: Math.ceil(quick.length / group_size) }, (_, index) => {
    const group = quick.slice(index * group_size, (index + 1) * group_size)
    const group_file = path.join(folder, `${index + 1}.ts`)
    fs.writeFileSync(group_file, groupText(group))
    return group_file
  })
}

/**
 * The files are imported one after the other, because a module that two of them wait for would belong to the suite of the
 * first. Without `bind` their tests would belong to no suite.
 */
function groupText(group: string[]): string {
  return `import { AsyncResource } from 'node:async_hooks'
import { suite } from 'node:test'
let last = Promise.resolve()
for (const file of ${JSON.stringify(group)})
  suite(file, () => (last = last.catch(() => {}).then(AsyncResource.bind(() => import(\`../../\${file}\`)))))
`
}

/** Spreads `some` evenly among `others`, the first at this index, and none near the end, because they are long. */
function spread(some: string[], others: string[], first: number): string[] {
  const all = [...others]
  const distance = Math.floor((others.length - first) / (some.length + 1))
  for (const [index, file] of some.entries()) all.splice(first + index * (distance + 1), 0, file)
  return all
}

/** Prints the output of the program when it has ended, because several run at the same time. */
async function check(program: string, args: string[]): Promise<void> {
  const child = spawn(program, args, { cwd: checkout, stdio: ['ignore', 'pipe', 'pipe'] })
  const output: Buffer[] = []
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => output.push(chunk))
  const [code] = await once(child, 'close')
  process.stdout.write(Buffer.concat(output))
  if (code !== 0) process.exitCode = 1
}

if (named_files.length === 0) {
  await Promise.all([
    check('biome', ['check', '--error-on-warnings', '.']),
    check('oxlint', ['--type-aware']),
    check('tsc', ['--noEmit', '--incremental', '--tsBuildInfoFile', '.cache/types/server.json']),
    check('tsc', ['--noEmit', '-p', 'dashboard', '--incremental', '--tsBuildInfoFile', '.cache/types/dashboard.json']),
    check('tsc', ['--noEmit', '-p', 'chat', '--incremental', '--tsBuildInfoFile', '.cache/types/chat.json']),
  ])
}
if (!process.exitCode) {
  try {
    await withDatabase('.cache/test', runTests)
  } catch (error) {
    if (!(error instanceof SetupError)) throw error
    console.error(`The tests can't run now: ${error.message}`)
    process.exitCode = 1
  }
}

/** Not with `node --test`, which sorts the files by name. */
async function runTests(url: string): Promise<void> {
  process.env.TEST_DATABASE_URL = url
  // The launcher's options save memory, and would slow the tests down.
  process.execArgv = []
  const tests = run({ files, concurrency, timeout: test_timeout_ms, cwd: checkout })
  tests.on('test:fail', () => {
    process.exitCode = 1
  })
  for await (const text of tests.compose(spec)) process.stdout.write(text)
}
