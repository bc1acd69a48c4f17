import assert from 'node:assert/strict'
import fs from 'node:fs'
import path from 'node:path'
import { test } from 'node:test'
import { serve } from '../support/harness.ts'
import { metricsOf, namesIn } from '../support/metrics.ts'

/* What operators import names only metrics that exist. */

const docs = path.resolve(import.meta.dirname, '../../docs')
const text = await metricsOf(await serve())
const types = new Map(Array.from(text.matchAll(/^# TYPE (\S+) (\S+)$/gm), ([, name = '', type = '']) => [name, type]))
const own_names = namesIn(text).filter((name) => name.startsWith('parley_'))

/** The metrics that an expression names. Parts of a histogram become its name. */
const metricsIn = (expression: string): string[] =>
  Array.from(expression.matchAll(/\b(?:parley|http|process|nodejs)_[a-z_]+\b/g), ([name]) => {
    const whole = name.replace(/_(bucket|sum|count)$/, '')
    return types.get(whole) === 'histogram' ? whole : name
  })

function assertKnown(expressions: string[]): void {
  for (const expression of expressions) {
    const named = metricsIn(expression)
    assert.ok(named.length > 0 || expression.startsWith('up{'), expression)
    for (const name of named) assert.ok(types.has(name), `${name} in ${expression}`)
    assert.equal(expression.split('(').length, expression.split(')').length, expression)
    const is_bucket = /histogram_quantile/.test(expression)
    assert.equal(is_bucket, /_bucket/.test(expression) && /by \(le\b/.test(expression), expression)
  }
}

interface Panel {
  type: string
  title: string
  targets?: { expr: string }[]
}

const { panels } = JSON.parse(fs.readFileSync(path.join(docs, 'grafana-dashboard.json'), 'utf8')) as { panels: Panel[] }
const shown = panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr))
const page = fs.readFileSync(path.join(docs, 'alerts.md'), 'utf8')
const [, metrics_part = '', alerts_part = ''] = page.split(/^## (?:Metrics|Alerts)$/m)
const alert_row = /^\| ([^|]+) \| `(.+?)` \| (\d+m) \| (.+) \|$/gm
const alerts = Array.from(
  alerts_part.matchAll(alert_row),
  ([, name = '', expression = '', duration = '', why = '']) => ({
    name,
    expression: expression.replaceAll('\\|', '|'),
    duration,
    why,
  }),
)

test('the dashboard shows metrics that exist, and all of our own', () => {
  assert.deepEqual(
    panels.flatMap(({ type, title }) => (type === 'row' ? [title] : [])),
    ['Requests', 'Engines', 'Calls and messages', 'Models and tools', 'Pool and process'],
  )
  assertKnown(shown)
  assert.deepEqual(new Set(shown.flatMap(metricsIn).filter((name) => name.startsWith('parley_'))), new Set(own_names))
})

test('alerts are about metrics that exist', () => {
  const rows = alerts_part.split('\n').filter((line) => line.startsWith('| '))
  assert.equal(alerts.length, rows.length - 1, 'each row has an expression')
  assertKnown(alerts.map(({ expression }) => expression))
})

test('the rules for Prometheus are those of the page', () => {
  const quote = (text: string) => `'${text.replaceAll("'", "''")}'`
  const rules = alerts.map(
    ({ name, expression, duration, why }) => `      - alert: ${name}
        expr: ${quote(expression)}
        for: ${duration}
        annotations:
          description: ${quote(why.replaceAll('`', ''))}
`,
  )
  const rules_file = fs.readFileSync(path.join(docs, 'alerts.yml'), 'utf8')
  assert.equal(rules_file, `groups:\n  - name: parley\n    rules:\n${rules.join('')}`)
})

test('the page describes all of our own metrics', () => {
  const described = Array.from(metrics_part.matchAll(/^\| `(parley_[a-z_]+)` \|/gm), ([, name = '']) => name)
  assert.deepEqual(described.sort(), own_names.sort())
})
