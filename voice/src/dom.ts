/** Returns an element that the page's HTML has. Throws if it is missing. */
export function byId<T extends HTMLElement = HTMLElement>(id: string): T {
  const found = document.getElementById(id)
  if (!found) throw new Error(`the page has no #${id}`)
  return found as T
}

const near_end_px = 80

export interface Scroller {
  scrollToEnd: () => void
  /** Makes a change, and keeps the end in view, unless the visitor reads further up. */
  keepEndInView: <T>(change: () => T) => T
}

export function newScroller(element: HTMLElement): Scroller {
  // An element that can't have the focus can't be scrolled by keyboard.
  element.tabIndex = 0
  const isAtEnd = () => element.scrollHeight - element.scrollTop - element.clientHeight < near_end_px
  const scrollToEnd = () => element.scrollTo({ top: element.scrollHeight })
  return {
    scrollToEnd,
    keepEndInView(change) {
      const is_at_end = isAtEnd()
      const result = change()
      if (is_at_end) scrollToEnd()
      return result
    },
  }
}
