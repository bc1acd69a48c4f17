import { Modal } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import type { Webhook, WebhookWithSecret } from '../../../server/webhooks/schema.ts'
import { useApi } from '../kit/api.ts'
import { ConfirmDialog } from '../kit/ConfirmDialog.tsx'
import { NewSecret } from '../kit/NewSecret.tsx'
import { showToast } from '../kit/toast.ts'
import { RecoverForm } from './RecoverForm.tsx'
import { WebhookForm } from './WebhookForm.tsx'

export type WebhookDialog =
  | { kind: 'create' }
  | { kind: 'secret'; webhook: WebhookWithSecret }
  | { kind: 'edit' | 'recover' | 'rotate' | 'delete'; webhook: Webhook }

interface WebhookDialogsProps {
  dialog: WebhookDialog | undefined
  onChange: (dialog: WebhookDialog | undefined) => void
}

const titles = {
  create: 'New webhook',
  secret: 'Signing secret',
  edit: 'Edit webhook',
  recover: 'Resend failed deliveries',
  rotate: '',
  delete: '',
}

/** One dialog at a time. A new secret opens the dialog that shows it. */
export function WebhookDialogs({ dialog, onChange }: WebhookDialogsProps) {
  const api = useApi()
  const client = useQueryClient()
  const navigate = useNavigate()
  const close = () => onChange(undefined)
  const refresh = () => client.invalidateQueries({ queryKey: [api.workspace, 'webhooks'] })
  const open = (id: string) => navigate({ to: '/w/$workspace/webhooks/$id', params: { workspace: api.workspace, id } })
  const showSecret = async (webhook: WebhookWithSecret) => {
    onChange({ kind: 'secret', webhook })
    await refresh()
  }
  const rotate = async (id: string) => {
    const webhook = await api.send<WebhookWithSecret>('POST', `/webhooks/${id}/rotate_secret`)
    await refresh()
    // After the confirmation has closed, which would reset the dialog.
    setTimeout(() => onChange({ kind: 'secret', webhook }))
  }
  const remove = async (id: string) => {
    await api.send('DELETE', `/webhooks/${id}`)
    showToast('Webhook deleted.')
    await navigate({ to: '/w/$workspace/webhooks', params: { workspace: api.workspace } })
    await client.invalidateQueries({ queryKey: [api.workspace, 'webhooks', 'list'] })
  }
  const is_confirmation = dialog?.kind === 'rotate' || dialog?.kind === 'delete'
  return (
    <>
      <Modal
        opened={dialog !== undefined && !is_confirmation}
        onClose={close}
        title={dialog && titles[dialog.kind]}
        size="lg"
        // A stray click must not close the only view of the secret.
        closeOnClickOutside={dialog?.kind !== 'secret'}
      >
        {dialog?.kind === 'create' && <WebhookForm onSaved={showSecret} />}
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
        {dialog?.kind === 'secret' && (
          <NewSecret
            value={dialog.webhook.secret}
            onDone={() => {
              close()
              void open(dialog.webhook.id)
            }}
          />
        )}
      </Modal>
      <ConfirmDialog
        is_open={dialog?.kind === 'rotate'}
        title="Rotate the signing secret?"
        confirm_label="Rotate secret"
        onClose={close}
        onConfirm={async () => dialog?.kind === 'rotate' && (await rotate(dialog.webhook.id))}
      >
        You get a new secret. The previous secret works for another 24 hours.
      </ConfirmDialog>
      <ConfirmDialog
        is_open={dialog?.kind === 'delete'}
        title="Delete this webhook?"
        confirm_label="Delete webhook"
        onClose={close}
        onConfirm={async () => dialog?.kind === 'delete' && (await remove(dialog.webhook.id))}
      >
        It stops sending events and its delivery log is deleted. This can’t be undone.
      </ConfirmDialog>
    </>
  )
}
