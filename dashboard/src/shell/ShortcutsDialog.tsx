import { Modal } from '@mantine/core'
import styles from './palette.module.css'

const shortcuts = [
  { keys: '/', does: 'Search on this page' },
  { keys: 'c', does: 'Create something on this page' },
  { keys: 'j / k', does: 'Next and previous row' },
  { keys: 'Enter', does: 'Open the row' },
  { keys: 'x', does: 'Select the row' },
  { keys: 'e', does: 'Close the conversation' },
  { keys: 'Esc', does: 'Close a dialog or drawer' },
  { keys: '?', does: 'Keyboard shortcuts' },
]

export const ShortcutsDialog = ({ command_key, onClose }: { command_key: string; onClose: () => void }) => (
  <Modal opened onClose={onClose} title="Keyboard shortcuts" size="sm">
    <dl className={styles.shortcuts}>
      {[{ keys: command_key, does: 'Search, or go to a page' }, ...shortcuts].map(({ keys, does }) => (
        <div key={keys}>
          <dt>{does}</dt>
          <dd>
            <kbd>{keys}</kbd>
          </dd>
        </div>
      ))}
    </dl>
  </Modal>
)
