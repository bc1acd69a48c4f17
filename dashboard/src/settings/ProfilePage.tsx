import { Button, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { faultsOf } from '../kit/error-messages.ts'
import { Card, Stack, useTitle } from '../kit/Page.tsx'
import { request } from '../kit/request.ts'
import { session_query, useSession } from '../kit/session.ts'
import { Refusal } from '../kit/states.tsx'
import { tell } from '../kit/toast.ts'
import { PasswordForm } from './PasswordForm.tsx'
import { Sessions } from './Sessions.tsx'
import styles from './settings.module.css'

export function Me() {
  useTitle('Profile')
  return (
    <Stack>
      <NameForm />
      <PasswordForm />
      <Sessions />
    </Stack>
  )
}

function NameForm() {
  const { person } = useSession()
  const client = useQueryClient()
  const form = useForm({ initialValues: { name: person.name } })
  const saving = useMutation({
    mutationFn: (body: { name: string }) => request('/app/person', { method: 'PATCH', body }),
    onError: (error) => form.setErrors(faultsOf(error, ['name']).at),
    onSuccess: async () => {
      await client.invalidateQueries(session_query)
      tell('Name saved.')
    },
  })
  return (
    <Card title="Profile">
      <form className={styles.form} onSubmit={form.onSubmit((values) => saving.mutate(values))}>
        {saving.error && <Refusal>{faultsOf(saving.error, ['name']).rest}</Refusal>}
        <TextInput label="Name" required autoComplete="name" {...form.getInputProps('name')} />
        <TextInput label="Email" value={person.email} readOnly />
        <Button type="submit" loading={saving.isPending} className={styles.submit}>
          Save
        </Button>
      </form>
    </Card>
  )
}
