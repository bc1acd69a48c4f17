import { Button } from '@mantine/core'
import { keepPreviousData, useMutation, useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import type { Contact } from '../../../server/contacts/schema.ts'
import { useApi } from '../kit/api.ts'
import { ExportIcon, ImportIcon, PlusIcon } from '../kit/icons.tsx'
import { Card, Page } from '../kit/Page.tsx'
import { sayCount } from '../kit/RelativeTime.tsx'
import { useCanEdit } from '../kit/session.ts'
import { Failure } from '../kit/states.tsx'
import { tellProblem } from '../kit/toast.ts'
import { BulkBar } from './BulkBar.tsx'
import { ContactPanel } from './ContactDrawer.tsx'
import { Filters } from './ContactFilters.tsx'
import { Pages } from './ContactPagination.tsx'
import { ContactTable } from './ContactTable.tsx'
import { filterOf, listQuery } from './contact.ts'
import styles from './contacts.module.css'
import { useContactSearch } from './useContactSearch.ts'

export function Contacts() {
  const api = useApi()
  const { said, change } = useContactSearch()
  const can_edit = useCanEdit()
  const list = useQuery({ ...listQuery(api, said), placeholderData: keepPreviousData })
  const [ticked, setTicked] = useState<ReadonlyMap<string, Contact>>(new Map())
  const { contact, ...place } = said
  const where = JSON.stringify(place)
  // biome-ignore lint/correctness/useExhaustiveDependencies: what is ticked belongs to the rows that are shown
  useEffect(() => setTicked(new Map()), [where])
  const exporting = useMutation({
    mutationFn: () => api.download('/contacts/export', filterOf(said)),
    onError: tellProblem,
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
    <Page title="Contacts" about="People your agents talk to." actions={actions}>
      <Filters tags_seen={tagsOf(list.data?.data)} />
      <p role="status" className={styles.found}>
        {total === undefined ? '\u00a0' : sayCount(total, 'contact')}
      </p>
      <Card is_flush>
        {ticked.size > 0 && (
          <BulkBar ticked={ticked} onDone={(failed) => setTicked(new Map(failed.map((one) => [one.id, one])))} />
        )}
        {list.error ? (
          <Failure error={list.error} retry={list.refetch} />
        ) : (
          <ContactTable
            contacts={list.data?.data}
            is_stale={list.isPlaceholderData}
            ticked={ticked}
            onTick={can_edit ? setTicked : undefined}
          />
        )}
      </Card>
      {list.data && <Pages {...list.data.pagination} />}
      <ContactPanel id={contact} onClose={() => change({ contact: undefined })} />
    </Page>
  )
}

const tagsOf = (contacts: Contact[] = []): string[] => [...new Set(contacts.flatMap(({ tags }) => tags))].sort()
