import { Button } from '@mantine/core'
import { useMutation, useQuery } from '@tanstack/react-query'
import { Link, useNavigate, useParams } from '@tanstack/react-router'
import type { OpenInvitation, Session } from '../../../server/people/schema.ts'
import { sayOf } from '../kit/error-messages.ts'
import { Problem, request } from '../kit/request.ts'
import { session_query, useEnter } from '../kit/session.ts'
import { Failure, Refusal, Waiting } from '../kit/states.tsx'
import { Gate } from './CenteredPage.tsx'
import styles from './centered-page.module.css'
import { PersonForm } from './NewAccountForm.tsx'
import { aboutOf, withArticle } from './roles.ts'

export function Invite() {
  const { token } = useParams({ from: '/invite/$token' })
  const address = `/app/invitations/${token}`
  const { data: session } = useQuery(session_query)
  const asked = useQuery({ queryKey: ['invitation', token], queryFn: () => request<OpenInvitation>(address) })
  const invitation = asked.data
  if (asked.error instanceof Problem && asked.error.status === 404) return <GoneInvitation />
  if (asked.error) return <Failure error={asked.error} retry={asked.refetch} />
  if (!invitation || session === undefined) {
    return (
      <Gate title="Invitation">
        <Waiting lines={3} height={36} />
      </Gate>
    )
  }
  const about = `${invitation.invited_by} invited you to join as ${withArticle(invitation.role)}. You ${aboutOf(invitation.role).replace('Can', 'can')}`
  return (
    <Gate title={`Join ${invitation.workspace.name}`} about={about} foot={!session && <SignInInstead token={token} />}>
      {session ? (
        <Accept address={address} session={session} />
      ) : (
        <PersonForm address={address} email={invitation.email} answer="Join" />
      )}
    </Gate>
  )
}

function Accept({ address, session }: { address: string; session: Session }) {
  const enter = useEnter()
  const navigate = useNavigate()
  const joining = useMutation({
    mutationFn: () => request<Session>(address, { method: 'POST', body: {} }),
    onSuccess: async (joined) => {
      enter(joined)
      const fresh = joined.workspaces.find(({ id }) => !session.workspaces.some((known) => known.id === id))
      await navigate(fresh ? { to: '/w/$workspace', params: { workspace: fresh.id } } : { to: '/' })
    },
  })
  return (
    <div className={styles.form}>
      {joining.error && <Refusal>{sayOf(joining.error)}</Refusal>}
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

const GoneInvitation = () => (
  <Gate
    title="This invitation no longer works"
    about="It was used, revoked or has expired. Ask for a new one."
    foot={<Link to="/sign-in">Sign in</Link>}
  />
)
