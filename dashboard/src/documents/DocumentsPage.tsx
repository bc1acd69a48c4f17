import { Button, UnstyledButton } from '@mantine/core'
import { useInfiniteQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import type { Document } from '../../../server/documents/schema.ts'
import { useEvents } from '../events/workspace-events.tsx'
import { useApi } from '../kit/api.ts'
import { formatNumber } from '../kit/format.ts'
import { FileIcon, PlusIcon } from '../kit/icons.tsx'
import { Card, Page, Stack } from '../kit/Page.tsx'
import { pagesQuery } from '../kit/pages.ts'
import { RelativeTime } from '../kit/RelativeTime.tsx'
import { useCanEdit } from '../kit/session.ts'
import { EmptyState, LoadError } from '../kit/states.tsx'
import { type Column, Table } from '../kit/Table.tsx'
import { useSteadyRefresh } from '../kit/useSteadyRefresh.ts'
import { DocumentDrawer } from './DocumentDrawer.tsx'
import { DocumentStatus } from './DocumentStatus.tsx'
import styles from './documents.module.css'
import { NewDocumentDialog } from './NewDocumentDialog.tsx'
import { SearchBox } from './SearchBox.tsx'
import { Unanswered } from './Unanswered.tsx'

export function DocumentsPage() {
  const api = useApi()
  const can_edit = useCanEdit()
  const [is_creating, setCreating] = useState(false)
  const [open_id, setOpenId] = useState<string>()
  const queries = useQueryClient()
  const list_key = [api.workspace, 'documents', 'list']
  const documents = useInfiniteQuery(pagesQuery<Document>(api, list_key, '/documents', { limit: 50 }))
  // An event tells that a document is ready, or could not be read.
  const refresh = useSteadyRefresh(() => queries.invalidateQueries({ queryKey: list_key }))
  useEvents({ type: 'document.*', onOpen: refresh, onEvents: refresh })
  const rows = documents.data?.pages.flatMap(({ data }) => data)
  const create = can_edit && (
    <Button data-shortcut="c" leftSection={<PlusIcon size={17} />} onClick={() => setCreating(true)}>
      Add document
    </Button>
  )
  return (
    <Page title="Knowledge" actions={create}>
      <Stack>
        <div>
          {documents.error && !documents.data ? (
            <LoadError error={documents.error} retry={documents.refetch} />
          ) : (
            <Table
              label="Documents"
              columns={columnsWith(setOpenId)}
              rows={rows}
              getRowId={({ id }) => id}
              isHighlighted={({ id }) => id === open_id}
              empty={
                <EmptyState icon={<FileIcon size={24} />} title="No documents yet">
                  {can_edit ? 'Add what your agents should know.' : 'A member or an owner can add one.'}
                </EmptyState>
              }
            />
          )}
          {documents.hasNextPage && (
            <Button variant="default" mt="md" onClick={() => void documents.fetchNextPage()}>
              Show more documents
            </Button>
          )}
        </div>
        <Card title="Search">
          <SearchBox />
        </Card>
        <Card title="Unanswered questions">
          <Unanswered />
        </Card>
      </Stack>
      <NewDocumentDialog is_open={is_creating} onClose={() => setCreating(false)} />
      <DocumentDrawer document={rows?.find(({ id }) => id === open_id)} onClose={() => setOpenId(undefined)} />
    </Page>
  )
}

const columnsWith = (open: (id: string) => void): Column<Document>[] => [
  {
    id: 'name',
    name: 'Name',
    cell: ({ id, name }) => (
      <UnstyledButton className={styles.name} onClick={() => open(id)}>
        {name}
      </UnstyledButton>
    ),
  },
  { id: 'status', name: 'Status', cell: (document) => <DocumentStatus {...document} /> },
  { id: 'tags', name: 'Tags', is_hidden_on_phone: true, cell: ({ tags }) => tags.join(', ') || '–' },
  {
    id: 'passages',
    name: 'Passages',
    is_number: true,
    is_hidden_on_phone: true,
    cell: ({ passages }) => formatNumber(passages),
  },
  {
    id: 'updated_at',
    name: 'Updated',
    is_hidden_on_phone: true,
    cell: ({ updated_at }) => <RelativeTime time={updated_at} />,
  },
]
