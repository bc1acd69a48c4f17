import { Badge, Button, Checkbox, UnstyledButton } from '@mantine/core'
import { useMemo } from 'react'
import type { Contact } from '../../../server/contacts/schema.ts'
import { type Column, DataTable } from '../kit/DataTable.tsx'
import { DownIcon, PeopleIcon, SortIcon, UpIcon } from '../kit/icons.tsx'
import { RelativeTime } from '../kit/RelativeTime.tsx'
import { EmptyState } from '../kit/states.tsx'
import { contactName } from './contact.ts'
import styles from './contacts.module.css'
import { source_names } from './search.ts'
import { useContactSearch } from './useContactSearch.ts'

type Selection = ReadonlyMap<string, Contact>

interface ContactTableProps {
  contacts: Contact[] | undefined
  is_stale: boolean
  selected: Selection
  /** Undefined: without checkboxes. */
  onSelect: ((selected: Selection) => void) | undefined
}

const tags_shown_max = 3

export function ContactTable({ contacts, is_stale, selected, onSelect }: ContactTableProps) {
  const { params, change } = useContactSearch()
  const columns = useMemo(() => buildColumns(contacts ?? [], selected, onSelect), [contacts, selected, onSelect])
  const sort = params.sort ?? '-created_at'
  const is_filtered = Boolean(params.search || params.tag || params.source)
  return (
    <DataTable
      label="Contacts"
      columns={columns}
      rows={contacts}
      getRowId={({ id }) => id}
      is_stale={is_stale}
      isHighlighted={({ id }) => selected.has(id) || id === params.contact}
      onOpen={({ id }) => change({ contact: id })}
      sorted={{ [sort.replace('-', '')]: sort.startsWith('-') ? 'descending' : 'ascending' }}
      empty={
        <EmptyState
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
            : onSelect && 'Add a contact, import a CSV file or use the API.'}
        </EmptyState>
      }
    />
  )
}

function buildColumns(
  contacts: Contact[],
  selected: Selection,
  onSelect: ContactTableProps['onSelect'],
): Column<Contact>[] {
  return onSelect ? [selectionColumn(contacts, selected, onSelect), ...columns] : columns
}

function selectionColumn(
  contacts: Contact[],
  selected: Selection,
  onSelect: (selected: Selection) => void,
): Column<Contact> {
  const select = (changed: Contact[], is_selected: boolean) => {
    const next = new Map(selected)
    for (const contact of changed) is_selected ? next.set(contact.id, contact) : next.delete(contact.id)
    onSelect(next)
  }
  const are_all_selected = contacts.length > 0 && contacts.every(({ id }) => selected.has(id))
  return {
    id: 'select',
    meta: { is_narrow: true },
    header: () => (
      <Checkbox
        size="xs"
        aria-label="Select all on this page"
        checked={are_all_selected}
        indeterminate={selected.size > 0 && !are_all_selected}
        onChange={({ currentTarget }) => select(contacts, currentTarget.checked)}
      />
    ),
    cell: ({ row: { original } }) => (
      <Checkbox
        size="xs"
        aria-label={`Select ${contactName(original) || original.phone_number}`}
        checked={selected.has(original.id)}
        onChange={({ currentTarget }) => select([original], currentTarget.checked)}
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
    header: () => <SortButton column="last_contact_at" name="Last contact" />,
    cell: ({ row }) => <RelativeTime time={row.original.last_contact_at} />,
  },
  {
    id: 'created_at',
    header: () => <SortButton column="created_at" name="Created" />,
    cell: ({ row }) => <RelativeTime time={row.original.created_at} />,
  },
]

function Name({ contact }: { contact: Contact }) {
  const { change } = useContactSearch()
  const name = contactName(contact)
  return (
    <UnstyledButton className={styles.name} onClick={() => change({ contact: contact.id })}>
      <span className={styles.nameText}>{name || contact.phone_number}</span>
      <span className={styles.nameMore}>{contact.company || contact.email || (name ? '' : 'No name')}</span>
      <span className={styles.nameOnPhone}>{name ? contact.phone_number : ''}</span>
    </UnstyledButton>
  )
}

function Tags({ tags }: { tags: string[] }) {
  const more = tags.length - tags_shown_max
  return (
    <span className={styles.tags}>
      {tags.slice(0, tags_shown_max).map((tag) => (
        <Badge key={tag} variant="default" tt="none" fw={500}>
          {tag}
        </Badge>
      ))}
      {more > 0 && <span title={tags.slice(tags_shown_max).join(', ')}>+{more}</span>}
    </span>
  )
}

function SortButton({ column, name }: { column: string; name: string }) {
  const { params, change } = useContactSearch()
  const sort = params.sort ?? '-created_at'
  const is_descending = sort === `-${column}`
  const Icon = is_descending ? DownIcon : sort === column ? UpIcon : SortIcon
  return (
    <UnstyledButton className={styles.sorter} onClick={() => change({ sort: is_descending ? column : `-${column}` })}>
      {name}
      <Icon size={14} />
    </UnstyledButton>
  )
}
