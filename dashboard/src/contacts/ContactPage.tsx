import { Button, Modal } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useNavigate, useParams } from '@tanstack/react-router'
import { useState } from 'react'
import type { ContactWithCrmIds } from '../../../server/contacts/schema.ts'
import { CallButton } from '../calls/CallButton.tsx'
import { ContactCampaigns } from '../campaigns/ContactCampaigns.tsx'
import { ConsentCard } from '../consent/ConsentCard.tsx'
import { useApi } from '../kit/api.ts'
import { SmsIcon } from '../kit/icons.tsx'
import { Card, Page, Stack } from '../kit/Page.tsx'
import { useCanEdit } from '../kit/session.ts'
import { LoadError, LoadingSkeleton } from '../kit/states.tsx'
import { ContactDetails } from './ContactDetails.tsx'
import { ContactForm } from './ContactForm.tsx'
import { contactName, contactQuery } from './contact.ts'
import styles from './contacts.module.css'
import { SendSmsForm } from './SendSmsForm.tsx'
import { Timeline } from './Timeline.tsx'

/** Everything about one contact. */
export function ContactPage() {
  const api = useApi()
  const { id } = useParams({ from: '/w/$workspace/contacts/$id' })
  const { data: contact, error, refetch } = useQuery(contactQuery(api, id))
  const can_edit = useCanEdit()
  const [is_sending, setSending] = useState(false)
  return (
    <Page
      title={contact ? contactName(contact) || contact.phone_number : 'Contact'}
      actions={
        contact &&
        can_edit && (
          <>
            <CallButton contact={contact} />
            <Button leftSection={<SmsIcon size={17} />} onClick={() => setSending(true)}>
              Send SMS
            </Button>
          </>
        )
      }
    >
      {error && <LoadError error={error} retry={refetch} noun="Contact" />}
      {!contact && !error && <LoadingSkeleton lines={7} />}
      {contact && (
        <div className={styles.columns} key={id}>
          <Details contact={contact} />
          <Stack>
            {can_edit && <ConsentCard contact={contact} />}
            <ContactCampaigns contact_id={id} />
            <Timeline contact={contact} />
          </Stack>
        </div>
      )}
      <Modal opened={is_sending} onClose={() => setSending(false)} title="Send SMS">
        {contact && <SendSmsForm contact={contact} onClose={() => setSending(false)} />}
      </Modal>
    </Page>
  )
}

function Details({ contact }: { contact: ContactWithCrmIds }) {
  const { workspace } = useApi()
  const navigate = useNavigate()
  const [is_editing, setEditing] = useState(false)
  const stop = () => setEditing(false)
  return (
    <Card title="Details">
      {is_editing ? (
        <ContactForm contact={contact} onCancel={stop} onSaved={stop} />
      ) : (
        <ContactDetails
          contact={contact}
          is_page
          onEdit={() => setEditing(true)}
          onDeleted={() => navigate({ to: '/w/$workspace/contacts', params: { workspace } })}
        />
      )}
    </Card>
  )
}
