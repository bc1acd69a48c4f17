import { Button, PasswordInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { faultsOf } from '../kit/error-messages.ts'
import { Card } from '../kit/Page.tsx'
import { Problem, request } from '../kit/request.ts'
import { Refusal } from '../kit/states.tsx'
import { tell } from '../kit/toast.ts'
import { password_length_min } from '../people/NewAccountForm.tsx'
import styles from './settings.module.css'

const fields = ['current_password', 'new_password']
const eye = { 'aria-label': 'Show password' }

export function PasswordForm() {
  const client = useQueryClient()
  const form = useForm({
    initialValues: { current_password: '', new_password: '' },
    validate: {
      new_password: (said) => (said.length < password_length_min ? 'Use at least 10 characters.' : null),
    },
  })
  const changing = useMutation({
    mutationFn: (body: object) => request('/app/password', { method: 'PUT', body }),
    // A wrong password here is no sign that the session has ended.
    meta: { is_sign_in: true },
    onError: (error) => form.setErrors(faultsOf(error, fields).at),
    onSuccess: async () => {
      form.reset()
      await client.invalidateQueries({ queryKey: ['sessions'] })
      tell('Password changed. Other devices were signed out.')
    },
  })
  const is_wrong = changing.error instanceof Problem && [401, 403].includes(changing.error.status)
  return (
    <Card title="Password">
      <form className={styles.form} onSubmit={form.onSubmit((values) => changing.mutate(values))}>
        {changing.error && (
          <Refusal>{is_wrong ? 'The current password is incorrect.' : faultsOf(changing.error, fields).rest}</Refusal>
        )}
        <PasswordInput
          label="Current password"
          autoComplete="current-password"
          required
          visibilityToggleButtonProps={eye}
          {...form.getInputProps('current_password')}
        />
        <PasswordInput
          label="New password"
          description="At least 10 characters. Changing it signs out other devices."
          autoComplete="new-password"
          required
          visibilityToggleButtonProps={eye}
          {...form.getInputProps('new_password')}
        />
        <Button type="submit" loading={changing.isPending} className={styles.submit}>
          Change password
        </Button>
      </form>
    </Card>
  )
}
