import { Button, Modal, Radio, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import type { Invitation, InvitationWithLink } from '../../../server/people/schema.ts'
import { useWorkspaceId } from '../kit/api.ts'
import { CopyField } from '../kit/CopyField.tsx'
import { formErrors } from '../kit/error-messages.ts'
import { PlusIcon } from '../kit/icons.tsx'
import { Card } from '../kit/Page.tsx'
import { RelativeTime } from '../kit/RelativeTime.tsx'
import { createClient } from '../kit/request.ts'
import { ErrorAlert, LoadError, LoadingSkeleton } from '../kit/states.tsx'
import { showError } from '../kit/toast.ts'
import { roleLabel, roles } from '../people/roles.ts'
import styles from './settings.module.css'

const fields = ['email', 'role']

export function Invitations() {
  const workspace = useWorkspaceId()
  const [is_inviting, setInviting] = useState(false)
  const { data, error, refetch } = useQuery({
    queryKey: [workspace, 'invitations'],
    queryFn: ({ signal }) => createClient(workspace).list<Invitation>('/app/invitations', {}, { signal }),
  })
  const invitations = data?.data
  return (
    <Card
      title="Invitations"
      aside={
        <Button size="xs" leftSection={<PlusIcon size={15} />} onClick={() => setInviting(true)}>
          Invite
        </Button>
      }
    >
      {error && <LoadError error={error} retry={refetch} />}
      {!invitations && !error && <LoadingSkeleton lines={1} />}
      {invitations?.length === 0 && <p className={styles.quiet}>No pending invitations.</p>}
      <ul className={styles.lines}>
        {invitations?.map((invitation) => (
          <InvitationLine key={invitation.id} {...invitation} />
        ))}
      </ul>
      <Modal opened={is_inviting} onClose={() => setInviting(false)} title="Invite someone">
        <InviteForm onClose={() => setInviting(false)} />
      </Modal>
    </Card>
  )
}

function InvitationLine({ id, email, role, expires_at }: Invitation) {
  const workspace = useWorkspaceId()
  const client = useQueryClient()
  const removing = useMutation({
    mutationFn: () => createClient(workspace).send('DELETE', `/app/invitations/${id}`),
    onError: showError,
    onSuccess: () => client.invalidateQueries({ queryKey: [workspace, 'invitations'] }),
  })
  return (
    <li>
      <span>
        <strong>{email ?? 'Anyone with the link'}</strong>{' '}
        <span className={styles.quiet}>
          {roleLabel(role)} · expires <RelativeTime time={expires_at} />
        </span>
      </span>
      <Button size="xs" variant="subtle" color="red" loading={removing.isPending} onClick={() => removing.mutate()}>
        Revoke
      </Button>
    </li>
  )
}

function InviteForm({ onClose }: { onClose: () => void }) {
  const workspace = useWorkspaceId()
  const client = useQueryClient()
  const form = useForm({ initialValues: { email: '', role: 'member' } })
  const inviting = useMutation({
    mutationFn: ({ email, role }: { email: string; role: string }) =>
      createClient(workspace).send<InvitationWithLink>('POST', '/app/invitations', { role, ...(email && { email }) }),
    onError: (error) => form.setErrors(formErrors(error, fields).fields),
    onSuccess: () => client.invalidateQueries({ queryKey: [workspace, 'invitations'] }),
  })
  if (inviting.data) {
    return (
      <div className={styles.form}>
        <CopyField
          label="Send this link. You won’t be able to see it again."
          value={inviting.data.link}
          copy_label="Copy link"
        />
        <Button onClick={onClose}>Done</Button>
      </div>
    )
  }
  return (
    <form className={styles.form} onSubmit={form.onSubmit((values) => inviting.mutate(values))}>
      {inviting.error && <ErrorAlert>{formErrors(inviting.error, fields).message}</ErrorAlert>}
      <TextInput
        label="Email"
        type="email"
        description="Leave empty to create a link that anyone can use once."
        data-autofocus
        {...form.getInputProps('email')}
      />
      <Radio.Group label="Role" {...form.getInputProps('role')}>
        <div className={styles.roles}>
          {roles.map(({ value, label, description }) => (
            <Radio key={value} value={value} label={label} description={description} />
          ))}
        </div>
      </Radio.Group>
      <Button type="submit" loading={inviting.isPending}>
        Create invitation link
      </Button>
    </form>
  )
}
