import { ActionIcon, Button, Menu } from '@mantine/core'
import { useInfiniteQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { ApiKey } from '../../../server/api-keys/schema.ts'
import { useApi } from '../kit/api.ts'
import { formatRelativeTime } from '../kit/format.ts'
import { KeyIcon, MoreIcon, PlusIcon, RotateIcon, TrashIcon } from '../kit/icons.tsx'
import { NowContext } from '../kit/now.ts'
import { Page } from '../kit/Page.tsx'
import { pagesQuery } from '../kit/pages.ts'
import { RelativeTime } from '../kit/RelativeTime.tsx'
import { Status } from '../kit/Status.tsx'
import { EmptyState, LoadError } from '../kit/states.tsx'
import { type Column, Table } from '../kit/Table.tsx'
import { type ApiKeyDialog, ApiKeyDialogs } from './ApiKeyDialogs.tsx'
import { apiKeyStatus } from './api-key.ts'
import styles from './settings.module.css'

export function ApiKeysPage() {
  const api = useApi()
  const [dialog, setDialog] = useState<ApiKeyDialog>()
  const keys = useInfiniteQuery(pagesQuery<ApiKey>(api, [api.workspace, 'api_keys'], '/api_keys', { limit: 50 }))
  const create = (
    <Button
      data-shortcut="c"
      size="sm"
      leftSection={<PlusIcon size={17} />}
      onClick={() => setDialog({ kind: 'create' })}
    >
      New API key
    </Button>
  )
  return (
    <Page title="API keys" actions={create}>
      <NowContext value={Date.now}>
        {keys.error && !keys.data ? (
          <LoadError error={keys.error} retry={keys.refetch} />
        ) : (
          <Table
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
      </NowContext>
      {keys.hasNextPage && (
        <Button variant="default" mt="md" onClick={() => void keys.fetchNextPage()}>
          Show more keys
        </Button>
      )}
      <ApiKeyDialogs dialog={dialog} onChange={setDialog} />
    </Page>
  )
}

const buildColumns = (open: (dialog: ApiKeyDialog) => void): Column<ApiKey>[] => [
  {
    id: 'name',
    name: 'Name',
    cell: (original) => (
      <div className={styles.keyName}>
        <strong>{original.name}</strong>
        <code>pk_…{original.last_four}</code>
      </div>
    ),
  },
  { id: 'state', name: 'Status', width: '148px', cell: (row) => <ApiKeyStatusBadge apiKey={row} /> },
  {
    id: 'scopes',
    name: 'Scopes',
    is_hidden_on_phone: true,
    cell: (row) => row.scopes?.join(', ') ?? 'Full access, except API keys and the audit log',
  },
  {
    id: 'last_used_at',
    name: 'Last used',
    is_hidden_on_phone: true,
    cell: (row) => <RelativeTime time={row.last_used_at} />,
  },
  {
    id: 'created_at',
    name: 'Created',
    is_hidden_on_phone: true,
    cell: (row) => <RelativeTime time={row.created_at} />,
  },
  {
    id: 'more',
    name: 'Actions',
    is_name_hidden: true,
    width: '40px',
    cell: (row) => <ApiKeyMenu apiKey={row} open={open} />,
  },
]

function ApiKeyStatusBadge({ apiKey }: { apiKey: ApiKey }) {
  const state = apiKeyStatus(apiKey)
  const expiry = `Expires ${formatRelativeTime(apiKey.expires_at ?? '', Date.now())}`
  if (state === 'rotated')
    return (
      <div className={styles.keyName}>
        <span className={styles.nameLine}>
          <Status tone="warning">Old key</Status>
        </span>
        <span>{expiry}</span>
      </div>
    )
  const names = { active: 'Active', expiring: expiry, expired: 'Expired', revoked: 'Revoked' }
  return <Status tone={tones[state]}>{names[state]}</Status>
}

const tones = {
  active: 'success',
  expiring: 'warning',
  expired: 'neutral',
  revoked: 'neutral',
} as const

function ApiKeyMenu({ apiKey, open }: { apiKey: ApiKey; open: (dialog: ApiKeyDialog) => void }) {
  const state = apiKeyStatus(apiKey)
  if (state === 'revoked' || state === 'expired') return null
  return (
    <Menu position="bottom-end">
      <Menu.Target>
        <ActionIcon variant="subtle" color="gray" aria-label={`Actions for ${apiKey.name}, ${apiKey.last_four}`}>
          <MoreIcon />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        {state !== 'rotated' && (
          <Menu.Item leftSection={<RotateIcon size={16} />} onClick={() => open({ kind: 'rotate', api_key: apiKey })}>
            Rotate
          </Menu.Item>
        )}
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
