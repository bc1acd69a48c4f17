import { Anchor, Badge, Button, Group } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { type ReactNode, useState } from 'react'
import type { ContactWithCrmIds } from '../../../server/contacts/schema.ts'
import { useApi } from '../kit/api.ts'
import { ConfirmDialog } from '../kit/ConfirmDialog.tsx'
import { formatTime } from '../kit/format.ts'
import { RelativeTime } from '../kit/RelativeTime.tsx'
import { useCanEdit } from '../kit/session.ts'
import { showToast } from '../kit/toast.ts'
import { contactName } from './contact.ts'
import styles from './contacts.module.css'
import { crmName } from './crm.ts'
import { formatCustomField, sortedFields } from './custom-fields.ts'
import { source_names } from './search.ts'
import { useRefreshContacts } from './useRefreshContacts.ts'

interface ContactDetailsProps {
  contact: ContactWithCrmIds
  onEdit: () => void
  /** The page that shows the contact is left before it is read again. */
  onDeleted: () => unknown
  /** On the contact's page, else in the drawer. The page leaves out empty fields, because it shows more than these. */
  is_page?: boolean
}

export function ContactDetails({ contact, onEdit, onDeleted, is_page = false }: ContactDetailsProps) {
  const api = useApi()
  const refresh = useRefreshContacts()
  const can_edit = useCanEdit()
  const [is_confirming, setConfirming] = useState(false)
  const remove = async () => {
    await api.send('DELETE', `/contacts/${contact.id}`)
    await onDeleted()
    await refresh()
    showToast('Contact deleted.')
  }
  const { first_name, last_name, email, company, time_zone, notes, tags, custom_fields, crm_ids } = contact
  return (
    <>
      <dl className={styles.details} data-hides-unset={is_page}>
        <Detail name="Phone number">
          <span className={styles.phone}>{contact.phone_number}</span>
        </Detail>
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
            <RelativeTime time={contact.first_contact_at} />
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
          {!is_page && (
            <>
              {' · '}
              <Anchor
                fz="inherit"
                renderRoot={(props) => (
                  <Link
                    to="/w/$workspace/contacts/$id"
                    params={{ workspace: api.workspace, id: contact.id }}
                    {...props}
                  />
                )}
              >
                Open page
              </Anchor>
            </>
          )}
        </Detail>
        <Detail name="Created">{formatTime(contact.created_at)}</Detail>
        <Detail name="Updated">{formatTime(contact.updated_at)}</Detail>
        <Detail name="ID">
          <code className={styles.id}>{contact.id}</code>
        </Detail>
      </dl>
      {can_edit && (
        <Group className={styles.panelFoot}>
          <Button onClick={onEdit} data-autofocus>
            Edit
          </Button>
          <Button variant="subtle" color="red" onClick={() => setConfirming(true)}>
            Delete
          </Button>
        </Group>
      )}
      <ConfirmDialog
        is_open={is_confirming}
        title="Delete this contact?"
        confirm_label="Delete contact"
        onClose={() => setConfirming(false)}
        onConfirm={remove}
      >
        This permanently deletes {contactName(contact) || contact.phone_number} and can’t be undone.
      </ConfirmDialog>
    </>
  )
}

const Detail = ({ name, children }: { name: string; children: ReactNode }) => (
  <div data-unset={!children}>
    <dt>{name}</dt>
    <dd>{children || <span className={styles.unset}>Not set</span>}</dd>
  </div>
)
