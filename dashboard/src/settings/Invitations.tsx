import { Button, Radio, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import type { Invitation, InvitationWithLink } from '../../../server/people/schema.ts'
import { useWorkspaceId } from '../kit/api.ts'
import { Dialog, FormButtons } from '../kit/Dialog.tsx'
import { formErrors } from '../kit/error-messages.ts'
import { PlusIcon } from '../kit/icons.tsx'
import { RelativeTime } from '../kit/RelativeTime.tsx'
import { createClient } from '../kit/request.ts'
import { Status } from '../kit/Status.tsx'
import { ErrorAlert, LoadError } from '../kit/states.tsx'
import { type Column, Table } from '../kit/Table.tsx'
import { showError } from '../kit/toast.ts'
import { useUnsaved } from '../kit/unsaved.tsx'
import { roleLabel, roles } from '../people/roles.ts'
import { NewLink } from './NewLink.tsx'
import styles from './settings.module.css'

const fields = ['email', 'role']

export function Invitations() {
  const workspace = useWorkspaceId()
  const [is_inviting, setInviting] = useState(false)
  const { data, error, refetch } = useQuery({
    queryKey: [workspace, 'invitations'],
    queryFn: ({ signal }) => createClient(workspace).list<Invitation>('/app/invitations', {}, { signal }),
  })
  return (
    <section aria-label="Invitations">
      <div className={styles.part}>
        <h2>Invitations</h2>
        <Button size="xs" leftSection={<PlusIcon size={15} />} onClick={() => setInviting(true)}>
          Invite
        </Button>
      </div>
      {error && !data ? (
        <LoadError error={error} retry={refetch} />
      ) : (
        <Table
          label="Invitations"
          columns={columns}
          rows={data?.data}
          getRowId={({ id }) => id}
          empty={<p className={styles.quiet}>No pending invitations.</p>}
        />
      )}
      <Dialog is_open={is_inviting} onClose={() => setInviting(false)} title="Invite someone">
        <InviteForm onClose={() => setInviting(false)} />
      </Dialog>
    </section>
  )
}

const columns: Column<Invitation>[] = [
  {
    id: 'email',
    name: 'For',
    cell: ({ email }) => <strong className={styles.value}>{email ?? 'Anyone with the link'}</strong>,
  },
  { id: 'role', name: 'Role', is_hidden_on_phone: true, cell: ({ role }) => roleLabel(role) },
  {
    id: 'expires_at',
    name: 'Expires',
    cell: ({ expires_at }) => (
      <Status tone="warning">
        <RelativeTime time={expires_at} />
      </Status>
    ),
  },
  { id: 'actions', name: 'Actions', is_name_hidden: true, width: '84px', cell: (row) => <RevokeButton {...row} /> },
]

function RevokeButton({ id, email }: Invitation) {
  const workspace = useWorkspaceId()
  const client = useQueryClient()
  const removing = useMutation({
    mutationFn: () => createClient(workspace).send('DELETE', `/app/invitations/${id}`),
    onError: showError,
    onSuccess: () => client.invalidateQueries({ queryKey: [workspace, 'invitations'] }),
  })
  return (
    <Button
      size="xs"
      variant="subtle"
      color="red"
      aria-label={`Revoke the invitation ${email ? `for ${email}` : 'of anyone with the link'}`}
      loading={removing.isPending}
      onClick={() => removing.mutate()}
    >
      Revoke
    </Button>
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
  useUnsaved(form.isDirty() && !inviting.data)
  if (inviting.data) return <NewLink link={inviting.data.link} onClose={onClose} />
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
      <FormButtons
        label="Create invitation link"
        is_pending={inviting.isPending}
        errors={form.errors}
        onCancel={onClose}
      />
    </form>
  )
}
