import { Button, PasswordInput, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useMutation } from '@tanstack/react-query'
import type { SignIn as Credentials, Session } from '../../../server/people/schema.ts'
import { formErrors } from '../kit/error-messages.ts'
import { formatCount } from '../kit/format.ts'
import { createClient, ParleyError } from '../kit/request.ts'
import { ErrorAlert } from '../kit/states.tsx'
import styles from './centered-page.module.css'

const fields = ['email', 'password']

interface SignInFormProps {
  email?: string
  onSignedIn: (session: Session) => void
}

export function SignInForm({ email = '', onSignedIn }: SignInFormProps) {
  const form = useForm<Credentials>({ initialValues: { email, password: '' } })
  const signingIn = useMutation({
    mutationFn: (body: Credentials) => createClient().send<Session>('POST', '/app/session', body),
    meta: { is_sign_in: true },
    onError: (error) => form.setErrors(formErrors(error, fields).fields),
    onSuccess: onSignedIn,
  })
  return (
    <form className={styles.form} onSubmit={form.onSubmit((values) => signingIn.mutate(values))}>
      {signingIn.error && <ErrorAlert>{signInError(signingIn.error)}</ErrorAlert>}
      <TextInput label="Email" type="email" autoComplete="username" required {...form.getInputProps('email')} />
      <PasswordInput
        label="Password"
        autoComplete="current-password"
        required
        data-autofocus={Boolean(email) || undefined}
        {...form.getInputProps('password')}
      />
      <Button type="submit" loading={signingIn.isPending} mt={4}>
        Sign in
      </Button>
    </form>
  )
}

function signInError(error: Error): string | undefined {
  if (!(error instanceof ParleyError)) return formErrors(error, fields).message
  if (error.status === 401) return 'Incorrect email or password.'
  if (error.status !== 429) return formErrors(error, fields).message
  const wait = error.retryAfter ? `in ${formatWait(error.retryAfter)}` : 'later'
  return `Too many attempts. Try again ${wait}.`
}

const formatWait = (seconds: number): string =>
  seconds < 90 ? formatCount(Math.ceil(seconds), 'second') : formatCount(Math.ceil(seconds / 60), 'minute')
