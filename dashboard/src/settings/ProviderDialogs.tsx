import { useQueryClient } from '@tanstack/react-query'
import type { Provider } from '../../../server/models/schema.ts'
import { useApi } from '../kit/api.ts'
import { ConfirmDialog } from '../kit/ConfirmDialog.tsx'
import { Dialog } from '../kit/Dialog.tsx'
import { showToast } from '../kit/toast.ts'
import { ProviderForm } from './ProviderForm.tsx'

export type ProviderDialog = { kind: 'create'; has_default: boolean } | { kind: 'edit' | 'delete'; provider: Provider }

interface ProviderDialogsProps {
  dialog: ProviderDialog | undefined
  onChange: (dialog: ProviderDialog | undefined) => void
}

/** Shows one dialog at a time. */
export function ProviderDialogs({ dialog, onChange }: ProviderDialogsProps) {
  const api = useApi()
  const client = useQueryClient()
  const close = () => onChange(undefined)
  // Agents are read again, because providers decide whether they can answer.
  const refresh = async () => {
    for (const name of ['providers', 'agents']) await client.invalidateQueries({ queryKey: [api.workspace, name] })
  }
  const saved = async () => {
    close()
    await refresh()
  }
  const remove = async (id: string) => {
    await api.send('DELETE', `/providers/${id}`)
    await refresh()
    showToast('Provider deleted.')
  }
  return (
    <>
      <Dialog
        is_open={dialog?.kind === 'create' || dialog?.kind === 'edit'}
        onClose={close}
        title={dialog?.kind === 'edit' ? 'Edit provider' : 'New provider'}
        size="lg"
      >
        {dialog?.kind === 'create' && (
          <ProviderForm is_default={!dialog.has_default} onSaved={saved} onCancel={close} />
        )}
        {dialog?.kind === 'edit' && (
          <ProviderForm
            provider={dialog.provider}
            is_default={dialog.provider.is_default}
            onSaved={saved}
            onCancel={close}
          />
        )}
      </Dialog>
      <ConfirmDialog
        is_open={dialog?.kind === 'delete'}
        title="Delete this provider?"
        confirm_label="Delete provider"
        onClose={close}
        onConfirm={async () => dialog?.kind === 'delete' && (await remove(dialog.provider.id))}
      >
        Its API key is deleted. This can’t be undone.
      </ConfirmDialog>
    </>
  )
}
