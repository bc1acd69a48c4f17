import { type RefObject, useEffect } from 'react'

interface RowKeysOptions {
  /** A selector of the rows. */
  rows?: string
  /** Whether each row that is moved to is opened. Then moving begins at the open one. */
  opens?: boolean
}

/**
 * Handles keys of a list: j and k move the focus between the links of the rows, x selects the row. Enter follows a link
 * anyway.
 */
export function useRowKeys(table: RefObject<HTMLElement | null>, options: RowKeysOptions = {}): void {
  const { rows: selector = 'tbody tr', opens = false } = options
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (event.defaultPrevented || !'jkx'.includes(event.key) || isTyping(event)) return
      const rows = [...(table.current?.querySelectorAll(selector) ?? [])]
      const open = opens ? rows.findIndex((row) => row.querySelector('[aria-current=page]')) : -1
      const current = open === -1 ? rows.findIndex((row) => row.contains(document.activeElement)) : open
      // Another table of the page has the focus.
      if (current === -1 && document.activeElement?.closest('tbody')) return
      if (event.key === 'x') {
        const checkbox = rows[current]?.querySelector<HTMLInputElement>('input[type=checkbox]')
        if (!checkbox) return
        event.preventDefault()
        return checkbox.click()
      }
      const next = rows[current === -1 ? 0 : current + (event.key === 'j' ? 1 : -1)]
      const link = next?.querySelector<HTMLElement>('a, button')
      if (!link) return
      event.preventDefault()
      link.focus()
      if (opens) link.click()
    }
    addEventListener('keydown', onKey)
    return () => removeEventListener('keydown', onKey)
  }, [table, selector, opens])
}

/** Whether a key press belongs to a field, a dialog, or a command of the browser. */
export const isTyping = ({ target, metaKey, ctrlKey, altKey }: KeyboardEvent): boolean =>
  metaKey ||
  ctrlKey ||
  altKey ||
  (target instanceof HTMLElement &&
    target.closest('input:not([type=checkbox]), textarea, select, [contenteditable], [role=dialog], [role=menu]') !==
      null) ||
  isModalShown()

export const isModalShown = (): boolean => document.querySelector('[aria-modal=true]') !== null
