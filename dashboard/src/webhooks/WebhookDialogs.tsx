import { Alert, Button, Modal, Select } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import type { Recovered, Webhook, WebhookWithSecret } from '../../../server/webhooks/schema.ts'
import { useApi } from '../kit/api.ts'
import { Ask } from '../kit/ConfirmDialog.tsx'
import { Secret } from '../kit/CopyField.tsx'
import { sayOf } from '../kit/error-messages.ts'
import { AlertIcon } from '../kit/icons.tsx'
import { sayNumber } from '../kit/RelativeTime.tsx'
import { Refusal } from '../kit/states.tsx'
import { tell } from '../kit/toast.ts'
import { WebhookForm } from './WebhookForm.tsx'
import styles from './webhooks.module.css'

export type WebhookDialog =
  | { kind: 'create' }
  | { kind: 'shown'; webhook: WebhookWithSecret }
  | { kind: 'edit' | 'recover' | 'rotate' | 'delete'; webhook: Webhook }

interface WebhookDialogsProps {
  dialog: WebhookDialog | undefined
  onChange: (dialog: WebhookDialog | undefined) => void
}

const titles = {
  create: 'New webhook',
  shown: 'Signing secret',
  edit: 'Edit webhook',
  recover: 'Resend failed deliveries',
  rotate: '',
  delete: '',
}

/** What can be done with webhooks: one dialog at a time, and a secret is shown when it is made. */
export function WebhookDialogs({ dialog, onChange }: WebhookDialogsProps) {
  const api = useApi()
  const client = useQueryClient()
  const navigate = useNavigate()
  const close = () => onChange(undefined)
  const refresh = () => client.invalidateQueries({ queryKey: [api.workspace, 'webhooks'] })
  const go = (id: string) => navigate({ to: '/w/$workspace/webhooks/$id', params: { workspace: api.workspace, id } })
  const show = async (webhook: WebhookWithSecret) => {
    onChange({ kind: 'shown', webhook })
    await refresh()
  }
  const rotate = async (id: string) => {
    const webhook = await api.send<WebhookWithSecret>('POST', `/webhooks/${id}/rotate_secret`)
    await refresh()
    // The question closes when it is answered, and the answer comes after.
    setTimeout(() => onChange({ kind: 'shown', webhook }))
  }
  const remove = async (id: string) => {
    await api.send('DELETE', `/webhooks/${id}`)
    tell('Webhook deleted.')
    await navigate({ to: '/w/$workspace/webhooks', params: { workspace: api.workspace } })
    await client.invalidateQueries({ queryKey: [api.workspace, 'webhooks', 'list'] })
  }
  const is_asked = dialog?.kind === 'rotate' || dialog?.kind === 'delete'
  return (
    <>
      <Modal
        opened={dialog !== undefined && !is_asked}
        onClose={close}
        title={dialog && titles[dialog.kind]}
        size="lg"
        // A secret that is shown once must not go by a click beside it.
        closeOnClickOutside={dialog?.kind !== 'shown'}
        closeButtonProps={{ 'aria-label': 'Close' }}
      >
        {dialog?.kind === 'create' && <WebhookForm onSaved={show} />}
        {dialog?.kind === 'edit' && (
          <WebhookForm
            webhook={dialog.webhook}
            onSaved={async () => {
              close()
              await refresh()
            }}
          />
        )}
        {dialog?.kind === 'recover' && (
          <RecoverForm
            id={dialog.webhook.id}
            onDone={async () => {
              close()
              await refresh()
            }}
          />
        )}
        {dialog?.kind === 'shown' && (
          <div className={styles.form}>
            <Alert icon={<AlertIcon />} color="teal">
              Copy this secret now. You won’t be able to see it again. Your server uses it to verify signatures.
            </Alert>
            <Secret label="Signing secret" value={dialog.webhook.secret} copy="Copy secret" />
            <Button
              onClick={() => {
                close()
                void go(dialog.webhook.id)
              }}
            >
              Done
            </Button>
          </div>
        )}
      </Modal>
      <Ask
        is_open={dialog?.kind === 'rotate'}
        title="Rotate the signing secret?"
        answer="Rotate secret"
        onClose={close}
        onYes={async () => dialog?.kind === 'rotate' && (await rotate(dialog.webhook.id))}
      >
        You get a new secret. The previous secret works for another 24 hours.
      </Ask>
      <Ask
        is_open={dialog?.kind === 'delete'}
        title="Delete this webhook?"
        answer="Delete webhook"
        onClose={close}
        onYes={async () => dialog?.kind === 'delete' && (await remove(dialog.webhook.id))}
      >
        It stops sending events and its delivery log is deleted. This can’t be undone.
      </Ask>
    </>
  )
}

const hour_ms = 3_600_000
const times = [
  { value: '1', label: 'Last hour' },
  { value: '24', label: 'Last 24 hours' },
  { value: '168', label: 'Last 7 days' },
  { value: '720', label: 'Last 30 days' },
]

function RecoverForm({ id, onDone }: { id: string; onDone: () => unknown }) {
  const api = useApi()
  const [hours, setHours] = useState<string | null>('24')
  const recovering = useMutation({
    mutationFn: () =>
      api.send<Recovered>('POST', `/webhooks/${id}/recover`, {
        since: new Date(Date.now() - Number(hours) * hour_ms).toISOString(),
      }),
    onSuccess: ({ recovered }) => {
      tell(recovered === 1 ? '1 delivery resent.' : `${sayNumber(recovered)} deliveries resent.`)
      return onDone()
    },
  })
  return (
    <form
      className={styles.form}
      onSubmit={(event) => {
        event.preventDefault()
        recovering.mutate()
      }}
    >
      {recovering.error && <Refusal>{sayOf(recovering.error)}</Refusal>}
      <Select
        label="Time range"
        description="Includes events missed while the webhook was disabled."
        data={times}
        value={hours}
        onChange={setHours}
        allowDeselect={false}
        data-autofocus
      />
      <Button type="submit" loading={recovering.isPending}>
        Resend
      </Button>
    </form>
  )
}
