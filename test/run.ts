import fs from 'node:fs'
import path from 'node:path'
import { PassThrough } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { run } from 'node:test'
import { spec } from 'node:test/reporters'
import { inspect } from 'node:util'
import { SetupError } from '../server/kit/postgres/embedded/embedded.ts'
import { changedSince, testsOf } from './support/changed.ts'
import { passesChecks } from './support/checks.ts'
import { withDatabase, withoutDurability, withShardedDatabase } from './support/database.ts'
import { leaveOut } from './support/left-out.ts'
import { createQueue, readTimes } from './support/queue.ts'
import { checkout } from './support/source-files.ts'
import { ensureSpeech } from './support/speech.ts'

const help = `Usage: npm test [-- OPTIONS] [-- NAME...]

Checks format, lint and types (npm run check), and runs the tests of rooms, requests and random inputs on a new database, and one pass through the
dashboard. npm run test:all runs the others: pages, set-up, bad days and real sound. Neither runs test/long, test/cluster or
test/strangers. With names, runs only those tests:

  npm test -- contacts                       the folder test/contacts
  npm test -- test/contacts/list.test.ts     one file

  --changed[=COMMIT]  only the tests that concern what differs from the commit, by default from the last one
  --rest      the tests that npm test leaves out. This is npm run test:all.
  --check     no tests. This is npm run check.
  --retry     run files that fail once more, alone: on a busy machine tests can fail that wait for something
  --times     also print the processor time of each file
  --cluster   check nothing, and run the tests on a database that Citus shards. This is npm run test:cluster.
              TEST_CLUSTER_URL names a database on the coordinator that has the extension and the workers. What is left out is printed.
  --help      this text`

const run_queue = path.join(checkout, 'test/support/run-queue.ts')
/** A process runs one file after the other. More processes than processors, because tests often wait. */
const processes = 4
/** With one, its tests would go on when all others are done. */
const browsers = 2
/** The slowest ones first: at the end they would run alone. */
const first_folders = ['browser', 'faults', 'setup', 'voice', 'phone', 'audio', 'properties', 'sweeps']
/** `npm run test:all` runs them. */
const rest_folders = ['browser', 'faults', 'setup', 'voice', 'phone', 'audio']
/** In spite of its folder `npm test` runs it: one pass through the pages. */
const pass_of_browser = 'test/browser/dashboard.test.ts'
/** `npm run test:faults` runs them. */
const long_folder = 'test/long/'
/** `npm run test:cluster` runs them. */
const cluster_folder = 'test/cluster/'
/** Needs tools that are installed there: npm run test:strangers. */
const strangers_folder = 'test/strangers/'

const parameters = process.argv.slice(2)
const wrong_usage = 2
const options = ['--changed', '--rest', '--check', '--retry', '--times', '--cluster', '--help']
const changed_since = parameters.find((one) => one.startsWith('--changed'))?.split('=')
const on_cluster = parameters.includes('--cluster')
const names = parameters.filter((one) => !one.startsWith('-'))

async function main(): Promise<void> {
  const given = parameters.filter((one) => one.startsWith('-'))
  const unknown_option = given.find((one) => !options.includes(one.replace(/^--changed=.+/, '--changed')))
  if (unknown_option) return fail(`There is no option ${unknown_option}.\n\n${help}`, wrong_usage)
  if (parameters.includes('--help')) return console.log(help)
  const unknown = names.find((name) => filesOf(name).length === 0)
  if (unknown) return fail(`There are no tests in ${unknown}.`)
  const coordinator = process.env.TEST_CLUSTER_URL
  if (on_cluster && !coordinator) return fail(`Set TEST_CLUSTER_URL.\n\n${help}`, wrong_usage)
  const must_check = parameters.includes('--check')
  const is_checked = must_check || (names.length === 0 && !on_cluster && !parameters.includes('--rest'))
  if (is_checked && !(await passesChecks())) return fail('No tests are run before these mistakes are mended.')
  if (must_check) return
  const files = chooseFiles()
  if (files.length === 0) return console.log('No test concerns what has changed.')
  await ensureSpeech()
  try {
    if (on_cluster && coordinator) await runOnCluster(coordinator, files)
    else
      await withDatabase('.cache/test', async (url) => {
        await withoutDurability(url)
        await runTests(url, inItems(files))
      })
  } catch (error) {
    if (!(error instanceof SetupError)) throw error
    fail(`The tests can't run now: ${error.message}`)
  }
}

function fail(message: string, exit_code = 1): void {
  console.error(message)
  process.exitCode = exit_code
}

function filesOf(name: string): string[] {
  const pattern = name.endsWith('.ts') ? name : `test/${name.replace(/^test\//, '')}/*.test.ts`
  return fs.globSync(pattern, { cwd: checkout, exclude: isInstalled }).sort()
}

function chooseFiles(): string[] {
  if (names.length > 0) return names.flatMap(filesOf)
  const all = filesOf('**').filter((file) => !file.startsWith(long_folder) && !file.startsWith(strangers_folder))
  if (on_cluster) return all
  const files = all.filter((file) => !file.startsWith(cluster_folder))
  if (changed_since) return testsOf(changedSince(changed_since[1] ?? 'HEAD'), files)
  return files.filter((file) => isRest(file) === parameters.includes('--rest'))
}

const isRest = (file: string): boolean =>
  rest_folders.some((folder) => file.startsWith(`test/${folder}/`)) && file !== pass_of_browser

/** The tools in test/strangers have tests of their own. */
const isInstalled = (name: string): boolean => name.endsWith('node_modules')

async function runOnCluster(coordinator: string, files: string[]): Promise<void> {
  const { kept, skipped, reasons } = leaveOut(files)
  await withShardedDatabase(coordinator, (url) => runTests(url, inItems(kept), skipped))
  if (reasons.length > 0) console.log(`\nLeft out:\n${reasons.join('\n')}`)
}

/** The files that one process runs in a row, first those that take longest. Those of a browser share it. */
function inItems(files: string[]): string[][] {
  const rank = (file: string) => first_folders.findIndex((folder) => file.startsWith(`test/${folder}/`))
  const { 0: in_browser = [], '-1': last = [], ...first } = Object.groupBy(files, rank)
  const others = [...Object.values(first).flatMap((ranked = []) => ranked), ...last]
  const of_browsers = Array.from({ length: browsers }, (_, index) =>
    in_browser.filter((_, at) => at % browsers === index),
  )
  return [...of_browsers, ...others.map((file) => [file])].filter((item) => item.length > 0)
}

/** `skipped` matches the names of tests, each after the name of its file. */
async function runTests(url: string, items: string[][], skipped: RegExp[] = []): Promise<void> {
  process.env.TEST_DATABASE_URL = url
  // The launcher's options save memory, and would slow the tests down.
  process.execArgv = []
  const began = performance.now()
  const report = new PassThrough({ objectMode: true })
  const printed = pipeline(report.compose(spec), process.stdout, { end: false })
  const { failed, counts } = await runItems(items, report, skipped)
  const files = failed.filter((one) => one !== run_queue)
  const must_retry = parameters.includes('--retry') && files.length > 0
  const again = must_retry ? await runItems([files], report, skipped) : { failed: files, counts: [] }
  if (files.length < failed.length) again.failed.push(run_queue)
  if (again.failed.length > 0) process.exitCode = 1
  for (const line of summarize([...counts, ...again.counts])) report.write(diagnostic(line))
  const passed = failed.filter((file) => !again.failed.includes(file))
  if (passed.length > 0) report.write(diagnostic(`failed at first and passed alone: ${passed.join(', ')}`))
  report.end(diagnostic(`duration_ms ${Math.round(performance.now() - began)}`))
  await printed
  if (parameters.includes('--times')) printTimes()
}

/** Each process takes the next files from the queue. The report has them one after the other, in the order in which they end. */
async function runItems(
  items: string[][],
  report: PassThrough,
  skipped: RegExp[],
): Promise<{ failed: string[]; counts: Counts[] }> {
  createQueue(items)
  const started = Array.from({ length: Math.min(processes, items.length) }, () =>
    run({ files: [run_queue], cwd: checkout, testSkipPatterns: skipped }),
  )
  const failed: string[] = []
  const counts = await Promise.all(started.map((tests) => forward(tests, report, (file) => failed.push(file))))
  return { failed, counts }
}

interface TestEvent {
  type: string
  data: { nesting?: number; name?: string; file?: string; counts?: Counts; details?: { error?: object } }
}
type Counts = Record<string, number>

/** Forwards the events of a file when it has ended: those of different processes would mix. Returns how many tests there were. */
async function forward(
  tests: AsyncIterable<TestEvent>,
  report: PassThrough,
  onFail: (file: string) => void,
): Promise<Counts> {
  let counts: Counts = {}
  let events: TestEvent[] = []
  for await (const event of tests) {
    const { type, data } = event
    if (type === 'test:fail' && data.nesting === 0) {
      onFail(data.name ?? '')
      // It has run all of its tests, and failed at its end.
      if (data.name === run_queue)
        report.write(diagnostic(`a process of tests failed: ${inspect(data.details?.error)}`))
    }
    if (type === 'test:summary' && !data.file) counts = data.counts ?? {}
    if (type === 'test:summary' || (type === 'test:diagnostic' && data.nesting === 0)) continue
    events.push(event)
    if (data.nesting !== 0 || (type !== 'test:pass' && type !== 'test:fail')) continue
    for (const one of events) report.write(one)
    events = []
  }
  for (const one of events) report.write(one)
  return counts
}

const count_names = {
  tests: 'tests',
  suites: 'suites',
  passed: 'pass',
  failed: 'fail',
  cancelled: 'cancelled',
  skipped: 'skipped',
  todo: 'todo',
}

const summarize = (counts: Counts[]): string[] =>
  Object.entries(count_names).map(
    ([name, shown]) => `${shown} ${counts.reduce((sum, one) => sum + (one[name] ?? 0), 0)}`,
  )

const diagnostic = (message: string) => ({ type: 'test:diagnostic', data: { nesting: 0, message, level: 'info' } })

function printTimes(): void {
  console.log('\nProcessor time and time in seconds, without PostgreSQL:')
  for (const { file, processor_ms, took_ms } of readTimes()) {
    console.log(`${seconds(processor_ms)} ${seconds(took_ms)}  ${file}`)
  }
}

const seconds = (ms: number): string => (ms / 1000).toFixed(1).padStart(7)

await main()
