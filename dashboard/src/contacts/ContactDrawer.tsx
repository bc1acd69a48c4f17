import { Anchor, Button, Group } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { useApi } from '../kit/api.ts'
import { Drawer } from '../kit/Drawer.tsx'
import { useCanEdit } from '../kit/session.ts'
import { LoadError, LoadingSkeleton } from '../kit/states.tsx'
import { RoleRequired } from '../shell/RoleRequired.tsx'
import { ContactDetails, DeleteContact } from './ContactDetails.tsx'
import { ContactForm } from './ContactForm.tsx'
import { contactQuery, contactTitle } from './contact.ts'
import styles from './contacts.module.css'
import { useContactSearch } from './useContactSearch.ts'

export function ContactDrawer({ id, onClose }: { id: string | undefined; onClose: () => void }) {
  const api = useApi()
  const is_existing = id !== undefined && id !== 'new'
  const { data: contact } = useQuery({ ...contactQuery(api, id ?? ''), enabled: is_existing })
  const title = id === 'new' ? 'New contact' : contact ? contactTitle(contact) : 'Contact'
  const link = is_existing && (
    <Anchor
      renderRoot={(props) => (
        <Link to="/w/$workspace/contacts/$id" params={{ workspace: api.workspace, id }} {...props} />
      )}
    >
      Open page
    </Anchor>
  )
  return (
    <Drawer
      is_open={id !== undefined}
      label={id === 'new' ? 'New contact' : 'Contact'}
      title={title}
      link={link}
      onClose={onClose}
    >
      {id === 'new' ? <NewContact onClose={onClose} /> : id && <ExistingContact key={id} id={id} onClose={onClose} />}
    </Drawer>
  )
}

function NewContact({ onClose }: { onClose: () => void }) {
  const { change } = useContactSearch()
  if (!useCanEdit()) return <RoleRequired needed="member" />
  return <ContactForm onCancel={onClose} onSaved={({ id }) => change({ contact: id }, true)} />
}

function ExistingContact({ id, onClose }: { id: string; onClose: () => void }) {
  const { data: contact, error, refetch } = useQuery(contactQuery(useApi(), id))
  const can_edit = useCanEdit()
  const [is_editing, setEditing] = useState(false)
  const [is_deleting, setDeleting] = useState(false)
  const stop = () => setEditing(false)
  if (error && !contact) return <LoadError error={error} retry={refetch} noun="Contact" />
  if (!contact) return <LoadingSkeleton lines={7} />
  if (is_editing) return <ContactForm contact={contact} onCancel={stop} onSaved={stop} />
  return (
    <>
      <ContactDetails contact={contact} />
      {can_edit && (
        <Group className={styles.panelFoot}>
          <Button onClick={() => setEditing(true)} data-autofocus>
            Edit
          </Button>
          <Button variant="subtle" color="red" onClick={() => setDeleting(true)}>
            Delete
          </Button>
        </Group>
      )}
      <DeleteContact contact={contact} is_open={is_deleting} onClose={() => setDeleting(false)} onDeleted={onClose} />
    </>
  )
}
