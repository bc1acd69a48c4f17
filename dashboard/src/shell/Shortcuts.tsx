import { Modal, UnstyledButton } from '@mantine/core'
import { useEffect, useState } from 'react'
import { SearchIcon } from '../kit/icons.tsx'
import { lazyPart } from '../kit/lazy-part.tsx'
import { isTyping } from '../kit/useRowKeys.ts'
import palette_styles from './palette.module.css'
import styles from './shell.module.css'

const loadPalette = () => import('./Palette.tsx')
const Palette = lazyPart(async () => (await loadPalette()).Palette)

const is_mac = /Mac|iP(hone|ad)/.test(navigator.userAgent)
const command_key = is_mac ? '⌘K' : 'Ctrl K'

const shortcuts = [
  { keys: command_key, does: 'Search, or go to a page' },
  { keys: '/', does: 'Search on this page' },
  { keys: 'j / k', does: 'Next and previous row' },
  { keys: 'Enter', does: 'Open the row' },
  { keys: 'x', does: 'Select the row' },
  { keys: 'e', does: 'Close the conversation' },
  { keys: 'Esc', does: 'Close a dialog or drawer' },
  { keys: '?', does: 'Keyboard shortcuts' },
]

/** The button of the palette, and the keys that work on every page. A control with `data-shortcut="e"` is clicked by that key. */
export function Shortcuts() {
  const [open, setOpen] = useState<'palette' | 'shortcuts'>()
  const close = () => setOpen(undefined)
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if ((event.metaKey || event.ctrlKey) && event.key === 'k') {
        event.preventDefault()
        return setOpen('palette')
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
        onMouseEnter={() => void loadPalette()}
        onClick={() => setOpen('palette')}
      >
        <SearchIcon size={14} />
        <span className={styles.paletteName}>Search…</span>
        <span className={styles.keys} aria-hidden="true">
          {command_key}
        </span>
      </UnstyledButton>
      {open === 'palette' && <Palette is_open onClose={close} />}
      <Modal opened={open === 'shortcuts'} onClose={close} title="Keyboard shortcuts" size="sm">
        <dl className={palette_styles.shortcuts}>
          {shortcuts.map(({ keys, does }) => (
            <div key={keys}>
              <dt>{does}</dt>
              <dd>
                <kbd>{keys}</kbd>
              </dd>
            </div>
          ))}
        </dl>
      </Modal>
    </>
  )
}
