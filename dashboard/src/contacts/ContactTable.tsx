import { Badge, Button } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import type { Contact } from '../../../server/contacts/schema.ts'
import { useWorkspaceId } from '../kit/api.ts'
import { PeopleIcon } from '../kit/icons.tsx'
import { formatPhoneNumber } from '../kit/phone-number.ts'
import { RelativeTime } from '../kit/RelativeTime.tsx'
import { EmptyState } from '../kit/states.tsx'
import { type Column, type Selection, Table } from '../kit/Table.tsx'
import { contactName } from './contact.ts'
import styles from './contacts.module.css'
import { source_names } from './search.ts'
import { useContactSearch } from './useContactSearch.ts'

interface ContactTableProps {
  contacts: Contact[] | undefined
  is_stale: boolean
  /** The selected rows. Without it, rows have no checkboxes. */
  selection: Selection<Contact> | undefined
}

const tags_shown_max = 3

export function ContactTable({ contacts, is_stale, selection }: ContactTableProps) {
  const { params, change } = useContactSearch()
  const is_filtered = Boolean(params.search || params.tag || params.source)
  return (
    <Table
      label="Contacts"
      remember_as="contacts"
      columns={columns}
      rows={contacts}
      getRowId={({ id }) => id}
      is_stale={is_stale}
      isHighlighted={({ id }) => id === params.contact}
      sort={params.sort ?? '-created_at'}
      onSort={(sort) => change({ sort })}
      selection={selection}
      empty={
        <EmptyState
          icon={<PeopleIcon size={20} />}
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
            : selection && 'Add a contact, import a CSV file or use the API.'}
        </EmptyState>
      }
    />
  )
}

const time_width = '110px'

const columns: Column<Contact>[] = [
  { id: 'name', name: 'Name', width: 'minmax(0, 1.4fr)', cell: (contact) => <Name contact={contact} /> },
  {
    id: 'phone_number',
    name: 'Phone',
    width: '140px',
    is_hidden_on_phone: true,
    cell: ({ phone_number }) => formatPhoneNumber(phone_number),
  },
  { id: 'company', name: 'Company', is_hidden_on_phone: true, cell: ({ company }) => company },
  { id: 'email', name: 'Email', is_hidden_on_phone: true, is_extra: true, cell: ({ email }) => email },
  {
    id: 'tags',
    name: 'Tags',
    is_hidden_on_phone: true,
    width: 'minmax(0, 1.2fr)',
    cell: ({ tags }) => <Tags tags={tags} />,
  },
  {
    id: 'source',
    name: 'Source',
    width: '80px',
    is_hidden_on_phone: true,
    is_extra: true,
    cell: ({ source }) => source_names[source],
  },
  {
    id: 'last_contact_at',
    name: 'Last contact',
    width: time_width,
    is_sortable: true,
    is_hidden_on_phone: true,
    cell: ({ last_contact_at }) => <RelativeTime time={last_contact_at} />,
  },
  {
    id: 'created_at',
    name: 'Created',
    width: time_width,
    is_sortable: true,
    cell: ({ created_at }) => <RelativeTime time={created_at} />,
  },
]

/** The name, which opens the drawer. */
function Name({ contact }: { contact: Contact }) {
  const workspace = useWorkspaceId()
  const name = contactName(contact)
  const phone_number = formatPhoneNumber(contact.phone_number)
  return (
    <div className={styles.name}>
      <Link
        to="/w/$workspace/contacts"
        params={{ workspace }}
        search={(before) => ({ ...before, contact: contact.id })}
        resetScroll={false}
      >
        {name || phone_number}
      </Link>
      <span className={styles.nameOnPhone}>{name ? phone_number : ''}</span>
    </div>
  )
}

function Tags({ tags }: { tags: string[] }) {
  const more = tags.length - tags_shown_max
  return (
    <span className={styles.tags}>
      {tags.slice(0, tags_shown_max).map((tag) => (
        <Badge key={tag} variant="light" color="gray" size="sm" radius="sm">
          {tag}
        </Badge>
      ))}
      {more > 0 && <span title={tags.slice(tags_shown_max).join(', ')}>+{more}</span>}
    </span>
  )
}
