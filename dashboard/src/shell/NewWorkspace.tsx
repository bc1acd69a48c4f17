import { Button, Checkbox, Modal, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { formErrors } from '../kit/error-messages.ts'
import { createClient } from '../kit/request.ts'
import { type Membership, session_query } from '../kit/session.ts'
import { ErrorAlert } from '../kit/states.tsx'
import { CenteredPage } from '../people/CenteredPage.tsx'
import styles from '../people/centered-page.module.css'

const fields = ['name', 'now']

function NewWorkspaceForm({ onDone }: { onDone?: () => void }) {
  const client = useQueryClient()
  const navigate = useNavigate()
  const form = useForm({ initialValues: { name: '', is_test: false, now: '' } })
  const creating = useMutation({
    mutationFn: ({ name, is_test, now }: typeof form.values) => {
      const body = is_test
        ? { name, kind: 'test', ...(now && { now: new Date(now).toISOString() }) }
        : { name, kind: 'live' }
      return createClient().send<Membership>('POST', '/app/workspaces', body)
    },
    onError: (error) => form.setErrors(formErrors(error, fields).fields),
    onSuccess: async ({ id }) => {
      await client.invalidateQueries(session_query)
      onDone?.()
      await navigate({ to: '/w/$workspace', params: { workspace: id } })
    },
  })
  return (
    <form className={styles.form} onSubmit={form.onSubmit((values) => creating.mutate(values))}>
      {creating.error && <ErrorAlert>{formErrors(creating.error, fields).message}</ErrorAlert>}
      <TextInput label="Name" placeholder="Support" required data-autofocus {...form.getInputProps('name')} />
      <Checkbox
        label="Test workspace"
        description="Its time stands still until you advance it. You can’t change this later."
        {...form.getInputProps('is_test', { type: 'checkbox' })}
      />
      {form.values.is_test && (
        <TextInput
          type="datetime-local"
          label="Clock begins at"
          description="Optional. If empty, it begins now."
          {...form.getInputProps('now')}
        />
      )}
      <Button type="submit" loading={creating.isPending}>
        Create workspace
      </Button>
    </form>
  )
}

export function NewWorkspaceDialog({ is_open, onClose }: { is_open: boolean; onClose: () => void }) {
  return (
    <Modal opened={is_open} onClose={onClose} title="New workspace">
      <NewWorkspaceForm onDone={onClose} />
    </Modal>
  )
}

export const NewWorkspacePage = () => (
  <CenteredPage
    title="Create a workspace"
    description="You aren’t in a workspace yet. A workspace holds contacts, agents and API keys."
  >
    <NewWorkspaceForm />
  </CenteredPage>
)
