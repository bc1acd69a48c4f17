import { Button, PasswordInput, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useMutation, useQuery } from '@tanstack/react-query'
import { Navigate, useRouter, useSearch } from '@tanstack/react-router'
import { useEffect } from 'react'
import type { SignIn as Credentials, Session } from '../../../server/people/schema.ts'
import { formErrors } from '../kit/error-messages.ts'
import { formatCount } from '../kit/format.ts'
import { LoadingPage } from '../kit/LoadingPage.tsx'
import { createClient, ParleyError } from '../kit/request.ts'
import { session_query, useSetSession } from '../kit/session.ts'
import { ErrorAlert } from '../kit/states.tsx'
import { CenteredPage } from './CenteredPage.tsx'
import styles from './centered-page.module.css'

const fields = ['email', 'password']

export function SignInPage() {
  const { data: session } = useQuery(session_query)
  const { next } = useSearch({ from: '/sign-in' })
  const setSession = useSetSession()
  const form = useForm<Credentials>({ initialValues: { email: '', password: '' } })
  const signingIn = useMutation({
    mutationFn: (body: Credentials) => createClient().send<Session>('POST', '/app/session', body),
    meta: { is_sign_in: true },
    onError: (error) => form.setErrors(formErrors(error, fields).fields),
    onSuccess: setSession,
  })
  const { history } = useRouter()
  useEffect(() => {
    if (session && next) history.replace(next)
  }, [session, next, history])
  if (session) return next ? <LoadingPage /> : <Navigate to="/" replace />
  return (
    <CenteredPage title="Sign in" foot="No account? Ask a workspace owner for an invitation.">
      <form className={styles.form} onSubmit={form.onSubmit((values) => signingIn.mutate(values))}>
        {signingIn.error && <ErrorAlert>{signInError(signingIn.error)}</ErrorAlert>}
        <TextInput label="Email" type="email" autoComplete="username" required {...form.getInputProps('email')} />
        <PasswordInput label="Password" autoComplete="current-password" required {...form.getInputProps('password')} />
        <Button type="submit" loading={signingIn.isPending} mt={4}>
          Sign in
        </Button>
      </form>
    </CenteredPage>
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
