import type { TestFailure, TestRun, TestRunResult } from './schema.ts'

export interface ReportedRun {
  agent_name: string
  run: Pick<TestRun, 'agent_version'>
  /** The results, in the order of the tests. */
  results: Pick<TestRunResult, 'name' | 'kind' | 'status' | 'passes' | 'runs' | 'failures' | 'error'>[]
}

/** Writes a run as a JUnit file, piece by piece. It has no ids and no times, so the same outcome is the same file. */
export function* toJunit({ agent_name, run, results }: ReportedRun): Generator<string> {
  const suite = `${agent_name} ${run.agent_version.version_label}`
  const count = (...statuses: TestRunResult['status'][]) =>
    results.filter(({ status }) => statuses.includes(status)).length
  const totals = attributes({
    tests: results.length,
    failures: count('failed'),
    errors: count('error'),
    skipped: count('queued', 'canceled'),
  })
  yield '<?xml version="1.0" encoding="UTF-8"?>\n'
  yield `<testsuites${attributes({ name: suite })}${totals}>\n`
  yield `  <testsuite${attributes({ name: suite })}${totals}>\n`
  for (const result of results) yield toCase(suite, result)
  yield '  </testsuite>\n</testsuites>\n'
}

function toCase(
  suite: string,
  { name, status, failures, error, passes, runs }: ReportedRun['results'][number],
): string {
  const opening = `    <testcase${attributes({ name, classname: suite })}`
  if (status === 'passed') return `${opening}/>\n`
  if (status === 'queued' || status === 'canceled') return `${opening}>\n      <skipped/>\n    </testcase>\n`
  const lines = failures.map(toLine)
  const share = runs > 1 ? [`${passes} of ${runs} runs have passed.`] : []
  const message = (status === 'error' ? error : undefined) ?? lines[0] ?? share[0] ?? ''
  const element = status === 'error' ? 'error' : 'failure'
  const type = status === 'error' ? 'error' : (failures[0]?.expectation?.type ?? 'test')
  const body = escapeText([...share, ...lines].join('\n'))
  return `${opening}>\n      <${element}${attributes({ message, type })}>${body}</${element}>\n    </testcase>\n`
}

const toLine = ({ sentence, step }: TestFailure): string => (step === null ? sentence : `Line ${step}: ${sentence}`)

const attributes = (values: Record<string, string | number>): string =>
  Object.entries(values)
    .map(([name, value]) => ` ${name}="${escapeAttribute(String(value))}"`)
    .join('')

// biome-ignore lint/suspicious/noControlCharactersInRegex: XML has no way to write them
const unwritable = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g

const escapeText = (text: string): string =>
  text
    .toWellFormed()
    .replace(unwritable, '\ufffd')
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('\r', '&#13;')

const escapeAttribute = (text: string): string =>
  escapeText(text).replaceAll('"', '&quot;').replaceAll('\n', '&#10;').replaceAll('\t', '&#9;')
