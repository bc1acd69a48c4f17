import { Button } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { type ReactNode, useState } from 'react'
import { lazyPart } from '../kit/lazy-part.tsx'
import { createClient } from '../kit/request.ts'
import { session_query, useMembership, useSession, useSetSession } from '../kit/session.ts'
import { showError } from '../kit/toast.ts'
import { UnsavedGuard } from '../kit/unsaved.tsx'
import { CenteredPage } from './CenteredPage.tsx'

const TwoFactorSetup = lazyPart(async () => (await import('./TwoFactorSetup.tsx')).TwoFactorSetup)

/** Replaces a workspace that requires two-factor sign-in, for sessions without it. */
export function TwoFactorGate({ children }: { children: ReactNode }) {
  const { name = '', is_locked = false } = useMembership() ?? {}
  const { has_two_factor, person, workspaces } = useSession()
  const client = useQueryClient()
  // The gate stays while this is true: the workspace opens when the session is read again, and the recovery codes must
  // still be shown then.
  const [is_setting_up, setSettingUp] = useState(false)
  if (!is_locked && !is_setting_up) return children
  const others = workspaces.filter((workspace) => !workspace.is_locked)
  return (
    <UnsavedGuard>
      <CenteredPage
        title="Two-factor sign-in required"
        description={
          has_two_factor && !is_setting_up
            ? `${name} is open only to people who signed in with a code. Sign in again.`
            : `${name} is open only to people who sign in with a password and a code from their phone.`
        }
        foot={
          <>
            Signed in as {person.email}.{' '}
            {others.slice(0, 1).map(({ id, name }) => (
              <Link key={id} to="/w/$workspace" params={{ workspace: id }}>
                Go to {name}
              </Link>
            ))}
          </>
        }
      >
        {has_two_factor && !is_setting_up ? (
          <SignInAgain />
        ) : (
          <TwoFactorSetup
            onTurnedOn={() => setSettingUp(true)}
            onDone={async () => {
              await client.invalidateQueries(session_query)
              setSettingUp(false)
            }}
          />
        )}
      </CenteredPage>
    </UnsavedGuard>
  )
}

function SignInAgain() {
  const setSession = useSetSession()
  const signingOut = useMutation({
    mutationFn: () => createClient().send('DELETE', '/app/session'),
    onError: showError,
    onSuccess: () => setSession(null),
  })
  return (
    <Button loading={signingOut.isPending} onClick={() => signingOut.mutate()}>
      Sign in again
    </Button>
  )
}
