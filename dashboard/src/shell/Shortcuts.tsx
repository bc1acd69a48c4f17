import { UnstyledButton } from '@mantine/core'
import { useEffect, useState } from 'react'
import { SearchIcon } from '../kit/icons.tsx'
import { lazyPart } from '../kit/lazy-part.tsx'
import { isModalShown, isTyping } from '../kit/useRowKeys.ts'
import styles from './shell.module.css'

const loadPalette = () => import('./Palette.tsx')
const Palette = lazyPart(async () => (await loadPalette()).Palette)

const ShortcutsDialog = lazyPart(async () => (await import('./ShortcutsDialog.tsx')).ShortcutsDialog)

const is_mac = /Mac|iP(hone|ad)/.test(navigator.userAgent)
const command_key = is_mac ? '⌘K' : 'Ctrl K'

/**
 * Handles the keys that work on every page, and shows the button of the palette. A control with `data-shortcut="e"` is
 * clicked by that key.
 */
export function Shortcuts() {
  const [open, setOpen] = useState<'palette' | 'shortcuts'>()
  const close = () => setOpen(undefined)
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if ((event.metaKey || event.ctrlKey) && event.key === 'k') {
        event.preventDefault()
        if (!isModalShown()) setOpen('palette')
        return
      }
      if (isTyping(event)) return
      if (event.key === '?') return setOpen('shortcuts')
      const control =
        event.key === '/'
          ? document.querySelector<HTMLElement>('main input[type=search]')
          : document.querySelector<HTMLElement>(`[data-shortcut="${CSS.escape(event.key)}"]`)
      if (!control) return
      event.preventDefault()
      event.key === '/' ? control.focus() : control.click()
    }
    addEventListener('keydown', onKey)
    return () => removeEventListener('keydown', onKey)
  }, [])
  return (
    <>
      <UnstyledButton
        className={styles.palette}
        aria-keyshortcuts="Meta+K Control+K"
        onMouseEnter={() => void loadPalette().catch(() => {})}
        onClick={() => setOpen('palette')}
      >
        <SearchIcon size={14} />
        <span className={styles.paletteName}>Search…</span>
        <span className={styles.keys} aria-hidden="true">
          {command_key}
        </span>
      </UnstyledButton>
      {open === 'palette' && <Palette is_open onClose={close} />}
      {open === 'shortcuts' && <ShortcutsDialog command_key={command_key} onClose={close} />}
    </>
  )
}
