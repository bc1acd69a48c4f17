import { Button } from '@mantine/core'
import { useState } from 'react'
import type { Contact } from '../../../server/contacts/schema.ts'
import { Dialog } from '../kit/Dialog.tsx'
import { PhoneIcon } from '../kit/icons.tsx'
import { NewCallForm } from './NewCallForm.tsx'

interface CallButtonProps {
  contact?: Contact
  agent_id?: string
  size?: 'xs' | 'sm'
}

/** Opens the form that places a call with the contact or by the agent. */
export function CallButton({ size = 'sm', ...given }: CallButtonProps) {
  const [is_open, setOpen] = useState(false)
  const close = () => setOpen(false)
  return (
    <>
      <Button
        variant="default"
        size={size}
        leftSection={<PhoneIcon size={size === 'xs' ? 15 : 17} />}
        onClick={() => setOpen(true)}
      >
        Call
      </Button>
      <Dialog is_open={is_open} onClose={close} title={given.agent_id ? 'Call with this agent' : 'Call this contact'}>
        <NewCallForm {...given} onClose={close} />
      </Dialog>
    </>
  )
}
