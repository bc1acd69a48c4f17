import { Button, PasswordInput, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useMutation } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import type { Session } from '../../../server/people/schema.ts'
import { faultsOf } from '../kit/error-messages.ts'
import { request } from '../kit/request.ts'
import { useEnter } from '../kit/session.ts'
import { Refusal } from '../kit/states.tsx'
import styles from './centered-page.module.css'

interface PersonFormProps {
  /** Where the new person is sent to. */
  address: string
  email?: string | null
  answer: string
}

const fields = ['name', 'email', 'password']
export const password_length_min = 10

/** Someone who is new: who they are, and how they will sign in. */
export function PersonForm({ address, email, answer }: PersonFormProps) {
  const enter = useEnter()
  const navigate = useNavigate()
  const form = useForm({
    initialValues: { name: '', email: email ?? '', password: '' },
    validate: {
      password: (said) => (said.length < password_length_min ? 'Use at least 10 characters.' : null),
    },
  })
  const joining = useMutation({
    mutationFn: (body: object) => request<Session>(address, { method: 'POST', body }),
    meta: { is_sign_in: true },
    onError: (error) => form.setErrors(faultsOf(error, fields).at),
    onSuccess: async (session) => {
      enter(session)
      await navigate({ to: '/' })
    },
  })
  return (
    <form className={styles.form} onSubmit={form.onSubmit((values) => joining.mutate(values))}>
      {joining.error && <Refusal>{faultsOf(joining.error, fields).rest}</Refusal>}
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
        visibilityToggleButtonProps={{ 'aria-label': 'Show password' }}
        {...form.getInputProps('password')}
      />
      <Button type="submit" loading={joining.isPending} mt={4}>
        {answer}
      </Button>
    </form>
  )
}
