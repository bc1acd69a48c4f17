import { Button, Textarea, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useMutation } from '@tanstack/react-query'
import type { AgentWithDraft } from '../../../server/agents/schema.ts'
import { useApi } from '../kit/api.ts'
import { formErrors } from '../kit/error-messages.ts'
import { ErrorAlert } from '../kit/states.tsx'
import { showToast } from '../kit/toast.ts'
import styles from './agents.module.css'
import { useRefreshAgents } from './useRefreshAgents.ts'

const fields = ['name', 'description', 'greeting', 'instructions']

/** Sends only the fields that were edited, so that it doesn't undo what others change meanwhile. */
export function AgentForm({ agent, onSaved }: { agent: AgentWithDraft; onSaved: () => void }) {
  const api = useApi()
  const refresh = useRefreshAgents()
  const { name, description, draft } = agent
  const before = { name, description, greeting: draft.greeting ?? '', instructions: draft.instructions ?? '' }
  const form = useForm<Record<string, string>>({ initialValues: before })
  const saving = useMutation({
    mutationFn: (values: Record<string, string>) => {
      const edited = Object.entries(values).filter(([field, value]) => value !== Object(before)[field])
      return api.send<AgentWithDraft>('PATCH', `/agents/${agent.id}`, Object.fromEntries(edited))
    },
    onError: (error) => form.setErrors(formErrors(error, fields).fields),
    onSuccess: async () => {
      await refresh()
      showToast('Draft saved.')
      onSaved()
    },
  })
  return (
    <form className={styles.form} onSubmit={form.onSubmit((values) => saving.mutate(values))}>
      {saving.error && <ErrorAlert>{formErrors(saving.error, fields).message}</ErrorAlert>}
      <TextInput label="Name" required data-autofocus {...form.getInputProps('name')} />
      <TextInput label="Description" description="Only your team sees this." {...form.getInputProps('description')} />
      <Textarea label="Greeting" description="The first words of the agent." {...form.getInputProps('greeting')} />
      <Textarea
        label="Instructions"
        description="What the agent should do."
        autosize
        minRows={6}
        maxRows={16}
        {...form.getInputProps('instructions')}
      />
      <Button type="submit" loading={saving.isPending}>
        Save draft
      </Button>
    </form>
  )
}
