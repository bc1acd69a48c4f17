import { Button, Menu } from '@mantine/core'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useNavigate, useParams } from '@tanstack/react-router'
import { useState } from 'react'
import type { ContactWithCrmIds } from '../../../server/contacts/schema.ts'
import { CallButton } from '../calls/CallButton.tsx'
import { ContactCampaigns } from '../campaigns/ContactCampaigns.tsx'
import { channelsQuery } from '../channels/channel.ts'
import { ConsentCard } from '../consent/ConsentCard.tsx'
import { useApi } from '../kit/api.ts'
import { Dialog } from '../kit/Dialog.tsx'
import { SmsIcon } from '../kit/icons.tsx'
import { MoreMenu } from '../kit/MoreMenu.tsx'
import { Card, Page, Stack } from '../kit/Page.tsx'
import { useCanEdit, useIsOwner } from '../kit/session.ts'
import { LoadError, LoadingSkeleton } from '../kit/states.tsx'
import { showError } from '../kit/toast.ts'
import { ContactDetails, DeleteContact } from './ContactDetails.tsx'
import { ContactForm } from './ContactForm.tsx'
import { contactQuery, contactTitle } from './contact.ts'
import styles from './contacts.module.css'
import { EraseContact } from './EraseContact.tsx'
import { canSendSms, SendSmsForm } from './SendSmsForm.tsx'
import { Timeline } from './Timeline.tsx'
import { useLiveContacts } from './useLiveContacts.ts'

/** Shows everything about one contact. */
export function ContactPage() {
  const api = useApi()
  const client = useQueryClient()
  const { id } = useParams({ from: '/w/$workspace/contacts/$id' })
  const { data: contact, error, refetch } = useQuery(contactQuery(api, id))
  const can_edit = useCanEdit()
  useLiveContacts(
    (events) =>
      (!events || events.some(({ type, resource_id }) => resource_id === id && type === 'contact.updated')) &&
      client.invalidateQueries({ queryKey: [api.workspace, 'contacts'] }),
  )
  return (
    <Page
      title={contact ? contactTitle(contact) : 'Contact'}
      actions={contact && can_edit && <Actions contact={contact} />}
    >
      {error && !contact && <LoadError error={error} retry={refetch} noun="Contact" />}
      {!contact && !error && <LoadingSkeleton lines={7} />}
      {contact && (
        <div className={styles.columns} key={id}>
          <Timeline contact={contact} />
          <Stack>
            <Details contact={contact} />
            {can_edit && <ConsentCard contact={contact} />}
            <ContactCampaigns contact_id={id} />
          </Stack>
        </div>
      )}
    </Page>
  )
}

function Actions({ contact }: { contact: ContactWithCrmIds }) {
  const api = useApi()
  const { workspace } = api
  const channels = useQuery(channelsQuery(api))
  const can_send = !channels.data || channels.data.data.some(canSendSms)
  const navigate = useNavigate()
  const [open, setOpen] = useState<'sms' | 'delete' | 'erase'>()
  const close = () => setOpen(undefined)
  const is_owner = useIsOwner()
  const toList = () => navigate({ to: '/w/$workspace/contacts', params: { workspace } })
  const downloading = useMutation({
    mutationFn: () => api.download(`/contacts/${contact.id}/everything`, {}),
    onError: showError,
  })
  return (
    <>
      <CallButton contact={contact} />
      <Button
        variant={can_send ? 'filled' : 'default'}
        leftSection={<SmsIcon size={17} />}
        onClick={() => setOpen('sms')}
      >
        Start SMS conversation
      </Button>
      <MoreMenu>
        {is_owner && <Menu.Item onClick={() => downloading.mutate()}>Download everything</Menu.Item>}
        <Menu.Item color="red" onClick={() => setOpen('delete')}>
          Delete
        </Menu.Item>
        {is_owner && (
          <Menu.Item color="red" onClick={() => setOpen('erase')}>
            Erase this person
          </Menu.Item>
        )}
      </MoreMenu>
      <Dialog is_open={open === 'sms'} onClose={close} title="Start SMS conversation">
        <SendSmsForm contact={contact} onClose={close} />
      </Dialog>
      <DeleteContact contact={contact} is_open={open === 'delete'} onClose={close} onDeleted={toList} />
      <EraseContact contact={contact} is_open={open === 'erase'} onClose={close} onErased={toList} />
    </>
  )
}

/** Shows the contact's fields. Editing replaces them by a form. */
function Details({ contact }: { contact: ContactWithCrmIds }) {
  const can_edit = useCanEdit()
  const [is_editing, setEditing] = useState(false)
  const stop = () => setEditing(false)
  const edit = can_edit && !is_editing && (
    <Button size="compact-xs" variant="subtle" onClick={() => setEditing(true)}>
      Edit
    </Button>
  )
  return (
    <Card title="Details" aside={edit}>
      {is_editing ? (
        <ContactForm contact={contact} onCancel={stop} onSaved={stop} />
      ) : (
        <ContactDetails contact={contact} is_page />
      )}
    </Card>
  )
}
