import { useQuery } from '@tanstack/react-query'
import { Link, useParams } from '@tanstack/react-router'
import { createClient, ParleyError } from '../kit/request.ts'
import { LoadError, LoadingSkeleton } from '../kit/states.tsx'
import { CenteredPage } from './CenteredPage.tsx'
import { NewAccountForm } from './NewAccountForm.tsx'

/** Creates the first account. The page is opened by the one-time link that the server prints while it has no users. */
export function SetupPage() {
  const { token } = useParams({ from: '/setup/$token' })
  const path = `/app/setup/${token}`
  const link = useQuery({ queryKey: ['setup', token], queryFn: () => createClient().get(path), staleTime: Infinity })
  if (link.error instanceof ParleyError && link.error.status === 404) return <ExpiredLink />
  if (link.error && !link.data) return <LoadError error={link.error} retry={link.refetch} />
  return (
    <CenteredPage title="Welcome to Parley" description="Create the owner account.">
      {link.isPending ? (
        <LoadingSkeleton lines={3} height={36} />
      ) : (
        <NewAccountForm path={path} submit_label="Create account" />
      )}
    </CenteredPage>
  )
}

const ExpiredLink = () => (
  <CenteredPage
    title="This link no longer works"
    description="It was already used or has expired. If you have an account, sign in."
    foot={<Link to="/sign-in">Sign in</Link>}
  />
)
