import { ActionIcon, Badge, Button, Menu } from '@mantine/core'
import { useMutation, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { Provider } from '../../../server/models/schema.ts'
import { useApi } from '../kit/api.ts'
import { ModelIcon, MoreIcon, PlusIcon, TrashIcon } from '../kit/icons.tsx'
import { useTitle } from '../kit/Page.tsx'
import { useIsOwner } from '../kit/session.ts'
import { EmptyState, LoadError } from '../kit/states.tsx'
import { type Column, Table } from '../kit/Table.tsx'
import { type TestResult, TestResultAlert } from '../kit/TestResultAlert.tsx'
import { showError } from '../kit/toast.ts'
import { type ProviderDialog, ProviderDialogs } from './ProviderDialogs.tsx'
import { kind_names } from './ProviderForm.tsx'
import { providersQuery } from './providers-query.ts'
import styles from './settings.module.css'

export function ProvidersPage() {
  useTitle('Model providers')
  const api = useApi()
  const is_owner = useIsOwner()
  const [dialog, setDialog] = useState<ProviderDialog>()
  const providers = useQuery(providersQuery(api))
  const testing = useMutation({
    mutationFn: ({ id }: Provider) => api.send<TestResult>('POST', `/providers/${id}/test`),
    onError: showError,
  })
  const rows = providers.data?.data
  const create = () => setDialog({ kind: 'create', has_default: rows?.some(({ is_default }) => is_default) ?? false })
  const isTesting = ({ id }: Provider) => testing.isPending && testing.variables.id === id
  const columns = is_owner
    ? [...shared_columns, ...ownerColumns({ open: setDialog, test: testing.mutate, isTesting })]
    : shared_columns
  return (
    <>
      <div className={styles.intro}>
        {is_owner && (
          <Button leftSection={<PlusIcon size={17} />} onClick={create}>
            New provider
          </Button>
        )}
      </div>
      <div className={testing.data && styles.result}>
        <TestResultAlert result={testing.data} name={testing.variables?.name ?? ''} />
      </div>
      {providers.error && !providers.data ? (
        <LoadError error={providers.error} retry={providers.refetch} />
      ) : (
        <Table
          label="Model providers"
          columns={columns}
          rows={rows}
          getRowId={({ id }) => id}
          empty={
            <EmptyState icon={<ModelIcon size={24} />} title="No model providers yet">
              {is_owner
                ? 'Add an account at OpenAI, Anthropic or another model service, so that agents can answer with an AI model.'
                : 'An owner can add one.'}{' '}
              Agents with a script need none.
            </EmptyState>
          }
        />
      )}
      <ProviderDialogs dialog={dialog} onChange={setDialog} />
    </>
  )
}

const shared_columns: Column<Provider>[] = [
  {
    id: 'name',
    name: 'Name',
    cell: (original) => (
      <div className={styles.keyName}>
        <span className={styles.nameLine}>
          <strong>{original.name}</strong>
          {original.is_default && (
            <Badge variant="light" tt="none">
              Default
            </Badge>
          )}
        </span>
        <span>{original.source === 'environment' ? 'From the server’s environment' : original.base_url}</span>
      </div>
    ),
  },
  {
    id: 'kind',
    name: 'Kind',
    is_hidden_on_phone: true,
    cell: (row) => kind_names[row.kind],
  },
  {
    id: 'model',
    name: 'Default model',
    is_hidden_on_phone: true,
    cell: (row) => row.default_model ?? '–',
  },
]

interface Actions {
  open: (dialog: ProviderDialog) => void
  test: (provider: Provider) => void
  isTesting: (provider: Provider) => boolean
}

const ownerColumns = ({ open, test, isTesting }: Actions): Column<Provider>[] => [
  {
    id: 'api_key',
    name: 'API key',
    is_hidden_on_phone: true,
    cell: (row) => (row.has_api_key ? 'Stored' : 'None'),
  },
  {
    id: 'actions',
    name: 'Actions',
    is_name_hidden: true,
    width: '110px',
    cell: (original) => (
      <div className={styles.rowActions}>
        <Button
          variant="default"
          size="xs"
          aria-label={`Test ${original.name}`}
          loading={isTesting(original)}
          onClick={() => test(original)}
        >
          Test
        </Button>
        {original.source === 'workspace' && <ProviderMenu provider={original} open={open} />}
      </div>
    ),
  },
]

function ProviderMenu({ provider, open }: { provider: Provider; open: (dialog: ProviderDialog) => void }) {
  return (
    <Menu position="bottom-end">
      <Menu.Target>
        <ActionIcon variant="subtle" color="gray" aria-label={`Actions for ${provider.name}`}>
          <MoreIcon />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item onClick={() => open({ kind: 'edit', provider })}>Edit</Menu.Item>
        <Menu.Item color="red" leftSection={<TrashIcon size={16} />} onClick={() => open({ kind: 'delete', provider })}>
          Delete
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  )
}
