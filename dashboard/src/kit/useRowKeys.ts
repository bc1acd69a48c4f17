import { type RefObject, useEffect } from 'react'

/** j and k move the focus between the links of the rows, x selects the row. Enter follows a link anyway. */
export function useRowKeys(table: RefObject<HTMLElement | null>): void {
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (!'jkx'.includes(event.key) || isTyping(event)) return
      const rows = [...(table.current?.querySelectorAll('tbody tr') ?? [])]
      const current = rows.findIndex((row) => row.contains(document.activeElement))
      if (event.key === 'x') {
        rows[current]?.querySelector<HTMLInputElement>('input[type=checkbox]')?.click()
        return
      }
      const next = rows[current === -1 ? 0 : current + (event.key === 'j' ? 1 : -1)]
      next?.querySelector<HTMLElement>('a, button')?.focus()
    }
    addEventListener('keydown', onKey)
    return () => removeEventListener('keydown', onKey)
  }, [table])
}

/** Whether a key press belongs to a field, a dialog, or a command of the browser. */
export const isTyping = ({ target, metaKey, ctrlKey, altKey }: KeyboardEvent): boolean =>
  metaKey ||
  ctrlKey ||
  altKey ||
  (target instanceof HTMLElement &&
    target.closest('input:not([type=checkbox]), textarea, select, [contenteditable], [role=dialog], [role=menu]') !==
      null) ||
  document.querySelector('[aria-modal=true]') !== null
