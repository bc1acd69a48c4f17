import { formatNumber } from '../kit/format.ts'
import { reasonName } from './campaign.ts'
import styles from './campaigns.module.css'

const good_outcomes = ['answered', 'replied', 'delivered']

/** Attempts by their outcome, most first. */
export function OutcomeBars({ by_outcome }: { by_outcome: Record<string, number> }) {
  const counts = Object.entries(by_outcome)
    .filter(([, count]) => count > 0)
    .sort(([, one], [, other]) => other - one)
  const most = Math.max(1, ...counts.map(([, count]) => count))
  if (counts.length === 0) return <p className={styles.hint}>No attempt has ended yet.</p>
  return (
    <dl className={styles.outcomes} aria-label="Attempts by outcome">
      {counts.map(([outcome, count]) => (
        <div key={outcome}>
          <dt>{reasonName(outcome)}</dt>
          <dd>
            <svg aria-hidden="true">
              <rect
                data-good={good_outcomes.includes(outcome) || undefined}
                width={`${(100 * count) / most}%`}
                height="100%"
                rx={3}
              />
            </svg>
            <span>{formatNumber(count)}</span>
          </dd>
        </div>
      ))}
    </dl>
  )
}
