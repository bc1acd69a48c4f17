import { useState } from 'react'
import { CopyField } from '../kit/CopyField.tsx'
import { FormButtons } from '../kit/Dialog.tsx'
import { useUnsaved } from '../kit/unsaved.tsx'
import styles from './settings.module.css'

const uncopied = {
  title: 'Close without copying?',
  text: 'You haven’t copied the link, and you won’t be able to see it again.',
  discard_label: 'Close without copying',
}

/** Shows a link for someone else, once. */
export function NewLink({ link, onClose }: { link: string; onClose: () => void }) {
  const [is_copied, setCopied] = useState(false)
  useUnsaved(!is_copied, uncopied)
  return (
    <div className={styles.form}>
      <CopyField
        label="Send this link. You won’t be able to see it again."
        value={link}
        copy_label="Copy link"
        onCopied={() => setCopied(true)}
      />
      <FormButtons label="Done" onClick={onClose} />
    </div>
  )
}
