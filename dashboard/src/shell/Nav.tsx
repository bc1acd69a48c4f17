import { UnstyledButton } from '@mantine/core'
import { Link, useLocation, useParams } from '@tanstack/react-router'
import { useWaitingCount } from '../conversations/useLiveConversations.ts'
import { DocsIcon, MoreIcon } from '../kit/icons.tsx'
import { lazyMenu } from '../kit/lazy-menu.tsx'
import { toUrl } from '../kit/request.ts'
import { useIsOwner } from '../kit/session.ts'
import { groupsFor, isAt, type Place } from './places.ts'
import styles from './shell.module.css'

const PlacesMenu = lazyMenu(async () => (await import('./PlacesMenu.tsx')).PlacesMenu)

const icon_size = 16

export function Nav() {
  const shown = groupsFor(useIsOwner())
  return (
    <nav className={styles.nav} aria-label="Main">
      {shown.map(({ name, places }) => (
        <div key={places[0]?.name} className={styles.group}>
          {name && <span className={styles.groupName}>{name}</span>}
          {places.map((place) => (
            <PlaceLink key={place.name} place={place} />
          ))}
          {name === 'Developers' && (
            <a className={styles.link} href={toUrl('/docs')} target="_blank" rel="noreferrer" title="Docs">
              <DocsIcon size={icon_size} />
              <span className={styles.linkName}>Docs</span>
            </a>
          )}
        </div>
      ))}
      <More places={shown.flatMap(({ places }) => places).filter(({ is_on_phone }) => !is_on_phone)} />
    </nav>
  )
}

function PlaceLink({ place }: { place: Place }) {
  const { workspace = '' } = useParams({ strict: false })
  const { pathname } = useLocation()
  const { to, name, Icon, is_on_phone } = place
  return (
    <Link
      to={to}
      params={{ workspace }}
      className={styles.link}
      title={name}
      data-phone={is_on_phone}
      activeOptions={{ exact: true, includeSearch: false }}
      aria-current={isAt(place, pathname) ? 'page' : undefined}
    >
      <Icon size={icon_size} />
      <span className={styles.linkName}>{name}</span>
      {name === 'Inbox' && <InboxCount />}
    </Link>
  )
}

function InboxCount() {
  const count = useWaitingCount()
  if (!count) return null
  return (
    <span className={styles.count}>
      {count}
      <span className={styles.visuallyHidden}> waiting</span>
    </span>
  )
}

function More({ places }: { places: Place[] }) {
  const { pathname } = useLocation()
  return (
    <PlacesMenu
      places={places}
      target={
        <UnstyledButton className={styles.more} data-current={places.some((place) => isAt(place, pathname))}>
          <MoreIcon size={icon_size} />
          <span className={styles.linkName}>More</span>
        </UnstyledButton>
      }
    />
  )
}
