import { useQuery } from '@tanstack/react-query'
import { Link, useParams } from '@tanstack/react-router'
import { Problem, request } from '../kit/request.ts'
import { Failure, Waiting } from '../kit/states.tsx'
import { Gate } from './CenteredPage.tsx'
import { PersonForm } from './NewAccountForm.tsx'

/** The one-time link that the first start prints. */
export function SetUp() {
  const { token } = useParams({ from: '/setup/$token' })
  const address = `/app/setup/${token}`
  const link = useQuery({ queryKey: ['setup', token], queryFn: () => request(address), staleTime: Infinity })
  if (link.error instanceof Problem && link.error.status === 404) return <UsedLink />
  if (link.error) return <Failure error={link.error} retry={link.refetch} />
  return (
    <Gate title="Welcome to Parley" about="Create the owner account.">
      {link.isPending ? <Waiting lines={3} height={36} /> : <PersonForm address={address} answer="Create account" />}
    </Gate>
  )
}

const UsedLink = () => (
  <Gate
    title="This link no longer works"
    about="It was already used or has expired. If you have an account, sign in."
    foot={<Link to="/sign-in">Sign in</Link>}
  />
)
