import { Progress } from '@mantine/core'
import type { Import } from '../../../server/imports/schema.ts'
import { formatNumber } from '../kit/format.ts'
import styles from './imports.module.css'

interface ProgressBarProps {
  verb: string
  detail?: string
  /** 0 to 100; undefined: unknown. */
  percent?: number | undefined
}

export function ProgressBar({ verb, detail = '', percent }: ProgressBarProps) {
  return (
    <div className={styles.running}>
      <p role="status">
        {verb}… {detail}
      </p>
      <Progress.Root size="lg">
        <Progress.Section value={percent ?? 100} striped={percent === undefined} animated aria-label={verb} />
      </Progress.Root>
    </div>
  )
}

export function ImportProgress({ import: { total, done }, verb }: { import: Import; verb: string }) {
  const detail = total
    ? `${formatNumber(done)} of ${formatNumber(total)} rows`
    : done > 0
      ? `${formatNumber(done)} rows`
      : ''
  return <ProgressBar verb={verb} detail={detail} percent={total ? Math.round((100 * done) / total) : undefined} />
}
