import { Progress } from '@mantine/core'
import styles from './progress-bar.module.css'

interface ProgressBarProps {
  verb: string
  detail?: string
  /** The share from 0 to 100. Undefined is unknown. */
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
