import { Button } from '@mantine/core'
import { keepPreviousData, useInfiniteQuery, useMutation } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { useState } from 'react'
import type { Suppression } from '../../../server/consent/schema.ts'
import { ContactTabs } from '../contacts/ContactTabs.tsx'
import { useApi } from '../kit/api.ts'
import { Dialog } from '../kit/Dialog.tsx'
import { BlockIcon, ExportIcon, PlusIcon } from '../kit/icons.tsx'
import { Page } from '../kit/Page.tsx'
import { pagesQuery } from '../kit/pages.ts'
import { formatPhoneNumber } from '../kit/phone-number.ts'
import { RelativeTime } from '../kit/RelativeTime.tsx'
import { useIsOwner } from '../kit/session.ts'
import { EmptyState, LoadError } from '../kit/states.tsx'
import { type Column, Table } from '../kit/Table.tsx'
import { showError } from '../kit/toast.ts'
import styles from './consent.module.css'
import { kind_names, suppressedNumber, suppressionsKey } from './consent.ts'
import { NumberSearch } from './NumberSearch.tsx'
import { RemoveSuppression } from './RemoveSuppression.tsx'
import { SuppressForm } from './SuppressForm.tsx'

const page_size = 50

export function SuppressionsPage() {
  const api = useApi()
  const navigate = useNavigate()
  const is_owner = useIsOwner()
  const { phone_number } = useSearch({ from: '/w/$workspace/suppressions' })
  const [is_adding, setAdding] = useState(false)
  const query = { phone_number, limit: page_size }
  const list = useInfiniteQuery({
    ...pagesQuery<Suppression>(api, [...suppressionsKey(api), 'list'], '/suppressions', query),
    placeholderData: keepPreviousData,
  })
  const search = (wanted: string | undefined) =>
    void navigate({
      to: '/w/$workspace/suppressions',
      params: { workspace: api.workspace },
      search: wanted === undefined ? {} : { phone_number: wanted },
      replace: true,
    })
  const add = (
    <Button leftSection={<PlusIcon size={17} />} onClick={() => setAdding(true)}>
      Suppress number
    </Button>
  )
  return (
    <Page
      title="Contacts"
      browser_title="Do not contact"
      tabs={<ContactTabs />}
      actions={
        <>
          <ExportConsents />
          {add}
        </>
      }
    >
      <NumberSearch phone_number={phone_number} onSearch={search} />
      {list.error && !list.data ? (
        <LoadError error={list.error} retry={list.refetch} />
      ) : (
        <Table
          label="Do not contact"
          columns={is_owner ? [...columns, removal] : columns}
          rows={list.data?.pages.flatMap(({ data }) => data)}
          is_stale={list.isPlaceholderData}
          getRowId={({ id }) => id}
          empty={
            phone_number === undefined ? (
              <EmptyState icon={<BlockIcon size={24} />} title="No suppressed numbers" action={add}>
                Suppress a number to make sure that no agent contacts it.
              </EmptyState>
            ) : (
              <EmptyState
                icon={<BlockIcon size={24} />}
                title="No results"
                action={
                  <Button variant="default" onClick={() => search(undefined)}>
                    Clear search
                  </Button>
                }
              >
                {formatPhoneNumber(phone_number)} is not suppressed.
              </EmptyState>
            )
          }
        />
      )}
      {list.hasNextPage && (
        <div className={styles.showMore}>
          <Button variant="subtle" loading={list.isFetchingNextPage} onClick={() => void list.fetchNextPage()}>
            Show more
          </Button>
        </div>
      )}
      <Dialog is_open={is_adding} onClose={() => setAdding(false)} title="Suppress number">
        <SuppressForm onClose={() => setAdding(false)} />
      </Dialog>
    </Page>
  )
}

function ExportConsents() {
  const api = useApi()
  const saving = useMutation({ mutationFn: () => api.download('/consents/export', {}), onError: showError })
  return (
    <Button
      variant="default"
      leftSection={<ExportIcon size={17} />}
      loading={saving.isPending}
      onClick={() => saving.mutate()}
    >
      Export consents
    </Button>
  )
}

const columns: Column<Suppression>[] = [
  {
    id: 'phone_number',
    name: 'Phone number',
    cell: (row) => <span className={styles.number}>{suppressedNumber(row)}</span>,
  },
  { id: 'kind', name: 'Applies to', cell: (row) => kind_names[row.kind] },
  { id: 'reason', name: 'Reason', is_hidden_on_phone: true, cell: (row) => row.reason },
  {
    id: 'created_at',
    name: 'Added',
    is_hidden_on_phone: true,
    cell: (row) => <RelativeTime time={row.created_at} />,
  },
]

const removal: Column<Suppression> = {
  id: 'remove',
  name: 'Actions',
  is_number: true,
  cell: (row) => <RemoveSuppression suppression={row} />,
}
