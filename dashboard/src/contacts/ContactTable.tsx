import { Badge, Button, Checkbox, UnstyledButton } from '@mantine/core'
import { useMemo } from 'react'
import type { Contact } from '../../../server/contacts/schema.ts'
import { type Column, DataTable } from '../kit/DataTable.tsx'
import { DownIcon, PeopleIcon, SortIcon, UpIcon } from '../kit/icons.tsx'
import { Ago } from '../kit/RelativeTime.tsx'
import { Empty } from '../kit/states.tsx'
import { nameOf } from './contact.ts'
import styles from './contacts.module.css'
import { source_names } from './search.ts'
import { useContactSearch } from './useContactSearch.ts'

type Ticked = ReadonlyMap<string, Contact>

interface ContactTableProps {
  contacts: Contact[] | undefined
  is_stale: boolean
  ticked: Ticked
  /** Undefined: they can't be chosen. */
  onTick: ((ticked: Ticked) => void) | undefined
}

const tags_shown = 3

export function ContactTable({ contacts, is_stale, ticked, onTick }: ContactTableProps) {
  const { said, change } = useContactSearch()
  const columns = useMemo(() => columnsOf(contacts ?? [], ticked, onTick), [contacts, ticked, onTick])
  const sort = said.sort ?? '-created_at'
  const is_filtered = Boolean(said.search || said.tag || said.source)
  return (
    <DataTable
      label="Contacts"
      columns={columns}
      rows={contacts}
      idOf={({ id }) => id}
      is_stale={is_stale}
      isMarked={({ id }) => ticked.has(id) || id === said.contact}
      onOpen={({ id }) => change({ contact: id })}
      sorted={{ [sort.replace('-', '')]: sort.startsWith('-') ? 'descending' : 'ascending' }}
      empty={
        <Empty
          icon={<PeopleIcon size={24} />}
          title={is_filtered ? 'No results' : 'No contacts yet'}
          action={
            is_filtered && (
              <Button
                variant="default"
                onClick={() => change({ search: undefined, tag: undefined, source: undefined })}
              >
                Clear filters
              </Button>
            )
          }
        >
          {is_filtered
            ? 'Try a shorter search or remove a filter.'
            : onTick && 'Add a contact, import a CSV file or use the API.'}
        </Empty>
      }
    />
  )
}

function columnsOf(contacts: Contact[], ticked: Ticked, onTick: ContactTableProps['onTick']): Column<Contact>[] {
  return onTick ? [tickColumn(contacts, ticked, onTick), ...columns] : columns
}

function tickColumn(contacts: Contact[], ticked: Ticked, onTick: (ticked: Ticked) => void): Column<Contact> {
  const tick = (changed: Contact[], is_ticked: boolean) => {
    const next = new Map(ticked)
    for (const contact of changed) is_ticked ? next.set(contact.id, contact) : next.delete(contact.id)
    onTick(next)
  }
  const are_all = contacts.length > 0 && contacts.every(({ id }) => ticked.has(id))
  return {
    id: 'tick',
    meta: { is_narrow: true },
    header: () => (
      <Checkbox
        size="xs"
        aria-label="Select all on this page"
        checked={are_all}
        indeterminate={ticked.size > 0 && !are_all}
        onChange={({ currentTarget }) => tick(contacts, currentTarget.checked)}
      />
    ),
    cell: ({ row: { original } }) => (
      <Checkbox
        size="xs"
        aria-label={`Select ${nameOf(original) || original.phone_number}`}
        checked={ticked.has(original.id)}
        onChange={({ currentTarget }) => tick([original], currentTarget.checked)}
      />
    ),
  }
}

const columns: Column<Contact>[] = [
  { id: 'name', header: 'Name', cell: ({ row }) => <Name contact={row.original} /> },
  {
    id: 'phone_number',
    header: 'Phone number',
    meta: { is_hidden_on_phone: true },
    cell: ({ row }) => <span className={styles.phone}>{row.original.phone_number}</span>,
  },
  {
    id: 'tags',
    header: 'Tags',
    meta: { is_hidden_on_phone: true },
    cell: ({ row }) => <Tags tags={row.original.tags} />,
  },
  {
    id: 'source',
    header: 'Source',
    meta: { is_hidden_on_phone: true },
    cell: ({ row }) => source_names[row.original.source],
  },
  {
    id: 'last_contact_at',
    meta: { is_hidden_on_phone: true },
    header: () => <Sorter column="last_contact_at" name="Last contact" />,
    cell: ({ row }) => <Ago time={row.original.last_contact_at} />,
  },
  {
    id: 'created_at',
    header: () => <Sorter column="created_at" name="Created" />,
    cell: ({ row }) => <Ago time={row.original.created_at} />,
  },
]

function Name({ contact }: { contact: Contact }) {
  const { change } = useContactSearch()
  const name = nameOf(contact)
  return (
    <UnstyledButton className={styles.name} onClick={() => change({ contact: contact.id })}>
      <span className={styles.nameText}>{name || contact.phone_number}</span>
      <span className={styles.nameMore}>{contact.company || contact.email || (name ? '' : 'No name')}</span>
      <span className={styles.nameOnPhone}>{name ? contact.phone_number : ''}</span>
    </UnstyledButton>
  )
}

function Tags({ tags }: { tags: string[] }) {
  const more = tags.length - tags_shown
  return (
    <span className={styles.tags}>
      {tags.slice(0, tags_shown).map((tag) => (
        <Badge key={tag} variant="default" tt="none" fw={500}>
          {tag}
        </Badge>
      ))}
      {more > 0 && <span title={tags.slice(tags_shown).join(', ')}>+{more}</span>}
    </span>
  )
}

function Sorter({ column, name }: { column: string; name: string }) {
  const { said, change } = useContactSearch()
  const sort = said.sort ?? '-created_at'
  const is_descending = sort === `-${column}`
  const Icon = is_descending ? DownIcon : sort === column ? UpIcon : SortIcon
  return (
    <UnstyledButton className={styles.sorter} onClick={() => change({ sort: is_descending ? column : `-${column}` })}>
      {name}
      <Icon size={14} />
    </UnstyledButton>
  )
}
