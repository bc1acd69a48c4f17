import { Button } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate } from '@tanstack/react-router'
import type { Import } from '../../../server/imports/schema.ts'
import { useApi, useWorkspaceId } from '../kit/api.ts'
import { type Column, DataTable } from '../kit/DataTable.tsx'
import { formatNumber } from '../kit/format.ts'
import { ImportIcon, PlusIcon } from '../kit/icons.tsx'
import { Card, Page } from '../kit/Page.tsx'
import { RelativeTime } from '../kit/RelativeTime.tsx'
import { useCanEdit } from '../kit/session.ts'
import { EmptyState, LoadError } from '../kit/states.tsx'
import { ImportStatusBadge } from './ImportStatusBadge.tsx'
import { isInProgress } from './import.ts'
import styles from './imports.module.css'

export function ImportsPage() {
  const api = useApi()
  const navigate = useNavigate()
  const can_edit = useCanEdit()
  const { data, error, refetch } = useQuery({
    queryKey: [api.workspace, 'imports', 'list'],
    queryFn: ({ signal }) => api.list<Import>('/contacts/imports', { limit: 50 }, signal),
    refetchInterval: ({ state }) => (state.data?.data.some(isInProgress) ? 2_000 : false),
  })
  return (
    <Page
      title="Imports"
      description={can_edit ? 'Import contacts from CSV. You can undo an import.' : 'Contacts imported from CSV files.'}
      actions={can_edit && <NewLink />}
    >
      <Card is_flush>
        {error ? (
          <LoadError error={error} retry={refetch} />
        ) : (
          <DataTable
            label="Imports"
            columns={columns}
            rows={data?.data}
            getRowId={({ id }) => id}
            onOpen={({ id }) =>
              void navigate({ to: '/w/$workspace/imports/$id', params: { workspace: api.workspace, id } })
            }
            empty={
              <EmptyState icon={<ImportIcon size={24} />} title="No imports yet" action={can_edit && <NewLink />}>
                {can_edit && 'Upload a CSV file from a spreadsheet or another system.'}
              </EmptyState>
            }
          />
        )}
      </Card>
    </Page>
  )
}

function NewLink() {
  const workspace = useWorkspaceId()
  return (
    <Button
      leftSection={<PlusIcon size={17} />}
      renderRoot={(props) => <Link to="/w/$workspace/imports/new" params={{ workspace }} {...props} />}
    >
      New import
    </Button>
  )
}

const count = (name: 'created' | 'updated' | 'skipped' | 'refused', title: string): Column<Import> => ({
  id: name,
  header: title,
  meta: { is_number: true, is_hidden_on_phone: true },
  cell: ({ row }) => formatNumber(row.original[name]),
})

const columns: Column<Import>[] = [
  { id: 'file_name', header: 'File', cell: ({ row }) => <FileLink {...row.original} /> },
  { id: 'status', header: 'Status', cell: ({ row }) => <ImportStatusBadge {...row.original} /> },
  count('created', 'Created'),
  count('updated', 'Updated'),
  count('skipped', 'Skipped'),
  count('refused', 'Invalid'),
  { id: 'created_at', header: 'Started', cell: ({ row }) => <RelativeTime time={row.original.created_at} /> },
]

function FileLink({ id, file_name, is_dry_run }: Import) {
  const workspace = useWorkspaceId()
  return (
    <>
      <Link className={styles.file} to="/w/$workspace/imports/$id" params={{ workspace, id }}>
        {file_name ?? 'API import'}
      </Link>
      {is_dry_run && <span className={styles.dry}>Dry run</span>}
    </>
  )
}
