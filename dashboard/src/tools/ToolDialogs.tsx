import { Modal } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import type { Tool, ToolWithSecret } from '../../../server/tools/schema.ts'
import { useApi } from '../kit/api.ts'
import { ConfirmDialog } from '../kit/ConfirmDialog.tsx'
import { NewSecret } from '../kit/NewSecret.tsx'
import { showToast } from '../kit/toast.ts'
import { ToolForm } from './ToolForm.tsx'

export type ToolDialog =
  | { kind: 'create' }
  | { kind: 'secret'; tool: ToolWithSecret }
  | { kind: 'edit' | 'rotate' | 'delete'; tool: Tool }

interface ToolDialogsProps {
  dialog: ToolDialog | undefined
  onChange: (dialog: ToolDialog | undefined) => void
}

const titles = { create: 'New tool', secret: 'Signing secret', edit: 'Edit tool', rotate: '', delete: '' }

/** One dialog at a time. A new secret opens the dialog that shows it. */
export function ToolDialogs({ dialog, onChange }: ToolDialogsProps) {
  const api = useApi()
  const client = useQueryClient()
  const navigate = useNavigate()
  const close = () => onChange(undefined)
  const refresh = () => client.invalidateQueries({ queryKey: [api.workspace, 'tools'] })
  const open = (id: string) => navigate({ to: '/w/$workspace/tools/$id', params: { workspace: api.workspace, id } })
  const showSecret = async (tool: ToolWithSecret) => {
    onChange({ kind: 'secret', tool })
    await refresh()
  }
  const rotate = async (id: string) => {
    const tool = await api.send<ToolWithSecret>('POST', `/tools/${id}/rotate_secret`)
    await refresh()
    // After the confirmation has closed, which would reset the dialog.
    setTimeout(() => onChange({ kind: 'secret', tool }))
  }
  const remove = async (id: string) => {
    await api.send('DELETE', `/tools/${id}`)
    showToast('Tool deleted.')
    await navigate({ to: '/w/$workspace/tools', params: { workspace: api.workspace } })
    await client.invalidateQueries({ queryKey: [api.workspace, 'tools', 'list'] })
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
        {dialog?.kind === 'create' && <ToolForm onSaved={showSecret} />}
        {dialog?.kind === 'edit' && (
          <ToolForm
            tool={dialog.tool}
            onSaved={async () => {
              close()
              await refresh()
            }}
          />
        )}
        {dialog?.kind === 'secret' && (
          <NewSecret
            value={dialog.tool.secret}
            onDone={() => {
              close()
              void open(dialog.tool.id)
            }}
          />
        )}
      </Modal>
      <ConfirmDialog
        is_open={dialog?.kind === 'rotate'}
        title="Rotate the signing secret?"
        confirm_label="Rotate secret"
        onClose={close}
        onConfirm={async () => dialog?.kind === 'rotate' && (await rotate(dialog.tool.id))}
      >
        You get a new secret. The previous secret works for another 24 hours.
      </ConfirmDialog>
      <ConfirmDialog
        is_open={dialog?.kind === 'delete'}
        title="Delete this tool?"
        confirm_label="Delete tool"
        onClose={close}
        onConfirm={async () => dialog?.kind === 'delete' && (await remove(dialog.tool.id))}
      >
        Its secret and headers are deleted. This can’t be undone.
      </ConfirmDialog>
    </>
  )
}
