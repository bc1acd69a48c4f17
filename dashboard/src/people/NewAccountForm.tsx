import { Button, PasswordInput, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useMutation } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import type { Session } from '../../../server/people/schema.ts'
import { formErrors } from '../kit/error-messages.ts'
import { createClient } from '../kit/request.ts'
import { useSetSession } from '../kit/session.ts'
import { ErrorAlert } from '../kit/states.tsx'
import styles from './centered-page.module.css'

interface NewAccountFormProps {
  /** The API path that creates the account. */
  path: string
  email?: string | null
  submit_label: string
}

const fields = ['name', 'email', 'password']
export const password_length_min = 10

export function NewAccountForm({ path, email, submit_label }: NewAccountFormProps) {
  const setSession = useSetSession()
  const navigate = useNavigate()
  const form = useForm({
    initialValues: { name: '', email: email ?? '', password: '' },
    validate: {
      password: (value) => (value.length < password_length_min ? 'Use at least 10 characters.' : null),
    },
  })
  const creating = useMutation({
    mutationFn: (body: object) => createClient().send<Session>('POST', path, body),
    meta: { is_sign_in: true },
    onError: (error) => form.setErrors(formErrors(error, fields).fields),
    onSuccess: async (session) => {
      setSession(session)
      await navigate({ to: '/' })
    },
  })
  return (
    <form className={styles.form} onSubmit={form.onSubmit((values) => creating.mutate(values))}>
      {creating.error && <ErrorAlert>{formErrors(creating.error, fields).message}</ErrorAlert>}
      <TextInput label="Your name" autoComplete="name" required {...form.getInputProps('name')} />
      <TextInput
        label="Email"
        type="email"
        autoComplete="username"
        required
        readOnly={Boolean(email)}
        {...form.getInputProps('email')}
      />
      <PasswordInput
        label="Password"
        description="At least 10 characters. A short sentence works well."
        autoComplete="new-password"
        required
        {...form.getInputProps('password')}
      />
      <Button type="submit" loading={creating.isPending} mt={4}>
        {submit_label}
      </Button>
    </form>
  )
}
