import { Button } from '@mantine/core'
import { keepPreviousData, useMutation, useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import type { Contact } from '../../../server/contacts/schema.ts'
import { useApi } from '../kit/api.ts'
import { formatCount } from '../kit/format.ts'
import { ExportIcon, ImportIcon, PlusIcon } from '../kit/icons.tsx'
import { Card, Page } from '../kit/Page.tsx'
import { useCanEdit } from '../kit/session.ts'
import { LoadError } from '../kit/states.tsx'
import { showError } from '../kit/toast.ts'
import { BulkBar } from './BulkBar.tsx'
import { ContactDrawer } from './ContactDrawer.tsx'
import { ContactFilters } from './ContactFilters.tsx'
import { ContactPagination } from './ContactPagination.tsx'
import { ContactTable } from './ContactTable.tsx'
import { contactListQuery, toFilters } from './contact.ts'
import styles from './contacts.module.css'
import { useContactSearch } from './useContactSearch.ts'

export function ContactsPage() {
  const api = useApi()
  const { params, change } = useContactSearch()
  const can_edit = useCanEdit()
  const list = useQuery({ ...contactListQuery(api, params), placeholderData: keepPreviousData })
  const [selected, setSelected] = useState<ReadonlyMap<string, Contact>>(new Map())
  const { contact, ...list_params } = params
  const list_key = JSON.stringify(list_params)
  // biome-ignore lint/correctness/useExhaustiveDependencies: the selection belongs to the rows on this page
  useEffect(() => setSelected(new Map()), [list_key])
  const exporting = useMutation({
    mutationFn: () => api.download('/contacts/export', toFilters(params)),
    onError: showError,
  })

  const total = list.data?.pagination.total
  const actions = can_edit && (
    <>
      <Button
        variant="default"
        leftSection={<ExportIcon size={17} />}
        loading={exporting.isPending}
        onClick={() => exporting.mutate()}
      >
        Export
      </Button>
      <Button
        variant="default"
        leftSection={<ImportIcon size={17} />}
        renderRoot={(props) => <Link to="/w/$workspace/imports/new" params={{ workspace: api.workspace }} {...props} />}
      >
        Import
      </Button>
      <Button leftSection={<PlusIcon size={17} />} onClick={() => change({ contact: 'new' })}>
        New contact
      </Button>
    </>
  )
  return (
    <Page title="Contacts" description="People your agents talk to." actions={actions}>
      <ContactFilters suggested_tags={distinctTags(list.data?.data)} />
      <p role="status" className={styles.found}>
        {total === undefined ? '\u00a0' : formatCount(total, 'contact')}
      </p>
      <Card is_flush>
        {selected.size > 0 && (
          <BulkBar
            selected={selected}
            onDone={(failed) => setSelected(new Map(failed.map((contact) => [contact.id, contact])))}
          />
        )}
        {list.error ? (
          <LoadError error={list.error} retry={list.refetch} />
        ) : (
          <ContactTable
            contacts={list.data?.data}
            is_stale={list.isPlaceholderData}
            selected={selected}
            onSelect={can_edit ? setSelected : undefined}
          />
        )}
      </Card>
      {list.data && <ContactPagination {...list.data.pagination} />}
      <ContactDrawer id={contact} onClose={() => change({ contact: undefined })} />
    </Page>
  )
}

const distinctTags = (contacts: Contact[] = []): string[] => [...new Set(contacts.flatMap(({ tags }) => tags))].sort()
