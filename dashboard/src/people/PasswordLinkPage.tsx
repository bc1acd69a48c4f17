import { Button, PasswordInput, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useMutation, useQuery } from '@tanstack/react-query'
import { Link, useParams } from '@tanstack/react-router'
import type { OpenPasswordLink } from '../../../server/people/schema.ts'
import { formErrors } from '../kit/error-messages.ts'
import { createClient, ParleyError } from '../kit/request.ts'
import { useSetSession } from '../kit/session.ts'
import { ErrorAlert, LoadError, LoadingSkeleton } from '../kit/states.tsx'
import { CenteredPage } from './CenteredPage.tsx'
import styles from './centered-page.module.css'
import { password_length_min } from './NewAccountForm.tsx'

const fields = ['new_password']

/** Sets a password. The page is opened by a link that an owner or the command line makes. */
export function PasswordLinkPage() {
  const { token } = useParams({ from: '/password/$token' })
  const path = `/app/password_links/${token}`
  const setSession = useSetSession()
  const link = useQuery({
    queryKey: ['password_link', token],
    queryFn: () => createClient().get<OpenPasswordLink>(path),
    staleTime: Infinity,
  })
  const form = useForm({
    initialValues: { new_password: '' },
    validate: {
      new_password: (value) => (value.length < password_length_min ? 'Use at least 10 characters.' : null),
    },
  })
  const setting = useMutation({
    mutationFn: (body: object) => createClient().send('POST', path, body),
    meta: { is_sign_in: true },
    onError: (error) => form.setErrors(formErrors(error, fields).fields),
    // All sessions of the person have ended, also in this browser.
    onSuccess: () => setSession(null),
  })
  if (setting.isSuccess) return <PasswordSet />
  if (isGone(link.error) || isGone(setting.error)) return <ExpiredLink />
  if (link.error && !link.data) return <LoadError error={link.error} retry={link.refetch} />
  return (
    <CenteredPage title="Set a new password" description="This signs you out on all devices.">
      {link.data ? (
        <form className={styles.form} onSubmit={form.onSubmit((values) => setting.mutate(values))}>
          {setting.error && <ErrorAlert>{formErrors(setting.error, fields).message}</ErrorAlert>}
          <TextInput label="Email" type="email" autoComplete="username" readOnly value={link.data.email} />
          <PasswordInput
            label="New password"
            description="At least 10 characters. A short sentence works well."
            autoComplete="new-password"
            required
            {...form.getInputProps('new_password')}
          />
          <Button type="submit" loading={setting.isPending} mt={4}>
            Set password
          </Button>
        </form>
      ) : (
        <LoadingSkeleton lines={2} height={36} />
      )}
    </CenteredPage>
  )
}

const isGone = (error: unknown): boolean => error instanceof ParleyError && error.status === 404

const PasswordSet = () => (
  <CenteredPage title="Password set" description="Sign in with your new password.">
    <Button component={Link} to="/sign-in">
      Sign in
    </Button>
  </CenteredPage>
)

const ExpiredLink = () => (
  <CenteredPage
    title="This link no longer works"
    description="It was used, replaced by a newer one or has expired after an hour. Ask for a new one."
    foot={<Link to="/sign-in">Sign in</Link>}
  />
)
