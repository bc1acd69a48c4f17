import { Select } from '@mantine/core'
import { useMutation, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { NewRecovery, Recovery } from '../../../server/webhooks/schema.ts'
import { useApi } from '../kit/api.ts'
import { FormButtons } from '../kit/Dialog.tsx'
import { errorMessage } from '../kit/error-messages.ts'
import { formatNumber } from '../kit/format.ts'
import { useNow } from '../kit/now.ts'
import { ProgressBar } from '../kit/ProgressBar.tsx'
import { ParleyError } from '../kit/request.ts'
import { ErrorAlert } from '../kit/states.tsx'
import { recoveryQuery } from './webhook.ts'
import styles from './webhooks.module.css'

const hour_ms = 3_600_000
const time_ranges = [
  { value: '1', label: 'Last hour' },
  { value: '24', label: 'Last 24 hours' },
  { value: '168', label: 'Last 7 days' },
  { value: '720', label: 'Last 30 days' },
]

interface RecoverFormProps {
  /** The id of the webhook. */
  id: string
  onDone: () => unknown
}

/** Starts a recovery and follows it. If one is already running, it follows that one. */
export function RecoverForm({ id, onDone }: RecoverFormProps) {
  const api = useApi()
  const now = useNow()
  const [hours, setHours] = useState<string | null>('24')
  const starting = useMutation({
    mutationFn: (range: NewRecovery) => api.send<Recovery>('POST', `/webhooks/${id}/recover`, range),
  })
  const recovery_id = starting.data?.id ?? runningId(starting.error)
  if (recovery_id !== undefined) return <RecoveryProgress id={id} recovery_id={recovery_id} onDone={onDone} />
  return (
    <form
      className={styles.form}
      onSubmit={(event) => {
        event.preventDefault()
        starting.mutate({ since: new Date(now - Number(hours) * hour_ms).toISOString() })
      }}
    >
      {starting.error && <ErrorAlert>{errorMessage(starting.error)}</ErrorAlert>}
      <Select
        label="Time range"
        description="Includes events missed while the webhook was disabled."
        data={time_ranges}
        value={hours}
        onChange={setHours}
        allowDeselect={false}
        data-autofocus
      />
      <FormButtons label="Resend" is_pending={starting.isPending} onCancel={onDone} />
    </form>
  )
}

function runningId(error: unknown): string | undefined {
  const { recovery_id } = error instanceof ParleyError ? error.details : {}
  return typeof recovery_id === 'string' ? recovery_id : undefined
}

function RecoveryProgress({ id, recovery_id, onDone }: RecoverFormProps & { recovery_id: string }) {
  const { data, error } = useQuery(recoveryQuery(useApi(), id, recovery_id))
  const count = data?.recovered ?? 0
  const detail = count > 0 ? `${formatNumber(count)} so far` : ''
  return (
    <div className={styles.form}>
      {error && <ErrorAlert>{errorMessage(error)}</ErrorAlert>}
      {data?.status === 'finished' ? (
        <p role="status" className={styles.result}>
          {count === 1 ? '1 delivery resent.' : `${formatNumber(count)} deliveries resent.`}
        </p>
      ) : (
        <>
          <ProgressBar verb="Resending" detail={detail} />
          <p className={styles.hint}>You can close this dialog. Resending continues in the background.</p>
        </>
      )}
      <FormButtons label={data?.status === 'finished' ? 'Done' : 'Close'} onClick={onDone} />
    </div>
  )
}
