import { Button } from '@mantine/core'
import { useInfiniteQuery } from '@tanstack/react-query'
import { Link, useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import type { Tool } from '../../../server/tools/schema.ts'
import { useApi, useWorkspaceId } from '../kit/api.ts'
import { type Column, DataTable } from '../kit/DataTable.tsx'
import { PlusIcon, ToolIcon } from '../kit/icons.tsx'
import { Card, Page } from '../kit/Page.tsx'
import { RelativeTime } from '../kit/RelativeTime.tsx'
import { useIsOwner } from '../kit/session.ts'
import { EmptyState, LoadError } from '../kit/states.tsx'
import { type ToolDialog, ToolDialogs } from './ToolDialogs.tsx'
import styles from './tools.module.css'

export function ToolsPage() {
  const api = useApi()
  const navigate = useNavigate()
  const is_owner = useIsOwner()
  const [dialog, setDialog] = useState<ToolDialog>()
  const tools = useInfiniteQuery({
    queryKey: [api.workspace, 'tools', 'list'],
    queryFn: ({ pageParam, signal }) => api.list<Tool>('/tools', { limit: 50, cursor: pageParam }, signal),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ pagination }) => pagination.next_cursor ?? undefined,
  })
  const create = is_owner && (
    <Button leftSection={<PlusIcon size={17} />} onClick={() => setDialog({ kind: 'create' })}>
      New tool
    </Button>
  )
  const open = ({ id }: Tool) =>
    void navigate({ to: '/w/$workspace/tools/$id', params: { workspace: api.workspace, id } })
  return (
    <Page title="Tools" description="Requests to your server that agents can make while they answer." actions={create}>
      <Card is_flush>
        {tools.error ? (
          <LoadError error={tools.error} retry={tools.refetch} />
        ) : (
          <DataTable
            label="Tools"
            columns={is_owner ? owner_columns : columns}
            rows={tools.data?.pages.flatMap(({ data }) => data)}
            getRowId={({ id }) => id}
            {...(is_owner && { onOpen: open })}
            empty={
              <EmptyState icon={<ToolIcon size={24} />} title="No tools yet">
                {is_owner ? 'Let agents look something up or book it on your server.' : 'An owner can add one.'}
              </EmptyState>
            }
          />
        )}
      </Card>
      {tools.hasNextPage && (
        <Button variant="default" mt="md" onClick={() => void tools.fetchNextPage()}>
          Show more tools
        </Button>
      )}
      <ToolDialogs dialog={dialog} onChange={setDialog} />
    </Page>
  )
}

const details: Column<Tool>[] = [
  {
    id: 'description',
    header: 'Description',
    meta: { is_hidden_on_phone: true },
    cell: ({ row }) => row.original.description ?? '–',
  },
  {
    id: 'created_at',
    header: 'Created',
    meta: { is_hidden_on_phone: true },
    cell: ({ row }) => <RelativeTime time={row.original.created_at} />,
  },
]

const columns: Column<Tool>[] = [
  { id: 'name', header: 'Tool', cell: ({ row }) => <code className={styles.toolName}>{row.original.name}</code> },
  ...details,
]

/** Owners see where the request goes, and can open the tool. */
const owner_columns: Column<Tool>[] = [
  { id: 'name', header: 'Tool', cell: ({ row }) => <NameLink tool={row.original} /> },
  ...details,
]

function NameLink({ tool: { id, name, method, url } }: { tool: Tool }) {
  const workspace = useWorkspaceId()
  return (
    <div className={styles.name}>
      <Link to="/w/$workspace/tools/$id" params={{ workspace, id }} className={styles.toolName}>
        {name}
      </Link>
      <span>
        {method} {url}
      </span>
    </div>
  )
}
