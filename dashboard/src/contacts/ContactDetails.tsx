import { Anchor, Badge } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import type { ContactWithCrmIds } from '../../../server/contacts/schema.ts'
import { useCallList } from '../conversations/useTalks.ts'
import { useApi } from '../kit/api.ts'
import { ConfirmDialog } from '../kit/ConfirmDialog.tsx'
import { formatTime } from '../kit/format.ts'
import { rowsOf } from '../kit/merged-lists.ts'
import { formatPhoneNumber } from '../kit/phone-number.ts'
import { RelativeTime } from '../kit/RelativeTime.tsx'
import { showToast } from '../kit/toast.ts'
import { contactTitle } from './contact.ts'
import styles from './contacts.module.css'
import { crmName } from './crm.ts'
import { formatCustomField, sortedFields } from './custom-fields.ts'
import { source_names } from './search.ts'
import { useRefreshContacts } from './useRefreshContacts.ts'
import { timeline_page_size } from './useTimeline.ts'

interface ContactDetailsProps {
  contact: ContactWithCrmIds
  /**
   * Whether the details are on the contact's page, and not in the drawer. The page leaves out empty fields, because it
   * shows more than these.
   */
  is_page?: boolean
}

export function ContactDetails({ contact, is_page = false }: ContactDetailsProps) {
  const api = useApi()
  const { first_name, last_name, email, company, time_zone, notes, tags, custom_fields, crm_ids } = contact
  return (
    <dl className={styles.details} data-hides-unset={is_page}>
      <Detail name="Phone number">{formatPhoneNumber(contact.phone_number)}</Detail>
      <Detail name="First name">{first_name}</Detail>
      <Detail name="Last name">{last_name}</Detail>
      <Detail name="Email">{email}</Detail>
      <Detail name="Company">{company}</Detail>
      <Detail name="Time zone">{time_zone}</Detail>
      <Detail name="Tags">
        {tags.length > 0 && (
          <span className={styles.tags}>
            {tags.map((tag) => (
              <Badge key={tag} variant="default" tt="none" fw={500}>
                {tag}
              </Badge>
            ))}
          </span>
        )}
      </Detail>
      <Detail name="Notes">{notes && <span className={styles.notes}>{notes}</span>}</Detail>
      {sortedFields(custom_fields).map(([name, value]) => (
        <Detail key={name} name={name}>
          {formatCustomField(value)}
        </Detail>
      ))}
      <Detail name="Source">{source_names[contact.source]}</Detail>
      {Object.entries(crm_ids).map(([system, id]) => (
        <Detail key={system} name={`${crmName(system)} ID`}>
          {id}
        </Detail>
      ))}
      {is_page && (
        <Detail name="First contact">
          <FirstContact contact={contact} />
        </Detail>
      )}
      <Detail name="Last contact">
        <RelativeTime time={contact.last_contact_at} />
      </Detail>
      <Detail name="Conversations">
        <Anchor
          fz="inherit"
          renderRoot={(props) => (
            <Link
              to="/w/$workspace/conversations"
              params={{ workspace: api.workspace }}
              search={{ contact_id: contact.id }}
              {...props}
            />
          )}
        >
          Show conversations
        </Anchor>
      </Detail>
      <Detail name="Created">{formatTime(contact.created_at)}</Detail>
      <Detail name="Updated">{formatTime(contact.updated_at)}</Detail>
      <Detail name="ID">
        <code className={styles.id}>{contact.id}</code>
      </Detail>
    </dl>
  )
}

/**
 * Shows when the contact was first reached. Calls with simulated people, and those that tried the agent, don't count.
 */
function FirstContact({ contact: { id, first_contact_at } }: { contact: ContactWithCrmIds }) {
  const calls = rowsOf(useCallList({ contact_id: id, limit: timeline_page_size }))
  if (!first_contact_at && calls.some(({ is_test }) => is_test)) return 'Never: simulated calls don’t count'
  return <RelativeTime time={first_contact_at} />
}

const Detail = ({ name, children }: { name: string; children: ReactNode }) => (
  <div data-unset={!children}>
    <dt>{name}</dt>
    <dd>{children || <span className={styles.unset}>Not set</span>}</dd>
  </div>
)

interface DeleteContactProps {
  contact: ContactWithCrmIds
  is_open: boolean
  onClose: () => void
  /** Leaves the page that shows the contact, before the contact is read again. */
  onDeleted: () => unknown
}

export function DeleteContact({ contact, is_open, onClose, onDeleted }: DeleteContactProps) {
  const api = useApi()
  const refresh = useRefreshContacts()
  const remove = async () => {
    await api.send('DELETE', `/contacts/${contact.id}`)
    await onDeleted()
    await refresh()
    showToast('Contact deleted.')
  }
  return (
    <ConfirmDialog
      is_open={is_open}
      title="Delete this contact?"
      confirm_label="Delete contact"
      onClose={onClose}
      onConfirm={remove}
    >
      This permanently deletes {contactTitle(contact)} and can’t be undone.
    </ConfirmDialog>
  )
}
