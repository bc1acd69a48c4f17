import { Button } from '@mantine/core'
import { useState } from 'react'
import type { Conversation } from '../../../server/conversations/schema.ts'
import { Dialog } from '../kit/Dialog.tsx'
import { formatPhoneNumber } from '../kit/phone-number.ts'
import { useCanEdit } from '../kit/session.ts'
import { isUnverified } from './conversation.ts'
import styles from './conversations.module.css'
import { LinkContactForm } from './LinkContactForm.tsx'

/** Asks whose number it is: a visitor can type any number in a web chat, so a person decides. */
export function UnverifiedNumber({ conversation }: { conversation: Conversation }) {
  const can_edit = useCanEdit()
  const [is_linking, setLinking] = useState(false)
  const close = () => setLinking(false)
  if (!isUnverified(conversation)) return null
  return (
    <div className={styles.unverified}>
      <span>Unverified number {formatPhoneNumber(conversation.counterpart ?? '')}</span>
      {can_edit && (
        <Button variant="default" size="xs" onClick={() => setLinking(true)}>
          Link to contact
        </Button>
      )}
      <Dialog is_open={is_linking} onClose={close} title="Link to contact">
        <LinkContactForm conversation={conversation} onClose={close} />
      </Dialog>
    </div>
  )
}
