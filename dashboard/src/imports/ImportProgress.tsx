import { Progress } from '@mantine/core'
import type { Import } from '../../../server/imports/schema.ts'
import { sayNumber } from '../kit/RelativeTime.tsx'
import styles from './imports.module.css'

interface RunningProps {
  verb: string
  said?: string
  /** Of 100. Unknown, the bar only says that something happens. */
  percent?: number | undefined
}

export function Running({ verb, said = '', percent }: RunningProps) {
  return (
    <div className={styles.running}>
      <p role="status">
        {verb}… {said}
      </p>
      <Progress.Root size="lg">
        <Progress.Section value={percent ?? 100} striped={percent === undefined} animated aria-label={verb} />
      </Progress.Root>
    </div>
  )
}

/** How far an import is with its rows. */
export function RunningImport({ import: { total, done }, verb }: { import: Import; verb: string }) {
  const said = total ? `${sayNumber(done)} of ${sayNumber(total)} rows` : done > 0 ? `${sayNumber(done)} rows` : ''
  return <Running verb={verb} said={said} percent={total ? Math.round((100 * done) / total) : undefined} />
}
