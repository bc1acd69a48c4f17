import { UnstyledButton } from '@mantine/core'
import type { Forecast } from '../../../server/campaigns/forecast-schema.ts'
import { formatNumber } from '../kit/format.ts'
import { reasonName } from './campaign.ts'
import styles from './campaigns.module.css'

interface OutcomeBarProps {
  by_outcome: Record<string, number>
  /** These intervals are shown instead of the shares. */
  intervals?: Forecast['by_outcome_interval']
  chosen?: string | undefined
  /** Chooses an outcome, or with undefined all. Without it, nothing can be chosen. */
  onChoose?: (outcome: string | undefined) => void
}

/** Shows attempts by their outcome, most first, as one bar. */
export function OutcomeBar({ by_outcome, intervals, chosen, onChoose }: OutcomeBarProps) {
  const counts = Object.entries(by_outcome)
    .filter(([, count]) => count > 0)
    .sort(([, one], [, other]) => other - one)
  const all = counts.reduce((sum, [, count]) => sum + count, 0)
  if (all === 0) return <p className={styles.hint}>No attempt has ended yet.</p>
  const choose = (outcome: string) => onChoose?.(outcome === chosen ? undefined : outcome)
  return (
    <div className={styles.part}>
      <div className={styles.outcomeParts} aria-hidden="true">
        {counts.map(([outcome, count]) => (
          // The part is for the pointer only. The buttons below are for the keyboard.
          <UnstyledButton
            key={outcome}
            className={styles.outcome}
            tabIndex={-1}
            disabled={!onChoose}
            data-outcome={outcome}
            data-off={chosen !== undefined && chosen !== outcome}
            title={`${reasonName(outcome)}: ${formatNumber(count)}`}
            style={{ flexGrow: count }}
            onClick={() => choose(outcome)}
          />
        ))}
      </div>
      <ul className={styles.outcomes} aria-label="Attempts by outcome">
        {counts.map(([outcome, count]) => {
          const label = (
            <>
              <i className={styles.outcome} data-outcome={outcome} />
              <span>{reasonName(outcome)}</span>
              <strong>{formatNumber(count)}</strong>
              <span className={styles.hint}>
                {intervals?.[outcome] ? formatInterval(intervals[outcome]) : `${Math.round((100 * count) / all)} %`}
              </span>
            </>
          )
          return (
            <li key={outcome}>
              {onChoose ? (
                <UnstyledButton aria-pressed={outcome === chosen} onClick={() => choose(outcome)}>
                  {label}
                </UnstyledButton>
              ) : (
                <span>{label}</span>
              )}
            </li>
          )
        })}
      </ul>
    </div>
  )
}

const formatInterval = ({ low, high }: { low: number; high: number }): string =>
  `${formatNumber(low)} to ${formatNumber(high)}`
