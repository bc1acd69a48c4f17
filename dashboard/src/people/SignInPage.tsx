import { Button, PasswordInput, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useMutation, useQuery } from '@tanstack/react-query'
import { Navigate, useRouter, useSearch } from '@tanstack/react-router'
import { useEffect } from 'react'
import type { SignIn as Credentials, Session } from '../../../server/people/schema.ts'
import { faultsOf } from '../kit/error-messages.ts'
import { LoadingPage } from '../kit/LoadingPage.tsx'
import { sayCount } from '../kit/RelativeTime.tsx'
import { Problem, request } from '../kit/request.ts'
import { session_query, useEnter } from '../kit/session.ts'
import { Refusal } from '../kit/states.tsx'
import { Gate } from './CenteredPage.tsx'
import styles from './centered-page.module.css'

const fields = ['email', 'password']

export function SignIn() {
  const { data: session } = useQuery(session_query)
  const { next } = useSearch({ from: '/sign-in' })
  const enter = useEnter()
  const form = useForm<Credentials>({ initialValues: { email: '', password: '' } })
  const signing = useMutation({
    mutationFn: (body: Credentials) => request<Session>('/app/session', { method: 'POST', body }),
    meta: { is_sign_in: true },
    onError: (error) => form.setErrors(faultsOf(error, fields).at),
    onSuccess: enter,
  })
  const { history } = useRouter()
  useEffect(() => {
    if (session && next) history.replace(next)
  }, [session, next, history])
  if (session) return next ? <LoadingPage /> : <Navigate to="/" replace />
  return (
    <Gate title="Sign in" foot="No account? Ask a workspace owner for an invitation.">
      <form className={styles.form} onSubmit={form.onSubmit((values) => signing.mutate(values))}>
        {signing.error && <Refusal>{refusalOf(signing.error)}</Refusal>}
        <TextInput label="Email" type="email" autoComplete="username" required {...form.getInputProps('email')} />
        <PasswordInput
          label="Password"
          autoComplete="current-password"
          required
          visibilityToggleButtonProps={{ 'aria-label': 'Show password' }}
          {...form.getInputProps('password')}
        />
        <Button type="submit" loading={signing.isPending} mt={4}>
          Sign in
        </Button>
      </form>
    </Gate>
  )
}

function refusalOf(error: Error): string | undefined {
  if (!(error instanceof Problem)) return faultsOf(error, fields).rest
  if (error.status === 401) return 'Incorrect email or password.'
  if (error.status !== 429) return faultsOf(error, fields).rest
  const wait = error.retry_after_s > 0 ? `in ${sayWait(error.retry_after_s)}` : 'later'
  return `Too many attempts. Try again ${wait}.`
}

const sayWait = (seconds: number): string =>
  seconds < 90 ? sayCount(Math.ceil(seconds), 'second') : sayCount(Math.ceil(seconds / 60), 'minute')
