import { Drawer } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useApi } from '../kit/api.ts'
import { useCanEdit } from '../kit/session.ts'
import { LoadError, LoadingSkeleton } from '../kit/states.tsx'
import { RoleRequired } from '../shell/RoleRequired.tsx'
import { ContactDetails } from './ContactDetails.tsx'
import { ContactForm } from './ContactForm.tsx'
import { contactName, contactQuery } from './contact.ts'
import { useContactSearch } from './useContactSearch.ts'

export function ContactDrawer({ id, onClose }: { id: string | undefined; onClose: () => void }) {
  return (
    <Drawer.Root
      opened={id !== undefined}
      onClose={onClose}
      position="right"
      size={480}
      lockScroll={false}
      padding="lg"
    >
      <Drawer.Overlay backgroundOpacity={0.25} />
      <Drawer.Content aria-label={id === 'new' ? 'New contact' : 'Contact'}>
        {id === 'new' ? <NewContact onClose={onClose} /> : id && <ExistingContact key={id} id={id} onClose={onClose} />}
      </Drawer.Content>
    </Drawer.Root>
  )
}

function NewContact({ onClose }: { onClose: () => void }) {
  const { change } = useContactSearch()
  const can_edit = useCanEdit()
  return (
    <>
      <Head title="New contact" />
      <Drawer.Body>
        {can_edit ? (
          <ContactForm onCancel={onClose} onSaved={({ id }) => change({ contact: id }, true)} />
        ) : (
          <RoleRequired needed="member" />
        )}
      </Drawer.Body>
    </>
  )
}

function ExistingContact({ id, onClose }: { id: string; onClose: () => void }) {
  const api = useApi()
  const { data: contact, error, refetch } = useQuery(contactQuery(api, id))
  const [is_editing, setEditing] = useState(false)
  const stop = () => setEditing(false)
  return (
    <>
      <Head title={contact ? contactName(contact) || contact.phone_number : 'Contact'} />
      <Drawer.Body>
        {error && <LoadError error={error} retry={refetch} noun="Contact" />}
        {!contact && !error && <LoadingSkeleton lines={7} />}
        {contact && is_editing && <ContactForm contact={contact} onCancel={stop} onSaved={stop} />}
        {contact && !is_editing && (
          <ContactDetails contact={contact} onEdit={() => setEditing(true)} onDeleted={onClose} />
        )}
      </Drawer.Body>
    </>
  )
}

const Head = ({ title }: { title: string }) => (
  <Drawer.Header>
    <Drawer.Title>{title}</Drawer.Title>
    <Drawer.CloseButton aria-label="Close" />
  </Drawer.Header>
)
