import type { ContactWithCrmIds } from '../../../server/contacts/schema.ts'
import { useApi } from '../kit/api.ts'
import { ConfirmDialog } from '../kit/ConfirmDialog.tsx'
import { showToast } from '../kit/toast.ts'
import { contactTitle } from './contact.ts'
import { useRefreshContacts } from './useRefreshContacts.ts'

interface EraseContactProps {
  contact: ContactWithCrmIds
  is_open: boolean
  onClose: () => void
  /** Leaves the page of the contact. */
  onErased: () => unknown
}

/** Asks before a contact is erased. Erasing goes on in the background, and the contact goes last. */
export function EraseContact({ contact, is_open, onClose, onErased }: EraseContactProps) {
  const api = useApi()
  const refresh = useRefreshContacts()
  const erase = async () => {
    await api.send('POST', `/contacts/${contact.id}/erase`)
    await onErased()
    await refresh()
    showToast('The person is being erased. The contact goes last.')
  }
  return (
    <ConfirmDialog
      is_open={is_open}
      title="Erase this person?"
      confirm_label="Erase person"
      onClose={onClose}
      onConfirm={erase}
    >
      This ends what is going on with {contactTitle(contact)}, and erases all conversations, calls, recordings, text
      messages, events and imported rows of this person and number, and then the contact. An opt-out still holds,
      without the number. This can’t be undone.
    </ConfirmDialog>
  )
}
