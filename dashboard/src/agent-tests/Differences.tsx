import type { ReplayDifference, TestRunResult } from '../../../server/agent-tests/schema.ts'
import { toJsonText } from '../kit/json.ts'
import { Status } from '../kit/Status.tsx'
import styles from './agent-tests.module.css'
import { end_names } from './test.ts'

const what_names: Record<ReplayDifference['what'], string> = {
  answer: 'Answer',
  end: 'End',
  results: 'Results',
  tools: 'Tools',
}
const sides = [
  { name: 'recorded', label: 'Recorded' },
  { name: 'replayed', label: 'Replayed' },
  { name: 'deployed', label: 'Deployed today' },
] as const

/**
 * Shows where a past conversation goes differently. Differences by chance come last: the deployed version differs from
 * the record there, too.
 */
export function Differences({ result: { differences } }: { result: TestRunResult }) {
  if (differences.length === 0) return <p className={styles.explanation}>The agent answers as it did.</p>
  const sorted = [...differences].sort((one, other) => Number(one.is_by_chance) - Number(other.is_by_chance))
  return (
    <ol className={styles.differences} aria-label="Differences">
      {sorted.map((one, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a difference has no id
        <li key={index} data-by-chance={one.is_by_chance || undefined}>
          <p className={styles.differenceHead}>
            <strong>
              {what_names[one.what]}
              {one.seq !== null && `, turn ${one.seq}`}
            </strong>
            {one.is_by_chance ? (
              <span title="The deployed version differs from what was recorded here too.">
                <Status tone="neutral">By chance</Status>
              </span>
            ) : (
              <Status tone="warning">Changed</Status>
            )}
          </p>
          <dl>
            {sides.map(({ name, label }) => (
              <div key={name}>
                <dt>{label}</dt>
                <dd>{toText(one[name], one.what)}</dd>
              </div>
            ))}
          </dl>
        </li>
      ))}
    </ol>
  )
}

function toText(value: unknown, what: ReplayDifference['what']): string {
  if (what === 'end' && typeof value === 'string') return (end_names as Record<string, string>)[value] ?? value
  if (value === null || value === undefined || value === '') return 'Nothing'
  if (what === 'tools' && Array.isArray(value)) return value.map(toCall).join('\n') || 'Nothing'
  return typeof value === 'string' ? value : toJsonText(value)
}

const toCall = ({ name, arguments: values }: { name: string; arguments: object }) => `${name} ${JSON.stringify(values)}`
