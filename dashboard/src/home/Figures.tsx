import { Skeleton } from '@mantine/core'
import type { Overview } from '../../../server/overview/schema.ts'
import { source_names, sources } from '../contacts/search.ts'
import { formatNumber } from '../kit/format.ts'
import { Card } from '../kit/Page.tsx'
import styles from './home.module.css'

export function Figure({ label, value }: { label: string; value: string | undefined }) {
  return (
    <Card>
      <dl className={styles.figure}>
        <dt>{label}</dt>
        <dd>{value ?? <Skeleton height={30} width={80} mt={6} />}</dd>
      </dl>
    </Card>
  )
}

export function Sources({ counts }: { counts: Overview['contacts']['by_source'] | undefined }) {
  const total = sources.reduce((sum, source) => sum + (counts?.[source] ?? 0), 0)
  return (
    <Card>
      <h2 className={styles.small}>By source</h2>
      <dl className={styles.sources}>
        {sources.map((source) => {
          const count = counts?.[source] ?? 0
          return (
            <div key={source} className={styles.source}>
              <dt>{source_names[source]}</dt>
              <dd>
                <span className={styles.bar} aria-hidden="true">
                  <span style={{ width: `${total > 0 ? (100 * count) / total : 0}%` }} />
                </span>
                {counts ? formatNumber(count) : <Skeleton height={12} width={24} />}
              </dd>
            </div>
          )
        })}
      </dl>
    </Card>
  )
}
