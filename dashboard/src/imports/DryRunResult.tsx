import { Button } from '@mantine/core'
import type { Import } from '../../../server/imports/schema.ts'
import { ErrorAlert } from '../kit/states.tsx'
import { ImportRows } from './ImportRows.tsx'
import { runLabel } from './import.ts'
import styles from './imports.module.css'

interface DryRunResultProps {
  import: Import
  is_running: boolean
  onRun: () => void
}

export function DryRunResult({ import: dry_run, is_running, onRun }: DryRunResultProps) {
  const { status, error } = dry_run
  if (status !== 'finished') return <ErrorAlert>{error ?? `The dry run is ${status}.`}</ErrorAlert>
  const label = runLabel(dry_run)
  return (
    <>
      <ImportRows import={dry_run} />
      <div className={styles.go}>
        <Button onClick={onRun} loading={is_running} disabled={!label}>
          {label ?? 'Nothing to import'}
        </Button>
      </div>
    </>
  )
}
