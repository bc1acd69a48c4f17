import { Button } from '@mantine/core'
import { keepPreviousData, useMutation, useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useEffect, useRef, useState } from 'react'
import type { Contact } from '../../../server/contacts/schema.ts'
import { type Api, useApi } from '../kit/api.ts'
import { formatCount } from '../kit/format.ts'
import { ChevronIcon, ExportIcon, ImportIcon, PlusIcon } from '../kit/icons.tsx'
import { lazyMenu } from '../kit/lazy-menu.tsx'
import { lazyPart } from '../kit/lazy-part.tsx'
import { Page } from '../kit/Page.tsx'
import { isPastEnd, Pager } from '../kit/Pager.tsx'
import { useCanEdit } from '../kit/session.ts'
import { LoadError } from '../kit/states.tsx'
import { showError } from '../kit/toast.ts'
import { ContactFilters } from './ContactFilters.tsx'
import { ContactTable } from './ContactTable.tsx'
import { ContactTabs } from './ContactTabs.tsx'
import { contactListQuery, contactTitle, toFilters } from './contact.ts'
import styles from './contacts.module.css'
import { NewContacts } from './NewContacts.tsx'
import type { ContactSearch } from './search.ts'
import { useContactSearch } from './useContactSearch.ts'

// Most visits change nothing, so the list comes without the code of its forms.
const BulkActions = lazyPart(async () => (await import('./BulkActions.tsx')).BulkActions)
const ContactsMenu = lazyMenu(async () => (await import('./ContactsMenu.tsx')).ContactsMenu)
const ContactDrawer = lazyPart(async () => (await import('./ContactDrawer.tsx')).ContactDrawer)

const loaded_at_once = 100
/** Limits the selection, because each contact is changed by a request of its own. */
const selected_max = 10_000

export function ContactsPage() {
  const api = useApi()
  const { params, change } = useContactSearch()
  const can_edit = useCanEdit()
  const list = useQuery({ ...contactListQuery(api, params), placeholderData: keepPreviousData })
  const [selected, setSelected] = useState<ReadonlyMap<string, Contact>>(new Map())
  const { contact, ...list_params } = params
  const was_opened = useRef(false)
  if (contact) was_opened.current = true
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
        className={styles.onWide ?? ''}
        variant="default"
        leftSection={<ExportIcon size={17} />}
        loading={exporting.isPending}
        onClick={() => exporting.mutate()}
      >
        Export
      </Button>
      <Button
        className={styles.onWide ?? ''}
        variant="default"
        leftSection={<ImportIcon size={17} />}
        renderRoot={(props) => <Link to="/w/$workspace/imports/new" params={{ workspace: api.workspace }} {...props} />}
      >
        Import
      </Button>
      <ContactsMenu
        onExport={() => exporting.mutate()}
        target={
          <Button className={styles.onPhone ?? ''} variant="default" rightSection={<ChevronIcon size={17} />}>
            More
          </Button>
        }
      />
      <Button data-shortcut="c" leftSection={<PlusIcon size={17} />} onClick={() => change({ contact: 'new' })}>
        New contact
      </Button>
    </>
  )
  return (
    <Page title="Contacts" tabs={<ContactTabs />} actions={actions}>
      <ContactFilters suggested_tags={distinctTags(list.data?.data)}>
        <p role="status" className={styles.found}>
          {total === undefined ? '\u00a0' : formatCount(total, 'contact')}
        </p>
      </ContactFilters>
      <NewContacts shown={list.data?.data} />
      {list.error && !list.data ? (
        <LoadError error={list.error} retry={list.refetch} />
      ) : (
        <ContactTable
          contacts={list.data && isPastEnd(list.data.pagination) ? undefined : list.data?.data}
          is_stale={list.isPlaceholderData}
          selection={
            can_edit
              ? {
                  selected,
                  onChange: setSelected,
                  nameOf: contactTitle,
                  total: total ?? 0,
                  loadAll: () => loadAll(api, params),
                  actions: (
                    <BulkActions
                      selected={selected}
                      onDone={(failed) => setSelected(new Map(failed.map((contact) => [contact.id, contact])))}
                    />
                  ),
                }
              : undefined
          }
        />
      )}
      {list.data && (
        <Pager
          pagination={list.data.pagination}
          onChange={(page, replace) => change({ page: page > 1 ? page : undefined }, replace)}
        />
      )}
      {was_opened.current && <ContactDrawer id={contact} onClose={() => change({ contact: undefined })} />}
    </Page>
  )
}

/** Reads every contact that the filters match, for actions on all of them. */
async function loadAll(api: Api, params: ContactSearch): Promise<Contact[]> {
  const all: Contact[] = []
  let cursor: string | undefined
  do {
    const page = await api.list<Contact>('/contacts', { ...toFilters(params), limit: loaded_at_once, cursor })
    all.push(...page.data)
    cursor = page.pagination.next_cursor ?? undefined
  } while (cursor && all.length < selected_max)
  return all
}

const distinctTags = (contacts: Contact[] = []): string[] => [...new Set(contacts.flatMap(({ tags }) => tags))].sort()
