import { Button, Modal, Progress, TextInput } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import type { Contact } from '../../../server/contacts/schema.ts'
import { type Api, useApi } from '../kit/api.ts'
import { Ask } from '../kit/ConfirmDialog.tsx'
import { sayOf } from '../kit/error-messages.ts'
import { TagIcon, TrashIcon } from '../kit/icons.tsx'
import { sayCount } from '../kit/RelativeTime.tsx'
import { Problem } from '../kit/request.ts'
import { eachOf, type Failed } from '../kit/run-concurrently.ts'
import { tell, tellFailure, tellProblem } from '../kit/toast.ts'
import { nameOf } from './contact.ts'
import styles from './contacts.module.css'
import { useStale } from './useRefreshContacts.ts'

interface BulkBarProps {
  ticked: ReadonlyMap<string, Contact>
  /** With those for which it failed. */
  onDone: (failed: Contact[]) => void
}

type Verb = 'add' | 'remove' | 'delete'

/** What can be done with those that are ticked: through the public API, a few at a time. */
export function BulkBar({ ticked, onDone }: BulkBarProps) {
  const api = useApi()
  const refresh = useStale()
  const [asked, setAsked] = useState<Verb>()
  const [done, setDone] = useState(0)
  const contacts = [...ticked.values()]
  const doing = useMutation({
    mutationFn: async ({ verb, tag = '' }: { verb: Verb; tag?: string }) => {
      setAsked(undefined)
      setDone(0)
      return await eachOf(contacts, (contact) => carryOut(api, contact, verb, tag), setDone)
    },
    onError: tellProblem,
    onSuccess: async (failures, { verb }) => {
      const count = contacts.length - failures.length
      if (count > 0) tell(`${sayCount(count, 'contact')} ${verb === 'delete' ? 'deleted' : 'updated'}.`)
      if (failures.length > 0) tellFailure(sayFailures(failures, verb))
      onDone(failures.map(({ item }) => item))
      await refresh()
    },
  })
  const count = sayCount(contacts.length, 'contact')
  return (
    <section className={styles.bulk} aria-label="Selected contacts">
      <strong>{sayCount(contacts.length, 'contact')} selected</strong>
      {doing.isPending ? (
        <Progress
          className={styles.bulkProgress}
          value={(100 * done) / contacts.length}
          aria-label={`${done} of ${count} done`}
        />
      ) : (
        <>
          <Button size="xs" variant="default" leftSection={<TagIcon size={15} />} onClick={() => setAsked('add')}>
            Add tag
          </Button>
          <Button size="xs" variant="default" onClick={() => setAsked('remove')}>
            Remove tag
          </Button>
          <Button
            size="xs"
            variant="subtle"
            color="red"
            leftSection={<TrashIcon size={15} />}
            onClick={() => setAsked('delete')}
          >
            Delete
          </Button>
          <Button size="xs" variant="subtle" color="gray" onClick={() => onDone([])}>
            Clear selection
          </Button>
        </>
      )}
      <AskTag
        verb={asked === 'add' || asked === 'remove' ? asked : undefined}
        count={count}
        onClose={() => setAsked(undefined)}
        onTag={(verb, tag) => doing.mutate({ verb, tag })}
      />
      <Ask
        is_open={asked === 'delete'}
        title={`Delete ${count}?`}
        answer={`Delete ${count}`}
        onClose={() => setAsked(undefined)}
        onYes={async () => doing.mutate({ verb: 'delete' })}
      >
        This permanently deletes {count} and can’t be undone.
      </Ask>
    </section>
  )
}

interface AskTagProps {
  verb: 'add' | 'remove' | undefined
  count: string
  onClose: () => void
  onTag: (verb: 'add' | 'remove', tag: string) => void
}

function AskTag({ verb, count, onClose, onTag }: AskTagProps) {
  const title = verb === 'remove' ? `Remove a tag from ${count}` : `Add a tag to ${count}`
  return (
    <Modal opened={verb !== undefined} onClose={onClose} title={title} closeButtonProps={{ 'aria-label': 'Close' }}>
      <form
        className={styles.form}
        onSubmit={(event) => {
          event.preventDefault()
          const tag = String(new FormData(event.currentTarget).get('tag') ?? '').trim()
          if (verb && tag) onTag(verb, tag)
        }}
      >
        <TextInput name="tag" label="Tag" required maxLength={64} data-autofocus />
        <Button type="submit">{verb === 'remove' ? 'Remove tag' : 'Add tag'}</Button>
      </form>
    </Modal>
  )
}

const names_told_max = 3

/** Which failed, and the reason of the first. */
function sayFailures(failures: Failed<Contact>[], verb: Verb): string {
  const names = failures.slice(0, names_told_max).map(({ item }) => nameOf(item) || item.phone_number)
  const more = failures.length - names.length
  const all = more > 0 ? `${names.join(', ')} and ${more} more` : names.join(', ')
  const what = `${verb === 'delete' ? 'delete' : 'update'} ${sayCount(failures.length, 'contact')}`
  return `Couldn’t ${what}: ${all}. ${sayOf(failures[0]?.error)}`
}

async function carryOut(api: Api, { id }: Contact, verb: Verb, tag: string): Promise<unknown> {
  if (verb === 'delete') return await api.send('DELETE', `/contacts/${id}`).catch(unlessGone)
  // From the tags as they are now: others may have changed them since the list was read.
  return await api.change<Contact>(`/contacts/${id}`, ({ tags }) => {
    const others = tags.filter((one) => one.toLowerCase() !== tag.toLowerCase())
    const has_tag = others.length < tags.length
    if (has_tag === (verb === 'add')) return undefined
    return { tags: verb === 'add' ? [...tags, tag] : others }
  })
}

/** Someone else has deleted it meanwhile: that was the wish. */
function unlessGone(error: unknown): void {
  if (!(error instanceof Problem && error.status === 404)) throw error
}
