import { Progress } from '@mantine/core'
import { sayNumber } from '../kit/Ago.tsx'
import type { Import } from './import.ts'
import styles from './imports.module.css'

/** How far it is. Without a total yet, the bar only says that something happens. */
export function Running({ import: running, verb }: { import: Import | undefined; verb: string }) {
  const { total = null, done = 0 } = running ?? {}
  const part = total ? Math.round((100 * done) / total) : undefined
  const said = total ? `${sayNumber(done)} of ${sayNumber(total)} rows` : done > 0 ? `${sayNumber(done)} rows` : ''
  return (
    <div className={styles.running}>
      <p role="status">
        {verb}… {said}
      </p>
      <Progress.Root size="lg">
        <Progress.Section value={part ?? 100} striped={part === undefined} animated aria-label={verb} />
      </Progress.Root>
    </div>
  )
}
