import { ActionIcon, Badge, Button, Menu } from '@mantine/core'
import { useInfiniteQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { ApiKey } from '../../../server/api-keys/schema.ts'
import { useApi } from '../kit/api.ts'
import { type Column, DataTable } from '../kit/DataTable.tsx'
import { formatRelativeTime } from '../kit/format.ts'
import { KeyIcon, MoreIcon, PlusIcon, RotateIcon, TrashIcon } from '../kit/icons.tsx'
import { Card, useTitle } from '../kit/Page.tsx'
import { RelativeTime } from '../kit/RelativeTime.tsx'
import { EmptyState, LoadError } from '../kit/states.tsx'
import { type ApiKeyDialog, ApiKeyDialogs } from './ApiKeyDialogs.tsx'
import { apiKeyStatus } from './api-key.ts'
import styles from './settings.module.css'

export function ApiKeysPage() {
  useTitle('API keys')
  const api = useApi()
  const [dialog, setDialog] = useState<ApiKeyDialog>()
  const keys = useInfiniteQuery({
    queryKey: [api.workspace, 'api_keys'],
    queryFn: ({ pageParam, signal }) => api.list<ApiKey>('/api_keys', { limit: 50, cursor: pageParam }, signal),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ pagination }) => pagination.next_cursor ?? undefined,
  })
  const create = (
    <Button size="sm" leftSection={<PlusIcon size={17} />} onClick={() => setDialog({ kind: 'create' })}>
      New API key
    </Button>
  )
  return (
    <>
      <div className={styles.intro}>
        <p>Use API keys to call the API from your own code. Keep them secret.</p>
        {create}
      </div>
      <Card is_flush>
        {keys.error ? (
          <LoadError error={keys.error} retry={keys.refetch} />
        ) : (
          <DataTable
            label="API keys"
            columns={buildColumns(setDialog)}
            rows={keys.data?.pages.flatMap(({ data }) => data)}
            getRowId={({ id }) => id}
            empty={
              <EmptyState icon={<KeyIcon size={24} />} title="No API keys yet">
                Create one to call the API from your own code.
              </EmptyState>
            }
          />
        )}
      </Card>
      {keys.hasNextPage && (
        <Button variant="default" mt="md" onClick={() => void keys.fetchNextPage()}>
          Show more keys
        </Button>
      )}
      <ApiKeyDialogs dialog={dialog} onChange={setDialog} />
    </>
  )
}

const buildColumns = (open: (dialog: ApiKeyDialog) => void): Column<ApiKey>[] => [
  {
    id: 'name',
    header: 'Name',
    cell: ({ row: { original } }) => (
      <div className={styles.keyName}>
        <strong>{original.name}</strong>
        <code>pk_…{original.last_four}</code>
      </div>
    ),
  },
  { id: 'state', header: 'Status', cell: ({ row }) => <ApiKeyStatusBadge apiKey={row.original} /> },
  {
    id: 'scopes',
    header: 'Scopes',
    meta: { is_hidden_on_phone: true },
    cell: ({ row }) => row.original.scopes?.join(', ') ?? 'Full access, except API keys and the audit log',
  },
  {
    id: 'last_used_at',
    header: 'Last used',
    meta: { is_hidden_on_phone: true },
    cell: ({ row }) => <RelativeTime time={row.original.last_used_at} />,
  },
  {
    id: 'created_at',
    header: 'Created',
    meta: { is_hidden_on_phone: true },
    cell: ({ row }) => <RelativeTime time={row.original.created_at} />,
  },
  {
    id: 'more',
    header: () => <span className={styles.visuallyHidden}>Actions</span>,
    cell: ({ row }) => <ApiKeyMenu apiKey={row.original} open={open} />,
  },
]

function ApiKeyStatusBadge({ apiKey }: { apiKey: ApiKey }) {
  const state = apiKeyStatus(apiKey)
  const names = {
    active: 'Active',
    expiring: `Expires ${formatRelativeTime(apiKey.expires_at ?? '', Date.now())}`,
    expired: 'Expired',
    revoked: 'Revoked',
  }
  const color = state === 'active' || state === 'expiring' ? 'teal' : 'gray'
  return (
    <Badge variant="light" color={color} tt="none" fw={600}>
      {names[state]}
    </Badge>
  )
}

function ApiKeyMenu({ apiKey, open }: { apiKey: ApiKey; open: (dialog: ApiKeyDialog) => void }) {
  const state = apiKeyStatus(apiKey)
  if (state === 'revoked' || state === 'expired') return null
  return (
    <Menu position="bottom-end">
      <Menu.Target>
        <ActionIcon variant="subtle" color="gray" aria-label={`Actions for ${apiKey.name}`}>
          <MoreIcon />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item leftSection={<RotateIcon size={16} />} onClick={() => open({ kind: 'rotate', api_key: apiKey })}>
          Rotate
        </Menu.Item>
        <Menu.Item
          color="red"
          leftSection={<TrashIcon size={16} />}
          onClick={() => open({ kind: 'revoke', api_key: apiKey })}
        >
          Revoke
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  )
}
