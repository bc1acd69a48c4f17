import { Button } from '@mantine/core'
import type { Import } from '../../../server/imports/schema.ts'
import { sayCount } from '../kit/RelativeTime.tsx'
import { Refusal } from '../kit/states.tsx'
import { Rows } from './ImportRows.tsx'
import styles from './imports.module.css'

interface DryRunProps {
  import: Import
  is_running: boolean
  onRun: () => void
}

export function DryRun({ import: tried, is_running, onRun }: DryRunProps) {
  const { status, error, created, updated } = tried
  if (status !== 'finished') return <Refusal>{error ?? `The dry run is ${status}.`}</Refusal>
  const changes = created + updated
  return (
    <>
      <Rows import={tried} />
      <div className={styles.go}>
        <Button onClick={onRun} loading={is_running} disabled={changes === 0}>
          {changes === 0 ? 'Nothing to import' : `Import ${sayCount(changes, 'contact')}`}
        </Button>
      </div>
    </>
  )
}
