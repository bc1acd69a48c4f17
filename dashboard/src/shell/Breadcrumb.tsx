import { Link, useLocation, useParams } from '@tanstack/react-router'
import { useIsOwner } from '../kit/session.ts'
import { groupsFor, isAt, type Place } from './places.ts'
import styles from './shell.module.css'

/** Shows where the page belongs: its group, and the list if the page is below one. */
export function Breadcrumb() {
  const { workspace = '' } = useParams({ strict: false })
  const { pathname } = useLocation()
  const groups = groupsFor(useIsOwner())
  const group = groups.find(({ places }) => places.some((place) => isAt(place, pathname)))
  const place = group?.places.find((one) => isAt(one, pathname))
  // Tabs have the title of the page to which they belong.
  const is_below = place && !place.has_tabs && !tabsOf(place, workspace).includes(pathname.replace(/\/$/, ''))
  if (!group?.name && !is_below) return null
  return (
    <nav className={styles.crumbs} aria-label="Breadcrumb">
      <ol>
        {group?.name && <li>{group.name}</li>}
        {is_below && (
          <li>
            <Link to={place.to} params={{ workspace }}>
              {place.name}
            </Link>
          </li>
        )}
      </ol>
    </nav>
  )
}

const tabsOf = ({ to, also = [] }: Place, workspace: string): string[] => [
  to.replace('$workspace', workspace),
  ...also.map((path) => `/w/${workspace}${path}`),
]
