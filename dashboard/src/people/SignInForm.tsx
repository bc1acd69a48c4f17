import { Button, PasswordInput, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import type { SignIn as Credentials, Session } from '../../../server/people/schema.ts'
import { formErrors } from '../kit/error-messages.ts'
import { formatCount } from '../kit/format.ts'
import { createClient, ParleyError } from '../kit/request.ts'
import { ErrorAlert } from '../kit/states.tsx'
import styles from './centered-page.module.css'

const fields = ['email', 'password', 'code']

interface SignInFormProps {
  email?: string
  onSignedIn: (session: Session) => void
}

/** Asks people with two-factor sign-in for a code after the right password. Then all three are sent. */
export function SignInForm({ email = '', onSignedIn }: SignInFormProps) {
  const [asks_code, setAsksCode] = useState(false)
  const form = useForm<Required<Credentials>>({ initialValues: { email, password: '', code: '' } })
  const signingIn = useMutation({
    mutationFn: ({ code, ...credentials }: Required<Credentials>) =>
      createClient().send<Session>('POST', '/app/session', asks_code ? { ...credentials, code } : credentials),
    meta: { is_sign_in: true },
    onError: (error) => {
      form.setErrors(formErrors(error, fields).fields)
      // The form may ask for the password again, because it may have been changed meanwhile.
      if (error instanceof ParleyError && error.status === 401) setAsksCode(reasonOf(error) !== undefined)
    },
    onSuccess: onSignedIn,
  })
  return (
    <form className={styles.form} onSubmit={form.onSubmit((values) => signingIn.mutate(values))}>
      {signingIn.error && <ErrorAlert>{signInError(signingIn.error)}</ErrorAlert>}
      {asks_code ? (
        <TextInput
          key="code"
          label="Code"
          description="From your authenticator app, or one of your recovery codes."
          autoComplete="one-time-code"
          autoFocus
          required
          {...form.getInputProps('code')}
        />
      ) : (
        <>
          <TextInput label="Email" type="email" autoComplete="username" required {...form.getInputProps('email')} />
          <PasswordInput
            label="Password"
            autoComplete="current-password"
            required
            data-autofocus={Boolean(email) || undefined}
            {...form.getInputProps('password')}
          />
        </>
      )}
      <Button type="submit" loading={signingIn.isPending} mt={4}>
        Sign in
      </Button>
      {asks_code && (
        <Button
          variant="subtle"
          color="gray"
          onClick={() => {
            setAsksCode(false)
            form.reset()
            signingIn.reset()
          }}
        >
          Back
        </Button>
      )}
    </form>
  )
}

function signInError(error: Error): string | undefined {
  if (!(error instanceof ParleyError)) return formErrors(error, fields).message
  if (reasonOf(error) === 'code_required') return undefined
  if (reasonOf(error) === 'wrong_code') return 'This code is wrong or was already used. Enter the next one.'
  if (error.status === 401) return 'Incorrect email or password.'
  if (error.status !== 429) return formErrors(error, fields).message
  const wait = error.retryAfter ? `in ${formatRetryAfter(error.retryAfter)}` : 'later'
  return `Too many attempts. Try again ${wait}.`
}

const reasonOf = ({ details }: ParleyError): unknown => details.reason

const formatRetryAfter = (seconds: number): string =>
  seconds < 90 ? formatCount(Math.ceil(seconds), 'second') : formatCount(Math.ceil(seconds / 60), 'minute')
