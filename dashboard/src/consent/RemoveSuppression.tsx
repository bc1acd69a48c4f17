import { Button } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import type { Suppression } from '../../../server/consent/schema.ts'
import { useApi } from '../kit/api.ts'
import { ConfirmDialog } from '../kit/ConfirmDialog.tsx'
import { useIsOwner } from '../kit/session.ts'
import { showToast } from '../kit/toast.ts'
import { suppressedNumber, suppressionsKey } from './consent.ts'

/** The button to remove a suppression, which only owners see. */
export function RemoveSuppression({ suppression }: { suppression: Suppression }) {
  const { id } = suppression
  const api = useApi()
  const client = useQueryClient()
  const is_owner = useIsOwner()
  const [is_confirming, setConfirming] = useState(false)
  const remove = async () => {
    await api.send('DELETE', `/suppressions/${id}`)
    await client.invalidateQueries({ queryKey: suppressionsKey(api) })
    showToast('Suppression removed.')
  }
  if (!is_owner) return null
  return (
    <>
      <Button
        size="compact-xs"
        variant="subtle"
        color="red"
        aria-label={`Remove the suppression of ${suppressedNumber(suppression)}`}
        onClick={() => setConfirming(true)}
      >
        Remove
      </Button>
      <ConfirmDialog
        is_open={is_confirming}
        title="Remove this suppression?"
        confirm_label="Remove suppression"
        onClose={() => setConfirming(false)}
        onConfirm={remove}
      >
        Agents can contact {suppressedNumber(suppression)} again, unless the person has opted out.
      </ConfirmDialog>
    </>
  )
}
