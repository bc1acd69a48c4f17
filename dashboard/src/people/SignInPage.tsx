import { useQuery } from '@tanstack/react-query'
import { Navigate, useRouter, useSearch } from '@tanstack/react-router'
import { useEffect } from 'react'
import { LoadingPage } from '../kit/LoadingPage.tsx'
import { session_query, useSetSession } from '../kit/session.ts'
import { CenteredPage } from './CenteredPage.tsx'
import { SignInForm } from './SignInForm.tsx'

export function SignInPage() {
  const { data: session } = useQuery(session_query)
  const { next } = useSearch({ from: '/sign-in' })
  const setSession = useSetSession()
  const { history } = useRouter()
  useEffect(() => {
    if (session && next) history.replace(next)
  }, [session, next, history])
  if (session) return next ? <LoadingPage /> : <Navigate to="/" replace />
  return (
    <CenteredPage title="Sign in" foot="No account? Ask a workspace owner for an invitation.">
      <SignInForm onSignedIn={setSession} />
    </CenteredPage>
  )
}
