import { Button } from '@mantine/core'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import type { Import } from '../../../server/imports/schema.ts'
import { useRefreshContacts } from '../contacts/useRefreshContacts.ts'
import { useApi } from '../kit/api.ts'
import { ConfirmDialog } from '../kit/ConfirmDialog.tsx'
import { formatCount, formatTime } from '../kit/format.ts'
import { ExportIcon, UndoIcon } from '../kit/icons.tsx'
import { Card, Page, Stack } from '../kit/Page.tsx'
import { useCanEdit } from '../kit/session.ts'
import { ErrorAlert, LoadError, LoadingSkeleton } from '../kit/states.tsx'
import { showError } from '../kit/toast.ts'
import { ImportProgress } from './ImportProgress.tsx'
import { ImportRows } from './ImportRows.tsx'
import { ImportStatusBadge } from './ImportStatusBadge.tsx'
import { importQuery, isInProgress, runLabel } from './import.ts'
import { useRunImport } from './useRunImport.ts'

export function ImportPage() {
  const api = useApi()
  const { id } = useParams({ from: '/w/$workspace/imports/$id' })
  const { data, error, refetch } = useQuery(importQuery(api, id))
  const can_edit = useCanEdit()
  const refresh = useRefreshContacts()
  const status = data?.status
  // biome-ignore lint/correctness/useExhaustiveDependencies: each status change may have changed contacts
  useEffect(() => void refresh(), [status])
  return (
    <Page
      title={data?.file_name ?? 'Import'}
      description={data && `Started ${formatTime(data.created_at)}`}
      actions={data && can_edit && <ImportActions import={data} />}
    >
      {error && !data && <LoadError error={error} retry={refetch} noun="Import" />}
      {!data && !error && <LoadingSkeleton />}
      {data && (
        <Stack>
          {data.error && <ErrorAlert>{data.error}</ErrorAlert>}
          {data.status === 'undone' && data.undo_skipped > 0 && (
            <ErrorAlert>Not undone: {formatCount(data.undo_skipped, 'contact')} edited after the import.</ErrorAlert>
          )}
          <Card title={data.is_dry_run ? 'Dry run' : 'Results'} aside={<ImportStatusBadge status={data.status} />}>
            {isInProgress(data) ? (
              <ImportProgress import={data} verb={data.status === 'undoing' ? 'Undoing' : 'Importing'} />
            ) : (
              <ImportRows import={data} />
            )}
          </Card>
        </Stack>
      )}
    </Page>
  )
}

function ImportActions({ import: current }: { import: Import }) {
  const api = useApi()
  const client = useQueryClient()
  const [is_confirming, setConfirming] = useState(false)
  const path = `/contacts/imports/${current.id}`
  const send = async (verb: 'cancel' | 'undo') => {
    const changed = await api.send<Import>('POST', `${path}/${verb}`, {})
    client.setQueryData(importQuery(api, current.id).queryKey, changed)
    await client.invalidateQueries({ queryKey: [api.workspace, 'imports'] })
  }
  const canceling = useMutation({ mutationFn: () => send('cancel'), onError: showError })
  const saving = useMutation({
    mutationFn: () => api.download(`${path}/rows.csv`, { outcome: 'refused' }),
    onError: showError,
  })
  const running = useRunImport()
  const changes = current.created + current.updated
  const run_label = current.is_dry_run && current.status === 'finished' && runLabel(current)
  const can_undo = !current.is_dry_run && ['finished', 'canceled', 'failed'].includes(current.status) && changes > 0
  return (
    <>
      {(current.status === 'queued' || current.status === 'running') && (
        <Button variant="default" loading={canceling.isPending} onClick={() => canceling.mutate()}>
          Cancel import
        </Button>
      )}
      {current.refused > 0 && !isInProgress(current) && (
        <Button
          variant="default"
          leftSection={<ExportIcon size={17} />}
          loading={saving.isPending}
          onClick={() => saving.mutate()}
        >
          Download invalid rows
        </Button>
      )}
      {run_label && (
        <Button loading={running.isPending} onClick={() => running.mutate(current.id, { onError: showError })}>
          {run_label}
        </Button>
      )}
      {can_undo && (
        <Button variant="default" leftSection={<UndoIcon size={17} />} onClick={() => setConfirming(true)}>
          Undo import
        </Button>
      )}
      <ConfirmDialog
        is_open={is_confirming}
        title="Undo this import?"
        confirm_label="Undo import"
        onClose={() => setConfirming(false)}
        onConfirm={() => send('undo')}
      >
        Contacts it created are deleted and contacts it updated are restored. Contacts edited since then are kept.
      </ConfirmDialog>
    </>
  )
}
