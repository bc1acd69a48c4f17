import { useQueryClient } from '@tanstack/react-query'
import type { ApiKey, ApiKeyWithSecret } from '../../../server/api-keys/schema.ts'
import { useApi } from '../kit/api.ts'
import { ConfirmDialog } from '../kit/ConfirmDialog.tsx'
import { Dialog } from '../kit/Dialog.tsx'
import { showToast } from '../kit/toast.ts'
import { ApiKeyForm } from './ApiKeyForm.tsx'
import { NewApiKeySecret } from './NewApiKeySecret.tsx'
import { RotateApiKeyForm } from './RotateApiKeyForm.tsx'

export type ApiKeyDialog =
  | { kind: 'create' }
  | { kind: 'secret'; api_key: ApiKeyWithSecret }
  | { kind: 'rotate' | 'revoke'; api_key: ApiKey }

interface ApiKeyDialogsProps {
  dialog: ApiKeyDialog | undefined
  onChange: (dialog: ApiKeyDialog | undefined) => void
}

const titles = { create: 'New API key', secret: 'Your new API key', rotate: 'Rotate API key', revoke: '' }

/** Shows one dialog at a time. A new key opens the dialog with its secret. */
export function ApiKeyDialogs({ dialog, onChange }: ApiKeyDialogsProps) {
  const api = useApi()
  const client = useQueryClient()
  const close = () => onChange(undefined)
  const refresh = () => client.invalidateQueries({ queryKey: [api.workspace, 'api_keys'] })
  const showSecret = async (api_key: ApiKeyWithSecret) => {
    onChange({ kind: 'secret', api_key })
    await refresh()
  }
  const revoke = async (id: string) => {
    await api.send('DELETE', `/api_keys/${id}`)
    await refresh()
    showToast('API key revoked.')
  }
  const is_form = dialog !== undefined && dialog.kind !== 'revoke'
  return (
    <>
      <Dialog is_open={is_form} onClose={close} title={dialog && titles[dialog.kind]} size="lg">
        {dialog?.kind === 'create' && <ApiKeyForm onCreated={showSecret} onCancel={close} />}
        {dialog?.kind === 'rotate' && (
          <RotateApiKeyForm api_key={dialog.api_key} onCreated={showSecret} onCancel={close} />
        )}
        {dialog?.kind === 'secret' && <NewApiKeySecret api_key={dialog.api_key} onClose={close} />}
      </Dialog>
      <ConfirmDialog
        is_open={dialog?.kind === 'revoke'}
        title="Revoke this API key?"
        confirm_label="Revoke key"
        onClose={close}
        onConfirm={async () => dialog?.kind === 'revoke' && (await revoke(dialog.api_key.id))}
      >
        Programs that use {dialog?.kind === 'revoke' ? `“${dialog.api_key.name}”` : 'it'} lose access within a second.
        This can’t be undone.
      </ConfirmDialog>
    </>
  )
}
