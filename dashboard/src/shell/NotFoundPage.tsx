import { Button } from '@mantine/core'
import { Link, useParams } from '@tanstack/react-router'
import { SearchIcon } from '../kit/icons.tsx'
import { useTitle } from '../kit/Page.tsx'
import styles from '../kit/page.module.css'

/** Says in the shell that there is no such page. */
export function NotFoundPage() {
  useTitle('Page not found')
  const { workspace } = useParams({ strict: false })
  return (
    <div className={styles.empty}>
      <div className={styles.emptyIcon}>
        <SearchIcon size={20} />
      </div>
      <h1 className={styles.emptyTitle}>Page not found</h1>
      <p className={styles.emptyText}>The link may be out of date, or you may not have access to its workspace.</p>
      <Button
        renderRoot={(props) =>
          workspace ? <Link to="/w/$workspace" params={{ workspace }} {...props} /> : <Link to="/" {...props} />
        }
      >
        Go to Home
      </Button>
    </div>
  )
}

/** Says so outside of a workspace, or in one that the person isn't in. */
export const BareNotFoundPage = () => (
  <main id="main">
    <NotFoundPage />
  </main>
)
