import { Alert, Button } from '@mantine/core'
import type { ApiKeyWithSecret } from '../../../server/api-keys/schema.ts'
import { Secret } from '../kit/CopyField.tsx'
import { AlertIcon } from '../kit/icons.tsx'
import { addressOf } from '../kit/request.ts'
import styles from './settings.module.css'

export function ShownOnce({ api_key, onClose }: { api_key: ApiKeyWithSecret; onClose: () => void }) {
  const curl = `curl -H 'Authorization: Bearer ${api_key.key}' ${addressOf('/api/v1/contacts')}`
  return (
    <div className={styles.form}>
      <Alert icon={<AlertIcon />} color="teal">
        Copy this key now. You won’t be able to see it again.
      </Alert>
      <Secret label="API key" value={api_key.key} copy="Copy key" />
      <Secret label="Try it" value={curl} copy="Copy command" />
      <Button onClick={onClose}>Done</Button>
    </div>
  )
}
