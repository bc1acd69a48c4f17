import { Button } from '@mantine/core'
import { useInfiniteQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import type { Integration } from '../../../server/integrations/schema.ts'
import { useApi, useWorkspaceId } from '../kit/api.ts'
import { PlugIcon, PlusIcon } from '../kit/icons.tsx'
import { Page } from '../kit/Page.tsx'
import { pagesQuery } from '../kit/pages.ts'
import { RelativeTime } from '../kit/RelativeTime.tsx'
import { EmptyState, LoadError } from '../kit/states.tsx'
import { type Column, Table } from '../kit/Table.tsx'
import { IntegrationStatusBadge } from './IntegrationStatusBadge.tsx'
import styles from './integrations.module.css'
import { NewIntegrationDialog } from './NewIntegrationDialog.tsx'

export function IntegrationsPage() {
  const api = useApi()
  const [is_creating, setCreating] = useState(false)
  const integrations = useInfiniteQuery(
    pagesQuery<Integration>(api, [api.workspace, 'integrations', 'list'], '/integrations', { limit: 50 }),
  )
  const create = (
    <Button data-shortcut="c" leftSection={<PlusIcon size={17} />} onClick={() => setCreating(true)}>
      New integration
    </Button>
  )
  return (
    <Page title="Integrations" actions={create}>
      {integrations.error && !integrations.data ? (
        <LoadError error={integrations.error} retry={integrations.refetch} />
      ) : (
        <Table
          label="Integrations"
          columns={columns}
          rows={integrations.data?.pages.flatMap(({ data }) => data)}
          getRowId={({ id }) => id}
          empty={
            <EmptyState icon={<PlugIcon size={24} />} title="No integrations yet">
              Create one to get a webhook URL for your form tool or CRM.
            </EmptyState>
          }
        />
      )}
      {integrations.hasNextPage && (
        <Button variant="default" mt="md" onClick={() => void integrations.fetchNextPage()}>
          Show more integrations
        </Button>
      )}
      <NewIntegrationDialog is_open={is_creating} onClose={() => setCreating(false)} />
    </Page>
  )
}

const columns: Column<Integration>[] = [
  { id: 'name', name: 'Name', cell: (row) => <NameLink {...row} /> },
  { id: 'status', name: 'Status', cell: (row) => <IntegrationStatusBadge {...row} /> },
  {
    id: 'last_received_at',
    name: 'Last received',
    cell: (row) => <RelativeTime time={row.last_received_at} />,
  },
  {
    id: 'created_at',
    name: 'Created',
    is_hidden_on_phone: true,
    cell: (row) => <RelativeTime time={row.created_at} />,
  },
]

function NameLink({ id, name }: Integration) {
  const workspace = useWorkspaceId()
  return (
    <Link className={styles.name} to="/w/$workspace/integrations/$id" params={{ workspace, id }}>
      {name}
    </Link>
  )
}
