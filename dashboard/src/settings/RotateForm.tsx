import { Button, Select, Text } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { useApi } from '../kit/api.ts'
import { sayOf } from '../kit/problems.ts'
import { Refusal } from '../kit/states.tsx'
import type { ApiKey, NewApiKey } from './apiKey.ts'
import styles from './settings.module.css'

const overlaps = [
  { value: '0', label: 'Not at all: it stops now' },
  { value: '3600', label: 'For an hour' },
  { value: '86400', label: 'For a day' },
  { value: '604800', label: 'For a week' },
]

export function RotateForm({ api_key, onMade }: { api_key: ApiKey; onMade: (key: NewApiKey) => unknown }) {
  const api = useApi()
  const [overlap, setOverlap] = useState('86400')
  const rotating = useMutation({
    mutationFn: () =>
      api.send<NewApiKey>('POST', `/api_keys/${api_key.id}/rotate`, { overlap_seconds: Number(overlap) }),
    onSuccess: onMade,
  })
  return (
    <div className={styles.form}>
      <Text>
        “{api_key.name}” gets a new secret. Both work for a while, so that you can change your programs without a gap.
      </Text>
      {rotating.error && <Refusal>{sayOf(rotating.error)}</Refusal>}
      <Select
        label="The old secret works on"
        data={overlaps}
        value={overlap}
        onChange={(value) => setOverlap(value ?? '0')}
        allowDeselect={false}
      />
      <Button loading={rotating.isPending} onClick={() => rotating.mutate()}>
        Rotate
      </Button>
    </div>
  )
}
