import { Button } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { SearchIcon } from '../kit/icons.tsx'
import { useTitle } from '../kit/Page.tsx'
import { EmptyState } from '../kit/states.tsx'

export function NotFoundPage() {
  useTitle('Page not found')
  return (
    <main id="main">
      <EmptyState
        icon={<SearchIcon size={24} />}
        title="Page not found"
        action={<Button renderRoot={(props) => <Link to="/" {...props} />}>Go to Home</Button>}
      >
        The link may be out of date, or you may not have access to its workspace.
      </EmptyState>
    </main>
  )
}
