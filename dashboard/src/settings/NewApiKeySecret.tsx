import { Alert } from '@mantine/core'
import { useState } from 'react'
import type { ApiKeyWithSecret } from '../../../server/api-keys/schema.ts'
import { CopyField } from '../kit/CopyField.tsx'
import { FormButtons } from '../kit/Dialog.tsx'
import { AlertIcon } from '../kit/icons.tsx'
import { toUrl } from '../kit/request.ts'
import { secret, useUnsaved } from '../kit/unsaved.tsx'
import styles from './settings.module.css'

export function NewApiKeySecret({ api_key, onClose }: { api_key: ApiKeyWithSecret; onClose: () => void }) {
  const curl = `curl -H 'Authorization: Bearer ${api_key.key}' ${toUrl('/api/v1/contacts')}`
  const [is_copied, setCopied] = useState(false)
  const onCopied = () => setCopied(true)
  const setSaved = useUnsaved(!is_copied, secret)
  const finish = () => {
    setSaved()
    onClose()
  }
  return (
    <div className={styles.form}>
      <Alert icon={<AlertIcon />} color="yellow">
        Copy this key now. You won’t be able to see it again.
      </Alert>
      <CopyField label="API key" value={api_key.key} copy_label="Copy key" onCopied={onCopied} />
      <CopyField label="Try it" value={curl} copy_label="Copy command" onCopied={onCopied} />
      <FormButtons label="Done" onClick={finish} />
    </div>
  )
}
