import { Link, type LinkProps, useLocation } from '@tanstack/react-router'
import { type RefObject, useEffect, useRef } from 'react'
import { useWorkspaceId } from './api.ts'
import styles from './page.module.css'

interface Tab {
  to: LinkProps['to']
  name: string
}

/** Links to pages that belong together, each with its own address. */
export function Tabs({ label, tabs }: { label: string; tabs: readonly Tab[] }) {
  const workspace = useWorkspaceId()
  const bar = useCurrentLinkInView()
  return (
    <nav className={styles.tabs} aria-label={label} ref={bar}>
      {tabs.map(({ to, name }) => (
        <Link
          key={name}
          to={to as '/w/$workspace/contacts'}
          // The parameters of the page stay, such as the id of what it shows.
          params={(known) => ({ ...known, workspace })}
          activeOptions={{ exact: true, includeSearch: false }}
          activeProps={{ 'aria-current': 'page' }}
        >
          {name}
        </Link>
      ))}
    </nav>
  )
}

/** Keeps the link of the current page in view, in a bar of links that scrolls sideways on a phone. */
function useCurrentLinkInView(): RefObject<HTMLElement | null> {
  const { pathname } = useLocation()
  const bar = useRef<HTMLElement>(null)
  // biome-ignore lint/correctness/useExhaustiveDependencies: the current link changes with the path
  useEffect(() => {
    const link = bar.current?.querySelector('[aria-current=page]')
    if (bar.current && link) scrollToLink(bar.current, link)
  }, [pathname])
  return bar
}

/**
 * Scrolls the bar by hand: after `scrollIntoView` the first Tab would begin at the link, and not at the start of the
 * page.
 */
function scrollToLink(bar: HTMLElement, link: Element): void {
  const [frame, own] = [bar.getBoundingClientRect(), link.getBoundingClientRect()]
  if (own.left < frame.left) bar.scrollLeft -= frame.left - own.left
  else if (own.right > frame.right) bar.scrollLeft += own.right - frame.right
}
