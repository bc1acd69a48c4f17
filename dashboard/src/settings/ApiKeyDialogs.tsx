import { Modal } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import type { ApiKey, ApiKeyWithSecret } from '../../../server/api-keys/schema.ts'
import { useApi } from '../kit/api.ts'
import { Ask } from '../kit/ConfirmDialog.tsx'
import { tell } from '../kit/toast.ts'
import { KeyForm } from './ApiKeyForm.tsx'
import { ShownOnce } from './NewApiKeySecret.tsx'
import { RotateForm } from './RotateApiKeyForm.tsx'

export type KeyDialog =
  | { kind: 'create' }
  | { kind: 'shown'; api_key: ApiKeyWithSecret }
  | { kind: 'rotate' | 'revoke'; api_key: ApiKey }

interface KeyDialogsProps {
  dialog: KeyDialog | undefined
  onChange: (dialog: KeyDialog | undefined) => void
}

const titles = { create: 'New API key', shown: 'Your new API key', rotate: 'Rotate API key', revoke: '' }

/** What can be done with keys: one dialog at a time, and a new key is shown when it is made. */
export function KeyDialogs({ dialog, onChange }: KeyDialogsProps) {
  const api = useApi()
  const client = useQueryClient()
  const close = () => onChange(undefined)
  const refresh = () => client.invalidateQueries({ queryKey: [api.workspace, 'api_keys'] })
  const show = async (api_key: ApiKeyWithSecret) => {
    onChange({ kind: 'shown', api_key })
    await refresh()
  }
  const revoke = async (id: string) => {
    await api.send('DELETE', `/api_keys/${id}`)
    await refresh()
    tell('API key revoked.')
  }
  const is_form = dialog !== undefined && dialog.kind !== 'revoke'
  return (
    <>
      <Modal
        opened={is_form}
        onClose={close}
        title={dialog && titles[dialog.kind]}
        size="lg"
        // A key that is shown once must not go by a click beside it.
        closeOnClickOutside={dialog?.kind !== 'shown'}
        closeButtonProps={{ 'aria-label': 'Close' }}
      >
        {dialog?.kind === 'create' && <KeyForm onMade={show} />}
        {dialog?.kind === 'rotate' && <RotateForm api_key={dialog.api_key} onMade={show} />}
        {dialog?.kind === 'shown' && <ShownOnce api_key={dialog.api_key} onClose={close} />}
      </Modal>
      <Ask
        is_open={dialog?.kind === 'revoke'}
        title="Revoke this API key?"
        answer="Revoke key"
        onClose={close}
        onYes={async () => dialog?.kind === 'revoke' && (await revoke(dialog.api_key.id))}
      >
        Programs that use {dialog?.kind === 'revoke' ? `“${dialog.api_key.name}”` : 'it'} lose access within a second.
        This can’t be undone.
      </Ask>
    </>
  )
}
