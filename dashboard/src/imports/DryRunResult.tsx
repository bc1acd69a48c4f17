import { Button } from '@mantine/core'
import type { Import } from '../../../server/imports/schema.ts'
import { formatCount } from '../kit/format.ts'
import { ErrorAlert } from '../kit/states.tsx'
import { ImportRows } from './ImportRows.tsx'
import styles from './imports.module.css'

interface DryRunResultProps {
  import: Import
  is_running: boolean
  onRun: () => void
}

export function DryRunResult({ import: dry_run, is_running, onRun }: DryRunResultProps) {
  const { status, error, created, updated } = dry_run
  if (status !== 'finished') return <ErrorAlert>{error ?? `The dry run is ${status}.`}</ErrorAlert>
  const changes = created + updated
  return (
    <>
      <ImportRows import={dry_run} />
      <div className={styles.go}>
        <Button onClick={onRun} loading={is_running} disabled={changes === 0}>
          {changes === 0 ? 'Nothing to import' : `Import ${formatCount(changes, 'contact')}`}
        </Button>
      </div>
    </>
  )
}
