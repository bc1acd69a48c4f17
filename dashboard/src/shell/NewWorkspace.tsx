import { Button, Modal, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { faultsOf } from '../kit/error-messages.ts'
import { request } from '../kit/request.ts'
import { type Membership, session_query } from '../kit/session.ts'
import { Refusal } from '../kit/states.tsx'
import { Gate } from '../people/CenteredPage.tsx'
import styles from '../people/centered-page.module.css'

function NewWorkspaceForm({ onDone }: { onDone?: () => void }) {
  const client = useQueryClient()
  const navigate = useNavigate()
  const form = useForm({ initialValues: { name: '' } })
  const creating = useMutation({
    mutationFn: (body: { name: string }) => request<Membership>('/app/workspaces', { method: 'POST', body }),
    onError: (error) => form.setErrors(faultsOf(error, ['name']).at),
    onSuccess: async ({ id }) => {
      await client.invalidateQueries(session_query)
      onDone?.()
      await navigate({ to: '/w/$workspace', params: { workspace: id } })
    },
  })
  return (
    <form className={styles.form} onSubmit={form.onSubmit((values) => creating.mutate(values))}>
      {creating.error && <Refusal>{faultsOf(creating.error, ['name']).rest}</Refusal>}
      <TextInput label="Name" placeholder="Support" required data-autofocus {...form.getInputProps('name')} />
      <Button type="submit" loading={creating.isPending}>
        Create workspace
      </Button>
    </form>
  )
}

export function NewWorkspace({ is_open, onClose }: { is_open: boolean; onClose: () => void }) {
  return (
    <Modal opened={is_open} onClose={onClose} title="New workspace" closeButtonProps={{ 'aria-label': 'Close' }}>
      <NewWorkspaceForm onDone={onClose} />
    </Modal>
  )
}

export const NewWorkspacePage = () => (
  <Gate
    title="Create a workspace"
    about="You aren’t in a workspace yet. A workspace holds contacts, agents and API keys."
  >
    <NewWorkspaceForm />
  </Gate>
)
