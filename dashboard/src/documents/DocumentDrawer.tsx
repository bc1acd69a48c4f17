import { Button, Group, TagsInput } from '@mantine/core'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import type { Document } from '../../../server/documents/schema.ts'
import { useApi, useWorkspaceId } from '../kit/api.ts'
import { ConfirmDialog } from '../kit/ConfirmDialog.tsx'
import { Drawer } from '../kit/Drawer.tsx'
import { errorMessage } from '../kit/error-messages.ts'
import { Fact, FactList } from '../kit/FactList.tsx'
import { formatNumber } from '../kit/format.ts'
import { RelativeTime } from '../kit/RelativeTime.tsx'
import { useCanEdit } from '../kit/session.ts'
import { ErrorAlert } from '../kit/states.tsx'
import { showToast } from '../kit/toast.ts'
import { DocumentStatus } from './DocumentStatus.tsx'
import styles from './documents.module.css'
import { readersQuery } from './readers.ts'

interface DocumentDrawerProps {
  document: Document | undefined
  onClose: () => void
}

export const DocumentDrawer = ({ document, onClose }: DocumentDrawerProps) => (
  <Drawer is_open={document !== undefined} label="Document" title={document?.name ?? ''} onClose={onClose}>
    {document && <Details key={document.id} document={document} onClose={onClose} />}
  </Drawer>
)

function Details({ document, onClose }: { document: Document; onClose: () => void }) {
  const api = useApi()
  const queries = useQueryClient()
  const can_edit = useCanEdit()
  const [is_deleting, setDeleting] = useState(false)
  const refetch = () => queries.invalidateQueries({ queryKey: [api.workspace, 'documents'] })
  const tagging = useMutation({
    mutationFn: (tags: string[]) => api.send('PATCH', `/documents/${document.id}`, { tags }),
    onSuccess: refetch,
  })
  const refreshing = useMutation({
    mutationFn: () => api.send('POST', `/documents/${document.id}/refresh`),
    onSuccess: async () => {
      await refetch()
      showToast('The page is fetched again.')
    },
  })
  const error = tagging.error ?? refreshing.error
  return (
    <div className={styles.details}>
      {document.error && <ErrorAlert>{document.error}</ErrorAlert>}
      {error && <ErrorAlert>{errorMessage(error)}</ErrorAlert>}
      <FactList>
        <Fact name="Status">
          <DocumentStatus {...document} />
        </Fact>
        <Fact name="Source">{sources[document.source]}</Fact>
        {document.url && (
          <Fact name="URL">
            <a href={document.url} target="_blank" rel="noreferrer">
              {document.url}
            </a>
          </Fact>
        )}
        <Fact name="Language">{document.language}</Fact>
        <Fact name="Characters">{formatNumber(document.characters)}</Fact>
        <Fact name="Passages">{formatNumber(document.passages)}</Fact>
        <Fact name="Created">
          <RelativeTime time={document.created_at} />
        </Fact>
        {document.fetched_at && (
          <Fact name="Fetched">
            <RelativeTime time={document.fetched_at} />
          </Fact>
        )}
        <Fact name="Used by">
          <Readers document={document} />
        </Fact>
      </FactList>
      <TagsInput
        label="Tags"
        description="Agents can be given all documents with a tag."
        maxTags={20}
        value={document.tags}
        disabled={!can_edit || tagging.isPending}
        onChange={(tags) => tagging.mutate(tags)}
      />
      {can_edit && (
        <Group gap={8}>
          {document.source === 'url' && (
            <Button variant="default" loading={refreshing.isPending} onClick={() => refreshing.mutate()}>
              Refresh
            </Button>
          )}
          <Button variant="default" color="red" onClick={() => setDeleting(true)}>
            Delete…
          </Button>
        </Group>
      )}
      <ConfirmDialog
        is_open={is_deleting}
        title={`Delete ${document.name}?`}
        confirm_label="Delete document"
        onClose={() => setDeleting(false)}
        onConfirm={async () => {
          await api.send('DELETE', `/documents/${document.id}`)
          onClose()
          await refetch()
        }}
      >
        Agents no longer find it. This can’t be undone.
      </ConfirmDialog>
    </div>
  )
}

const sources: Record<Document['source'], string> = { text: 'Text', file: 'File', url: 'Web page' }

function Readers({ document }: { document: Document }) {
  const workspace = useWorkspaceId()
  const { data } = useQuery(readersQuery(useApi()))
  if (!data) return '…'
  const readers = data.filter(
    ({ knowledge }) =>
      knowledge?.document_ids?.includes(document.id) || knowledge?.tags?.some((tag) => document.tags.includes(tag)),
  )
  if (readers.length === 0) return 'No agent'
  return readers.map(({ id, name }) => (
    <Link key={id} to="/w/$workspace/agents/$id" params={{ workspace, id }} className={styles.reader}>
      {name}
    </Link>
  ))
}
