import { Button, PasswordInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { formErrors } from '../kit/error-messages.ts'
import { Card } from '../kit/Page.tsx'
import { createClient } from '../kit/request.ts'
import { ErrorAlert } from '../kit/states.tsx'
import { showToast } from '../kit/toast.ts'
import { password_length_min } from '../people/NewAccountForm.tsx'
import styles from './settings.module.css'

const fields = ['current_password', 'new_password']

export function PasswordForm() {
  const client = useQueryClient()
  const form = useForm({
    initialValues: { current_password: '', new_password: '' },
    validate: {
      new_password: (value) => (value.length < password_length_min ? 'Use at least 10 characters.' : null),
    },
  })
  const changing = useMutation({
    mutationFn: (body: object) => createClient().send('PUT', '/app/password', body),
    onError: (error) => form.setErrors(formErrors(error, fields).fields),
    onSuccess: async () => {
      form.reset()
      await client.invalidateQueries({ queryKey: ['sessions'] })
      showToast('Password changed. Other devices were signed out.')
    },
  })
  return (
    <Card title="Password">
      <form className={styles.form} onSubmit={form.onSubmit((values) => changing.mutate(values))}>
        {changing.error && <ErrorAlert>{formErrors(changing.error, fields).message}</ErrorAlert>}
        <PasswordInput
          label="Current password"
          autoComplete="current-password"
          required
          {...form.getInputProps('current_password')}
        />
        <PasswordInput
          label="New password"
          description="At least 10 characters. Changing it signs out other devices."
          autoComplete="new-password"
          required
          {...form.getInputProps('new_password')}
        />
        <Button type="submit" loading={changing.isPending} className={styles.submit}>
          Change password
        </Button>
      </form>
    </Card>
  )
}
