import { Button } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { Import } from '../../../server/imports/schema.ts'
import { ContactTabs } from '../contacts/ContactTabs.tsx'
import { useApi, useWorkspaceId } from '../kit/api.ts'
import { formatNumber } from '../kit/format.ts'
import { ImportIcon, PlusIcon } from '../kit/icons.tsx'
import { Page } from '../kit/Page.tsx'
import { RelativeTime } from '../kit/RelativeTime.tsx'
import { useCanEdit } from '../kit/session.ts'
import { EmptyState, LoadError } from '../kit/states.tsx'
import { type Column, Table } from '../kit/Table.tsx'
import { ImportStatusBadge } from './ImportStatusBadge.tsx'
import { isInProgress } from './import.ts'
import styles from './imports.module.css'

export function ImportsPage() {
  const api = useApi()
  const can_edit = useCanEdit()
  const { data, error, refetch } = useQuery({
    queryKey: [api.workspace, 'imports', 'list'],
    queryFn: ({ signal }) => api.list<Import>('/contacts/imports', { limit: 50 }, signal),
    refetchInterval: ({ state }) => (state.data?.data.some(isInProgress) ? 2_000 : false),
  })
  return (
    <Page title="Contacts" browser_title="Imports" tabs={<ContactTabs />} actions={can_edit && <NewLink />}>
      {error && !data ? (
        <LoadError error={error} retry={refetch} />
      ) : (
        <Table
          label="Imports"
          columns={columns}
          rows={data?.data}
          getRowId={({ id }) => id}
          empty={
            <EmptyState icon={<ImportIcon size={24} />} title="No imports yet" action={can_edit && <NewLink />}>
              {can_edit && 'Upload a CSV file from a spreadsheet or another system.'}
            </EmptyState>
          }
        />
      )}
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
  name: title,
  is_number: true,
  is_hidden_on_phone: true,
  cell: (row) => formatNumber(row[name]),
})

const columns: Column<Import>[] = [
  { id: 'file_name', name: 'File', cell: (row) => <FileLink {...row} /> },
  { id: 'status', name: 'Status', cell: (row) => <ImportStatusBadge {...row} /> },
  count('created', 'Created'),
  count('updated', 'Updated'),
  count('skipped', 'Skipped'),
  count('refused', 'Invalid'),
  { id: 'created_at', name: 'Started', cell: (row) => <RelativeTime time={row.created_at} /> },
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
