import { Button } from '@mantine/core'
import { useMutation, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { Import } from '../../../server/imports/schema.ts'
import { useApi } from '../kit/api.ts'
import { errorMessage } from '../kit/error-messages.ts'
import { Card, Page, Stack } from '../kit/Page.tsx'
import { ProgressBar } from '../kit/ProgressBar.tsx'
import { useMembership } from '../kit/session.ts'
import { ErrorAlert } from '../kit/states.tsx'
import { DropFile } from './DropFile.tsx'
import { ImportOptionsForm, type Options } from './ImportOptionsForm.tsx'
import { ImportProgress } from './ImportProgress.tsx'
import { ImportRows } from './ImportRows.tsx'
import { importQuery, isInProgress, runLabel } from './import.ts'
import styles from './imports.module.css'
import { useRunImport } from './useRunImport.ts'

const first_options: Options = { mapping: undefined, on_conflict: 'skip', default_country: null, consent: null }

/** Prepares an import. Each change of an option uploads the file again for a new dry run. */
export function NewImportPage() {
  const api = useApi()
  const [file, setFile] = useState<File>()
  const default_country = useMembership()?.default_country ?? null
  const initial_options: Options = { ...first_options, default_country }
  const [options, setOptions] = useState(initial_options)
  const [sent_percent, setSentPercent] = useState(0)
  const uploading = useMutation({
    mutationFn: (input: { file: File; options: Options }) => {
      setSentPercent(0)
      const form = toFormData(input.file, { ...input.options, is_dry_run: true })
      return api.upload<Import>('/contacts/imports', form, setSentPercent)
    },
  })
  const polling = useQuery({ ...importQuery(api, uploading.data?.id ?? ''), enabled: uploading.data !== undefined })
  const running = useRunImport()
  const dry_run = polling.data ?? uploading.data

  const choose = (chosen: File) => {
    setFile(chosen)
    setOptions(initial_options)
    uploading.mutate({ file: chosen, options: initial_options })
  }
  const change = (changed: Options) => {
    setOptions(changed)
    // The old dry run is canceled, because it is obsolete. It may have finished by now, so an error doesn't matter.
    if (dry_run && isInProgress(dry_run)) api.send('POST', `/contacts/imports/${dry_run.id}/cancel`, {}).catch(() => {})
    if (file) uploading.mutate({ file, options: changed })
  }
  const error = uploading.error ?? polling.error ?? running.error
  return (
    <Page title="New import">
      <Stack>
        <Card title="1. File">
          <DropFile file={file} onFile={choose} />
        </Card>
        {error && <ErrorAlert>{errorMessage(error)}</ErrorAlert>}
        {file && dry_run && (
          <Card title="2. Columns and options">
            <ImportOptionsForm import={dry_run} options={options} onChange={change} />
          </Card>
        )}
        {file && (dry_run || uploading.isPending) && (
          <Card title="3. Review">
            {!dry_run || uploading.isPending ? (
              <ProgressBar verb="Uploading" detail={`${sent_percent}%`} percent={sent_percent} />
            ) : isInProgress(dry_run) ? (
              <ImportProgress import={dry_run} verb="Checking rows" />
            ) : (
              <DryRunResult import={dry_run} is_running={running.isPending} onRun={() => running.mutate(dry_run.id)} />
            )}
          </Card>
        )}
      </Stack>
    </Page>
  )
}

function toFormData(file: File, options: object): FormData {
  const form = new FormData()
  form.append('options', JSON.stringify({ ...options, file_name: file.name }))
  form.append('file', file, file.name)
  return form
}

interface DryRunResultProps {
  import: Import
  is_running: boolean
  onRun: () => void
}

function DryRunResult({ import: dry_run, is_running, onRun }: DryRunResultProps) {
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
