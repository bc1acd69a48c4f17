import { Button } from '@mantine/core'
import { useInfiniteQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import type { Tool } from '../../../server/tools/schema.ts'
import { useApi, useWorkspaceId } from '../kit/api.ts'
import { PlusIcon, ToolIcon } from '../kit/icons.tsx'
import { Page } from '../kit/Page.tsx'
import { pagesQuery } from '../kit/pages.ts'
import { RelativeTime } from '../kit/RelativeTime.tsx'
import { useIsOwner } from '../kit/session.ts'
import { EmptyState, LoadError } from '../kit/states.tsx'
import { type Column, Table } from '../kit/Table.tsx'
import { type ToolDialog, ToolDialogs } from './ToolDialogs.tsx'
import styles from './tools.module.css'

export function ToolsPage() {
  const api = useApi()
  const is_owner = useIsOwner()
  const [dialog, setDialog] = useState<ToolDialog>()
  const tools = useInfiniteQuery(pagesQuery<Tool>(api, [api.workspace, 'tools', 'list'], '/tools', { limit: 50 }))
  const create = is_owner && (
    <Button data-shortcut="c" leftSection={<PlusIcon size={17} />} onClick={() => setDialog({ kind: 'create' })}>
      New tool
    </Button>
  )
  return (
    <Page title="Tools" actions={create}>
      {tools.error && !tools.data ? (
        <LoadError error={tools.error} retry={tools.refetch} />
      ) : (
        <Table
          label="Tools"
          columns={is_owner ? owner_columns : columns}
          rows={tools.data?.pages.flatMap(({ data }) => data)}
          getRowId={({ id }) => id}
          empty={
            <EmptyState icon={<ToolIcon size={24} />} title="No tools yet">
              {is_owner ? 'Let agents look something up or book it on your server.' : 'An owner can add one.'}
            </EmptyState>
          }
        />
      )}
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
    name: 'Description',
    is_hidden_on_phone: true,
    cell: (row) => row.description ?? '–',
  },
  {
    id: 'created_at',
    name: 'Created',
    is_hidden_on_phone: true,
    cell: (row) => <RelativeTime time={row.created_at} />,
  },
]

const columns: Column<Tool>[] = [
  { id: 'name', name: 'Tool', cell: (row) => <code className={styles.toolName}>{row.name}</code> },
  ...details,
]

/** The columns for owners, who see where the request goes and can open the tool. */
const owner_columns: Column<Tool>[] = [{ id: 'name', name: 'Tool', cell: (row) => <NameLink tool={row} /> }, ...details]

function NameLink({ tool: { id, kind, name, method, url } }: { tool: Tool }) {
  const workspace = useWorkspaceId()
  return (
    <div className={styles.name}>
      <Link to="/w/$workspace/tools/$id" params={{ workspace, id }} className={styles.toolName}>
        {name}
      </Link>
      <span>
        {kind === 'mcp' ? 'MCP server' : method} {url}
      </span>
    </div>
  )
}
