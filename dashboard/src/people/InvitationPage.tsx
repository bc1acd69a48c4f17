import { Button } from '@mantine/core'
import { useMutation, useQuery } from '@tanstack/react-query'
import { Link, useNavigate, useParams } from '@tanstack/react-router'
import type { OpenInvitation, Session } from '../../../server/people/schema.ts'
import { errorMessage } from '../kit/error-messages.ts'
import { createClient, ParleyError } from '../kit/request.ts'
import { session_query, useSetSession } from '../kit/session.ts'
import { ErrorAlert, LoadError, LoadingSkeleton } from '../kit/states.tsx'
import { CenteredPage } from './CenteredPage.tsx'
import styles from './centered-page.module.css'
import { NewAccountForm } from './NewAccountForm.tsx'
import { roleDescription, roleWithArticle } from './roles.ts'

export function InvitationPage() {
  const { token } = useParams({ from: '/invite/$token' })
  const path = `/app/invitations/${token}`
  const { data: session } = useQuery(session_query)
  const query = useQuery({ queryKey: ['invitation', token], queryFn: () => createClient().get<OpenInvitation>(path) })
  const invitation = query.data
  if (query.error instanceof ParleyError && query.error.status === 404) return <ExpiredInvitation />
  if (query.error && !invitation) return <LoadError error={query.error} retry={query.refetch} />
  if (!invitation || session === undefined) {
    return (
      <CenteredPage title="Invitation">
        <LoadingSkeleton lines={3} height={36} />
      </CenteredPage>
    )
  }
  const description = `${invitation.invited_by} invited you to join as ${roleWithArticle(invitation.role)}. You ${roleDescription(invitation.role).replace('Can', 'can')}`
  return (
    <CenteredPage
      title={`Join ${invitation.workspace.name}`}
      description={description}
      foot={!session && <SignInInstead token={token} />}
    >
      {session ? (
        <Accept path={path} session={session} />
      ) : (
        <NewAccountForm path={path} email={invitation.email} submit_label="Join" />
      )}
    </CenteredPage>
  )
}

function Accept({ path, session }: { path: string; session: Session }) {
  const setSession = useSetSession()
  const navigate = useNavigate()
  const joining = useMutation({
    mutationFn: () => createClient().send<Session>('POST', path, {}),
    onSuccess: async (joined) => {
      setSession(joined)
      const workspace = joined.workspaces.find(({ id }) => !session.workspaces.some((other) => other.id === id))
      await navigate(workspace ? { to: '/w/$workspace', params: { workspace: workspace.id } } : { to: '/' })
    },
  })
  return (
    <div className={styles.form}>
      {joining.error && <ErrorAlert>{errorMessage(joining.error)}</ErrorAlert>}
      <Button loading={joining.isPending} onClick={() => joining.mutate()}>
        Join as {session.person.email}
      </Button>
    </div>
  )
}

const SignInInstead = ({ token }: { token: string }) => (
  <>
    Already have an account?{' '}
    <Link to="/sign-in" search={{ next: `/invite/${token}` }}>
      Sign in
    </Link>
  </>
)

const ExpiredInvitation = () => (
  <CenteredPage
    title="This invitation no longer works"
    description="It was used, revoked or has expired. Ask for a new one."
    foot={<Link to="/sign-in">Sign in</Link>}
  />
)
