import { Button } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import type { Contact } from '../../../server/contacts/schema.ts'
import { useApi } from '../kit/api.ts'
import { formatCount } from '../kit/format.ts'
import { UpIcon } from '../kit/icons.tsx'
import { contactListKey } from './contact.ts'
import styles from './contacts.module.css'
import { useContactSearch } from './useContactSearch.ts'
import { useLiveContacts } from './useLiveContacts.ts'

/** Someone who has scrolled further down than this reads rows that must not move. */
const top_px = 40

/** New contacts are counted up to this, as during an import. */
const counted_max = 999

/** Keeps the list up to date: at once at its top, and further down when the person asks for it. */
export function NewContacts({ shown = [] }: { shown?: Contact[] | undefined }) {
  const api = useApi()
  const client = useQueryClient()
  const { params, change } = useContactSearch()
  const [created, setCreated] = useState<string[]>([])
  const reload = () => {
    setCreated([])
    return client.invalidateQueries({ queryKey: contactListKey(api) })
  }
  useLiveContacts((events) => {
    const is_read = params.page !== undefined || params.sort !== undefined || scrollY > top_px
    if (!is_read) return reload()
    const ids = events?.filter(({ type }) => type === 'contact.created').map(({ resource_id }) => resource_id)
    if (ids) setCreated((before) => [...before, ...ids].slice(0, counted_max))
  })
  const count = created.filter((id) => !shown.some((contact) => contact.id === id)).length
  return (
    <div role="status" className={styles.new}>
      {count > 0 && (
        <Button
          size="xs"
          leftSection={<UpIcon size={14} />}
          onClick={() => {
            change({ page: undefined, sort: undefined })
            scrollTo(0, 0)
            void reload()
          }}
        >
          {formatCount(count, 'new contact')}
        </Button>
      )}
    </div>
  )
}
