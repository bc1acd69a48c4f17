import { TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import type { Integration } from '../../../server/integrations/schema.ts'
import { useApi } from '../kit/api.ts'
import { Dialog, FormButtons } from '../kit/Dialog.tsx'
import { formErrors } from '../kit/error-messages.ts'
import { ErrorAlert } from '../kit/states.tsx'
import { useUnsaved } from '../kit/unsaved.tsx'
import styles from './integrations.module.css'

const fields = ['name']

export function NewIntegrationDialog({ is_open, onClose }: { is_open: boolean; onClose: () => void }) {
  return (
    <Dialog is_open={is_open} onClose={onClose} title="New integration">
      <NewIntegrationForm onCancel={onClose} />
    </Dialog>
  )
}

function NewIntegrationForm({ onCancel }: { onCancel: () => void }) {
  const api = useApi()
  const client = useQueryClient()
  const navigate = useNavigate()
  const form = useForm({ initialValues: { name: '' } })
  const setSaved = useUnsaved(form.isDirty())
  const creating = useMutation({
    mutationFn: (body: object) => api.send<Integration>('POST', '/integrations', body),
    onError: (error) => form.setErrors(formErrors(error, fields).fields),
    onSuccess: async ({ id }) => {
      setSaved()
      await client.invalidateQueries({ queryKey: [api.workspace, 'integrations'] })
      await navigate({ to: '/w/$workspace/integrations/$id/mapping', params: { workspace: api.workspace, id } })
    },
  })
  return (
    <form className={styles.form} onSubmit={form.onSubmit((values) => creating.mutate(values))}>
      {creating.error && <ErrorAlert>{formErrors(creating.error, fields).message}</ErrorAlert>}
      <TextInput
        label="Name"
        description="The form tool or CRM that sends contacts."
        placeholder="Contact form"
        required
        data-autofocus
        {...form.getInputProps('name')}
      />
      <FormButtons
        label="Create integration"
        is_pending={creating.isPending}
        errors={form.errors}
        onCancel={onCancel}
      />
    </form>
  )
}
