import { useQuery } from '@tanstack/react-query'
import { Navigate, useRouter, useSearch } from '@tanstack/react-router'
import { useEffect } from 'react'
import type { CurrentSession } from '../../../server/people/schema.ts'
import { LoadingPage } from '../kit/LoadingPage.tsx'
import { createClient } from '../kit/request.ts'
import { session_query, useSetSession } from '../kit/session.ts'
import { CenteredPage } from './CenteredPage.tsx'
import styles from './centered-page.module.css'
import { SignInForm } from './SignInForm.tsx'

export function SignInPage() {
  const { data: session } = useQuery(session_query)
  const installation = useQuery({
    queryKey: ['is_set_up'],
    queryFn: async ({ signal }) => (await createClient().get<CurrentSession>('/app/session', {}, { signal })).is_set_up,
  })
  const next = sitePath(useSearch({ from: '/sign-in' }).next)
  const setSession = useSetSession()
  const { history } = useRouter()
  useEffect(() => {
    if (session && next) history.replace(next)
  }, [session, next, history])
  if (session) return next ? <LoadingPage /> : <Navigate to="/" replace />
  if (installation.isPending) return <LoadingPage />
  if (installation.data === false) return <NotSetUp />
  return (
    <CenteredPage title="Sign in" foot="No account? Ask a workspace owner for an invitation.">
      <SignInForm onSignedIn={setSession} />
      <details className={styles.forgotten}>
        <summary>Forgot your password?</summary>
        <p>Ask an owner of your workspace for a password link. They create it in Settings, under Members.</p>
        <p>
          Whoever runs the service can make one too: <code>npx parley user password-link EMAIL</code>
        </p>
      </details>
    </CenteredPage>
  )
}

/**
 * Returns a path of this site, or undefined for anything else. The link to the page may come from anyone, and the
 * router hands on any value.
 */
const sitePath = (next: unknown): string | undefined =>
  typeof next === 'string' && next.startsWith('/') && URL.parse(next, location.origin)?.origin === location.origin
    ? next
    : undefined

/** Says that nobody can sign in yet, and nobody can invite. */
const NotSetUp = () => (
  <CenteredPage
    title="Set up Parley"
    description="There is no account yet. Open the set-up link that the server printed in the terminal when it started. It creates the owner account."
    foot="The link works once, for a day. To get a new one, start the server again."
  />
)
