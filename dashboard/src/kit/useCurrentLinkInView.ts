import { useLocation } from '@tanstack/react-router'
import { type RefObject, useEffect, useRef } from 'react'

/** Keeps the link of the current page in view, in a bar of links that scrolls sideways on a phone. */
export function useCurrentLinkInView(): RefObject<HTMLElement | null> {
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
