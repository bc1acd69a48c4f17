import { Button, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { formErrors } from '../kit/error-messages.ts'
import { NowContext } from '../kit/now.ts'
import { Card, Page, Stack } from '../kit/Page.tsx'
import { createClient } from '../kit/request.ts'
import { session_query, useSession } from '../kit/session.ts'
import { ErrorAlert } from '../kit/states.tsx'
import { showToast } from '../kit/toast.ts'
import { PasswordForm } from './PasswordForm.tsx'
import { Sessions } from './Sessions.tsx'
import styles from './settings.module.css'
import { TwoFactorCard } from './TwoFactorCard.tsx'

export function ProfilePage() {
  return (
    <Page title="Profile" is_form>
      {/* Sessions go by the real time, also in test workspaces. */}
      <NowContext value={Date.now}>
        <Stack>
          <NameForm />
          <PasswordForm />
          <TwoFactorCard />
          <Sessions />
        </Stack>
      </NowContext>
    </Page>
  )
}

function NameForm() {
  const { person } = useSession()
  const client = useQueryClient()
  const form = useForm({ initialValues: { name: person.name } })
  const saving = useMutation({
    mutationFn: (body: { name: string }) => createClient().send('PATCH', '/app/person', body),
    onError: (error) => form.setErrors(formErrors(error, ['name']).fields),
    onSuccess: async () => {
      await client.invalidateQueries(session_query)
      showToast('Name saved.')
    },
  })
  return (
    <Card title="Account">
      <form className={styles.form} onSubmit={form.onSubmit((values) => saving.mutate(values))}>
        {saving.error && <ErrorAlert>{formErrors(saving.error, ['name']).message}</ErrorAlert>}
        <TextInput label="Name" required autoComplete="name" {...form.getInputProps('name')} />
        <TextInput label="Email" value={person.email} readOnly />
        <Button
          type="submit"
          disabled={form.values.name.trim() === person.name}
          loading={saving.isPending}
          className={styles.submit}
        >
          Save
        </Button>
      </form>
    </Card>
  )
}
