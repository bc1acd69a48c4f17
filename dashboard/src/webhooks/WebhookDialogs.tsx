import { useQueryClient } from '@tanstack/react-query'
import type { Webhook } from '../../../server/webhooks/schema.ts'
import { useApi } from '../kit/api.ts'
import { Dialog } from '../kit/Dialog.tsx'
import { type SignedDialog, SignedDialogs } from '../kit/SignedDialogs.tsx'
import { RecoverForm } from './RecoverForm.tsx'
import { WebhookForm } from './WebhookForm.tsx'

export type WebhookDialog = SignedDialog<Webhook> | { kind: 'recover'; one: Webhook }

interface WebhookDialogsProps {
  dialog: WebhookDialog | undefined
  onChange: (dialog: WebhookDialog | undefined) => void
}

export function WebhookDialogs({ dialog, onChange }: WebhookDialogsProps) {
  const api = useApi()
  const client = useQueryClient()
  const close = () => onChange(undefined)
  return (
    <>
      <SignedDialogs
        noun="webhook"
        list="webhooks"
        dialog={dialog?.kind === 'recover' ? undefined : dialog}
        onChange={onChange}
        form={(webhook, props) => <WebhookForm {...(webhook && { webhook })} {...props} />}
        delete_text="It stops sending events and its delivery log is deleted."
      />
      <Dialog is_open={dialog?.kind === 'recover'} title="Resend failed deliveries" onClose={close}>
        {dialog?.kind === 'recover' && (
          <RecoverForm
            id={dialog.one.id}
            onDone={() => {
              close()
              void client.invalidateQueries({ queryKey: [api.workspace, 'webhooks'] })
            }}
          />
        )}
      </Dialog>
    </>
  )
}
