import { Text } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import type { Member, PasswordLink } from '../../../server/people/schema.ts'
import { useWorkspaceId } from '../kit/api.ts'
import { Dialog, FormButtons } from '../kit/Dialog.tsx'
import { errorMessage } from '../kit/error-messages.ts'
import { createClient } from '../kit/request.ts'
import { ErrorAlert } from '../kit/states.tsx'
import { NewLink } from './NewLink.tsx'
import styles from './settings.module.css'

interface PasswordLinkDialogProps {
  member: Member
  is_open: boolean
  onClose: () => void
}

export function PasswordLinkDialog({ member, is_open, onClose }: PasswordLinkDialogProps) {
  return (
    <Dialog is_open={is_open} onClose={onClose} title="Create a password link?">
      <PasswordLinkForm member={member} onClose={onClose} />
    </Dialog>
  )
}

function PasswordLinkForm({ member, onClose }: Omit<PasswordLinkDialogProps, 'is_open'>) {
  const workspace = useWorkspaceId()
  const creating = useMutation({
    mutationFn: () =>
      createClient(workspace).send<PasswordLink>('POST', `/app/members/${member.person_id}/password_link`),
  })
  if (creating.data) return <NewLink link={creating.data.link} onClose={onClose} />
  return (
    <div className={styles.form}>
      {creating.error && <ErrorAlert>{errorMessage(creating.error)}</ErrorAlert>}
      <Text>
        {member.name} sets a new password with it and is signed out everywhere. It works once, for an hour. Send it only
        to {member.email}: whoever has it can sign in as {member.name}.
      </Text>
      <FormButtons
        label="Create link"
        is_pending={creating.isPending}
        onCancel={onClose}
        onClick={() => creating.mutate()}
      />
    </div>
  )
}
