import { Alert } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import type { ApiKey, ApiKeyWithSecret } from '../../../server/api-keys/schema.ts'
import { useApi } from '../kit/api.ts'
import { ConfirmDialog } from '../kit/ConfirmDialog.tsx'
import { CopyField } from '../kit/CopyField.tsx'
import { Dialog, FormButtons } from '../kit/Dialog.tsx'
import { AlertIcon } from '../kit/icons.tsx'
import { toUrl } from '../kit/request.ts'
import { showToast } from '../kit/toast.ts'
import { secret, useUnsaved } from '../kit/unsaved.tsx'
import { ApiKeyForm } from './ApiKeyForm.tsx'
import { RotateApiKeyForm } from './RotateApiKeyForm.tsx'
import styles from './settings.module.css'

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

function NewApiKeySecret({ api_key, onClose }: { api_key: ApiKeyWithSecret; onClose: () => void }) {
  const curl = `curl -H 'Authorization: Bearer ${api_key.key}' ${toUrl('/api/v1/contacts')}`
  const [is_copied, setCopied] = useState(false)
  const onCopied = () => setCopied(true)
  const setSaved = useUnsaved(!is_copied, secret)
  const finish = () => {
    setSaved()
    onClose()
  }
  return (
    <div className={styles.form}>
      <Alert icon={<AlertIcon />} color="yellow">
        Copy this key now. You won’t be able to see it again.
      </Alert>
      <CopyField label="API key" value={api_key.key} copy_label="Copy key" onCopied={onCopied} />
      <CopyField label="Try it" value={curl} copy_label="Copy command" onCopied={onCopied} />
      <FormButtons label="Done" onClick={finish} />
    </div>
  )
}
