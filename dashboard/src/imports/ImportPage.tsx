import { Button } from '@mantine/core'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import type { Import } from '../../../server/imports/schema.ts'
import { useStale } from '../contacts/useRefreshContacts.ts'
import { useApi } from '../kit/api.ts'
import { Ask } from '../kit/ConfirmDialog.tsx'
import { ExportIcon, UndoIcon } from '../kit/icons.tsx'
import { Card, Page, Stack } from '../kit/Page.tsx'
import { sayCount, sayTime } from '../kit/RelativeTime.tsx'
import { useCanEdit } from '../kit/session.ts'
import { Failure, Refusal, Waiting } from '../kit/states.tsx'
import { tellProblem } from '../kit/toast.ts'
import { RunningImport } from './ImportProgress.tsx'
import { Rows } from './ImportRows.tsx'
import { ImportStatusBadge } from './ImportStatusBadge.tsx'
import { importQuery, isAtWork } from './import.ts'
import { useRun } from './useRunImport.ts'

/** One import: how far it is, then what became of it, and the way back. */
export function OneImport() {
  const api = useApi()
  const { id } = useParams({ from: '/w/$workspace/imports/$id' })
  const { data, error, refetch } = useQuery(importQuery(api, id))
  const can_edit = useCanEdit()
  const refresh = useStale()
  const status = data?.status
  // biome-ignore lint/correctness/useExhaustiveDependencies: contacts are others than before whenever the state is another
  useEffect(() => void refresh(), [status])
  return (
    <Page
      title={data?.file_name ?? 'Import'}
      about={data && `Started ${sayTime(data.created_at)}`}
      actions={data && can_edit && <Actions import={data} />}
    >
      {error && <Failure error={error} retry={refetch} noun="Import" />}
      {!data && !error && <Waiting />}
      {data && (
        <Stack>
          {data.error && <Refusal>{data.error}</Refusal>}
          {data.status === 'undone' && data.undo_skipped > 0 && (
            <Refusal>Not undone: {sayCount(data.undo_skipped, 'contact')} edited after the import.</Refusal>
          )}
          <Card title={data.is_dry_run ? 'Dry run' : 'Results'} aside={<ImportStatusBadge status={data.status} />}>
            {isAtWork(data) ? (
              <RunningImport import={data} verb={data.status === 'undoing' ? 'Undoing' : 'Importing'} />
            ) : (
              <Rows import={data} />
            )}
          </Card>
        </Stack>
      )}
    </Page>
  )
}

function Actions({ import: one }: { import: Import }) {
  const api = useApi()
  const client = useQueryClient()
  const [is_asking, setAsking] = useState(false)
  const address = `/contacts/imports/${one.id}`
  const send = async (verb: 'cancel' | 'undo') => {
    const changed = await api.send<Import>('POST', `${address}/${verb}`, {})
    client.setQueryData(importQuery(api, one.id).queryKey, changed)
    await client.invalidateQueries({ queryKey: [api.workspace, 'imports'] })
  }
  const canceling = useMutation({ mutationFn: () => send('cancel'), onError: tellProblem })
  const saving = useMutation({
    mutationFn: () => api.download(`${address}/rows.csv`, { outcome: 'refused' }),
    onError: tellProblem,
  })
  const running = useRun()
  const changes = one.created + one.updated
  const can_run = one.is_dry_run && one.status === 'finished' && changes > 0
  const can_undo = !one.is_dry_run && ['finished', 'canceled', 'failed'].includes(one.status) && changes > 0
  return (
    <>
      {(one.status === 'queued' || one.status === 'running') && (
        <Button variant="default" loading={canceling.isPending} onClick={() => canceling.mutate()}>
          Cancel import
        </Button>
      )}
      {one.refused > 0 && !isAtWork(one) && (
        <Button
          variant="default"
          leftSection={<ExportIcon size={17} />}
          loading={saving.isPending}
          onClick={() => saving.mutate()}
        >
          Download invalid rows
        </Button>
      )}
      {can_run && (
        <Button loading={running.isPending} onClick={() => running.mutate(one.id, { onError: tellProblem })}>
          Import {sayCount(changes, 'contact')}
        </Button>
      )}
      {can_undo && (
        <Button variant="default" leftSection={<UndoIcon size={17} />} onClick={() => setAsking(true)}>
          Undo import
        </Button>
      )}
      <Ask
        is_open={is_asking}
        title="Undo this import?"
        answer="Undo import"
        onClose={() => setAsking(false)}
        onYes={() => send('undo')}
      >
        Contacts it created are deleted and contacts it updated are restored. Contacts edited since then are kept.
      </Ask>
    </>
  )
}
