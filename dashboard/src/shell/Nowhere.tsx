import { Button } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { SearchIcon } from '../kit/icons.tsx'
import { useTitle } from '../kit/Page.tsx'
import { Empty } from '../kit/states.tsx'

export function Nowhere() {
  useTitle('Not found')
  return (
    <main id="main">
      <Empty
        icon={<SearchIcon size={24} />}
        title="There is nothing at this address"
        action={<Button renderRoot={(props) => <Link to="/" {...props} />}>Go to the start</Button>}
      >
        The link may be old, or it belongs to a workspace that you are not a member of.
      </Empty>
    </main>
  )
}
