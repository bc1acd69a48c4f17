import { useMutation, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { Import } from '../../../server/imports/schema.ts'
import { useApi } from '../kit/api.ts'
import { sayOf } from '../kit/error-messages.ts'
import { Card, Page, Stack } from '../kit/Page.tsx'
import { Refusal } from '../kit/states.tsx'
import { DropFile } from './DropFile.tsx'
import { DryRun } from './DryRunResult.tsx'
import { type Options, OptionsForm } from './ImportOptionsForm.tsx'
import { Running, RunningImport } from './ImportProgress.tsx'
import { importQuery, isAtWork } from './import.ts'
import { useRun } from './useRunImport.ts'

const first_options: Options = { mapping: undefined, on_conflict: 'skip', default_country: null }

/** File, columns, dry run, and then in earnest. The file stays with the browser, to be sent again with other columns. */
export function NewImport() {
  const api = useApi()
  const [file, setFile] = useState<File>()
  const [options, setOptions] = useState(first_options)
  const [sent_percent, setSentPercent] = useState(0)
  const sending = useMutation({
    mutationFn: (sent: { file: File; options: Options }) => {
      setSentPercent(0)
      const form = formOf(sent.file, { ...sent.options, is_dry_run: true })
      return api.upload<Import>('/contacts/imports', form, setSentPercent)
    },
  })
  const trying = useQuery({ ...importQuery(api, sending.data?.id ?? ''), enabled: sending.data !== undefined })
  const running = useRun()
  const dry_run = trying.data ?? sending.data

  const choose = (chosen: File) => {
    setFile(chosen)
    setOptions(first_options)
    sending.mutate({ file: chosen, options: first_options })
  }
  const change = (changed: Options) => {
    setOptions(changed)
    // Nobody waits for it any more; that it may have ended by now is no fault.
    if (dry_run && isAtWork(dry_run)) api.send('POST', `/contacts/imports/${dry_run.id}/cancel`, {}).catch(() => {})
    if (file) sending.mutate({ file, options: changed })
  }
  const error = sending.error ?? trying.error ?? running.error
  return (
    <Page title="New import" about="Review the changes before anything is imported.">
      <Stack>
        <Card title="1. File">
          <DropFile file={file} onFile={choose} />
        </Card>
        {error && <Refusal>{sayOf(error)}</Refusal>}
        {file && dry_run && (
          <Card title="2. Columns and options">
            <OptionsForm import={dry_run} options={options} onChange={change} />
          </Card>
        )}
        {file && (dry_run || sending.isPending) && (
          <Card title="3. Review">
            {!dry_run || sending.isPending ? (
              <Running verb="Uploading" said={`${sent_percent}%`} percent={sent_percent} />
            ) : isAtWork(dry_run) ? (
              <RunningImport import={dry_run} verb="Checking rows" />
            ) : (
              <DryRun import={dry_run} is_running={running.isPending} onRun={() => running.mutate(dry_run.id)} />
            )}
          </Card>
        )}
      </Stack>
    </Page>
  )
}

function formOf(file: File, options: object): FormData {
  const form = new FormData()
  form.append('options', JSON.stringify({ ...options, file_name: file.name }))
  form.append('file', file, file.name)
  return form
}
