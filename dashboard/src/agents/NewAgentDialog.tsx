import { Button, Textarea, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import type { Agent } from '../../../server/agents/schema.ts'
import { useApi } from '../kit/api.ts'
import { Dialog } from '../kit/Dialog.tsx'
import { formErrors } from '../kit/error-messages.ts'
import { FormErrors } from '../kit/FormErrors.tsx'
import { ErrorAlert } from '../kit/states.tsx'
import { showToast } from '../kit/toast.ts'
import { useUnsaved } from '../kit/unsaved.tsx'
import styles from './agents.module.css'

const fields = ['name', 'description', 'instructions']

export function NewAgentDialog({ is_open, onClose }: { is_open: boolean; onClose: () => void }) {
  return (
    <Dialog is_open={is_open} onClose={onClose} title="New agent" size="lg">
      <NewAgentForm />
    </Dialog>
  )
}

function NewAgentForm() {
  const api = useApi()
  const client = useQueryClient()
  const navigate = useNavigate()
  const form = useForm({ initialValues: { name: '', description: '', instructions: '' } })
  const setSaved = useUnsaved(form.isDirty())
  const creating = useMutation({
    mutationFn: (body: object) => api.send<Agent>('POST', '/agents', body),
    onError: (error) => form.setErrors(formErrors(error, fields).fields),
    onSuccess: async ({ id }) => {
      setSaved()
      await client.invalidateQueries({ queryKey: [api.workspace, 'agents'] })
      showToast('Agent created.')
      await navigate({ to: '/w/$workspace/agents/$id', params: { workspace: api.workspace, id } })
    },
  })
  return (
    <form className={styles.form} onSubmit={form.onSubmit((values) => creating.mutate(values))}>
      {creating.error && <ErrorAlert>{formErrors(creating.error, fields).message}</ErrorAlert>}
      <TextInput label="Name" placeholder="Reception" required data-autofocus {...form.getInputProps('name')} />
      <TextInput label="Description" description="Only your team sees this." {...form.getInputProps('description')} />
      <Textarea
        label="Instructions"
        description="What the agent should do."
        placeholder="Greet the caller and ask how you can help."
        autosize
        minRows={6}
        maxRows={16}
        {...form.getInputProps('instructions')}
      />
      <FormErrors errors={form.errors} />
      <Button type="submit" loading={creating.isPending}>
        Create agent
      </Button>
    </form>
  )
}
