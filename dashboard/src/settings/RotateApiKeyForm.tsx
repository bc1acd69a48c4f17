import { Select, Text } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import type { ApiKey, ApiKeyWithSecret } from '../../../server/api-keys/schema.ts'
import { useApi } from '../kit/api.ts'
import { FormButtons } from '../kit/Dialog.tsx'
import { errorMessage } from '../kit/error-messages.ts'
import { ErrorAlert } from '../kit/states.tsx'
import styles from './settings.module.css'

const overlaps = [
  { value: '0', label: 'Immediately' },
  { value: '3600', label: 'In 1 hour' },
  { value: '86400', label: 'In 24 hours' },
  { value: '604800', label: 'In 7 days' },
]

interface RotateApiKeyFormProps {
  api_key: ApiKey
  onCreated: (key: ApiKeyWithSecret) => unknown
  onCancel: () => void
}

export function RotateApiKeyForm({ api_key, onCreated, onCancel }: RotateApiKeyFormProps) {
  const api = useApi()
  const [overlap, setOverlap] = useState('86400')
  const rotating = useMutation({
    mutationFn: () =>
      api.send<ApiKeyWithSecret>('POST', `/api_keys/${api_key.id}/rotate`, { overlap_seconds: Number(overlap) }),
    onSuccess: onCreated,
  })
  return (
    <div className={styles.form}>
      <Text>You get a new key for “{api_key.name}”. The old key can keep working while you switch.</Text>
      {rotating.error && <ErrorAlert>{errorMessage(rotating.error)}</ErrorAlert>}
      <Select
        label="Expire the old key"
        data={overlaps}
        value={overlap}
        onChange={(value) => setOverlap(value ?? '0')}
        allowDeselect={false}
      />
      <FormButtons
        label="Rotate key"
        is_pending={rotating.isPending}
        onCancel={onCancel}
        onClick={() => rotating.mutate()}
      />
    </div>
  )
}
