import { Button, Progress, TextInput } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import type { Contact } from '../../../server/contacts/schema.ts'
import { type Api, useApi } from '../kit/api.ts'
import { ConfirmDialog } from '../kit/ConfirmDialog.tsx'
import { Dialog } from '../kit/Dialog.tsx'
import { errorMessage } from '../kit/error-messages.ts'
import { formatCount } from '../kit/format.ts'
import { TagIcon, TrashIcon } from '../kit/icons.tsx'
import { ParleyError } from '../kit/request.ts'
import { type FailedItem, runConcurrently } from '../kit/run-concurrently.ts'
import { showError, showErrorMessage, showToast } from '../kit/toast.ts'
import { useUnsaved } from '../kit/unsaved.tsx'
import { contactTitle } from './contact.ts'
import styles from './contacts.module.css'
import { useRefreshContacts } from './useRefreshContacts.ts'

interface BulkActionsProps {
  selected: ReadonlyMap<string, Contact>
  /** Is called with the contacts that failed, which stay selected. */
  onDone: (failed: Contact[]) => void
}

type Verb = 'add' | 'remove' | 'delete'

/** Changes or deletes the selected contacts. */
export function BulkActions({ selected, onDone }: BulkActionsProps) {
  const api = useApi()
  const refresh = useRefreshContacts()
  const [open_dialog, setOpenDialog] = useState<Verb>()
  const [finished, setFinished] = useState(0)
  const contacts = [...selected.values()]
  const applying = useMutation({
    mutationFn: async ({ verb, tag = '' }: { verb: Verb; tag?: string }) => {
      setOpenDialog(undefined)
      setFinished(0)
      const failures = await runConcurrently(contacts, (contact) => applyTo(api, contact, verb, tag), setFinished)
      return { failures, count: contacts.length - failures.length }
    },
    onError: showError,
    onSuccess: async ({ failures, count }, { verb }) => {
      if (count > 0) showToast(`${formatCount(count, 'contact')} ${verb === 'delete' ? 'deleted' : 'updated'}.`)
      if (failures.length > 0) showErrorMessage(describeFailures(failures, verb))
      onDone(failures.map(({ item }) => item))
      await refresh()
    },
  })
  const count = formatCount(contacts.length, 'contact')
  return (
    <>
      {applying.isPending ? (
        <Progress
          className={styles.bulkProgress}
          value={(100 * finished) / contacts.length}
          aria-label={`${finished} of ${count} done`}
        />
      ) : (
        <>
          <Button size="xs" variant="default" leftSection={<TagIcon size={15} />} onClick={() => setOpenDialog('add')}>
            Add tag
          </Button>
          <Button size="xs" variant="default" onClick={() => setOpenDialog('remove')}>
            Remove tag
          </Button>
          <Button
            size="xs"
            variant="subtle"
            color="red"
            leftSection={<TrashIcon size={15} />}
            onClick={() => setOpenDialog('delete')}
          >
            Delete
          </Button>
        </>
      )}
      <TagDialog
        verb={open_dialog === 'add' || open_dialog === 'remove' ? open_dialog : undefined}
        count={count}
        onClose={() => setOpenDialog(undefined)}
        onTag={(verb, tag) => applying.mutate({ verb, tag })}
      />
      <ConfirmDialog
        is_open={open_dialog === 'delete'}
        title={`Delete ${count}?`}
        confirm_label={`Delete ${count}`}
        onClose={() => setOpenDialog(undefined)}
        onConfirm={async () => applying.mutate({ verb: 'delete' })}
      >
        This permanently deletes {count} and can’t be undone.
      </ConfirmDialog>
    </>
  )
}

interface TagDialogProps {
  verb: 'add' | 'remove' | undefined
  count: string
  onClose: () => void
  onTag: (verb: 'add' | 'remove', tag: string) => void
}

function TagDialog({ verb, count, onClose, onTag }: TagDialogProps) {
  const title = verb === 'remove' ? `Remove a tag from ${count}` : `Add a tag to ${count}`
  return (
    <Dialog is_open={verb !== undefined} onClose={onClose} title={title}>
      <TagForm label={verb === 'remove' ? 'Remove tag' : 'Add tag'} onTag={(tag) => verb && onTag(verb, tag)} />
    </Dialog>
  )
}

function TagForm({ label, onTag }: { label: string; onTag: (tag: string) => void }) {
  const [text, setText] = useState('')
  const tag = text.trim()
  const setSaved = useUnsaved(tag !== '')
  return (
    <form
      className={styles.form}
      onSubmit={(event) => {
        event.preventDefault()
        if (tag === '') return
        setSaved()
        onTag(tag)
      }}
    >
      <TextInput
        label="Tag"
        required
        maxLength={64}
        data-autofocus
        value={text}
        onChange={({ currentTarget }) => setText(currentTarget.value)}
      />
      <Button type="submit">{label}</Button>
    </form>
  )
}

const names_shown_max = 3

/** Names some contacts, and the reason of the first failure. */
function describeFailures(failures: FailedItem<Contact>[], verb: Verb): string {
  const names = failures.slice(0, names_shown_max).map(({ item }) => contactTitle(item))
  const more = failures.length - names.length
  const all = more > 0 ? `${names.join(', ')} and ${more} more` : names.join(', ')
  const what = `${verb === 'delete' ? 'delete' : 'update'} ${formatCount(failures.length, 'contact')}`
  return `Couldn’t ${what}: ${all}. ${errorMessage(failures[0]?.error)}`
}

async function applyTo(api: Api, { id }: Contact, verb: Verb, tag: string): Promise<unknown> {
  if (verb === 'delete') return await api.send('DELETE', `/contacts/${id}`).catch(ignoreNotFound)
  // Starts from the current tags: others may have changed them since the list was loaded.
  return await api.update<Contact>(`/contacts/${id}`, ({ tags }) => {
    const others = tags.filter((one) => one.toLowerCase() !== tag.toLowerCase())
    const has_tag = others.length < tags.length
    if (has_tag === (verb === 'add')) return undefined
    return { tags: verb === 'add' ? [...tags, tag] : others }
  })
}

/** Ignores that someone else has deleted the contact already. */
function ignoreNotFound(error: unknown): void {
  if (!(error instanceof ParleyError && error.status === 404)) throw error
}
