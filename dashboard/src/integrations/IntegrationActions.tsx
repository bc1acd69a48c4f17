import { Button, Menu } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import type { Integration } from '../../../server/integrations/schema.ts'
import { useApi } from '../kit/api.ts'
import { ConfirmDialog } from '../kit/ConfirmDialog.tsx'
import { Dialog } from '../kit/Dialog.tsx'
import { KeyIcon, TrashIcon } from '../kit/icons.tsx'
import { MoreMenu } from '../kit/MoreMenu.tsx'
import { showError, showToast } from '../kit/toast.ts'
import { integrationQuery } from './integration.ts'
import { SigningForm } from './SigningForm.tsx'

export function IntegrationActions({ integration }: { integration: Integration }) {
  const api = useApi()
  const client = useQueryClient()
  const navigate = useNavigate()
  const [dialog, setDialog] = useState<'sign' | 'delete'>()
  const { id, status, is_signed } = integration
  const close = () => setDialog(undefined)
  const switching = useMutation({
    mutationFn: () =>
      api.send<Integration>('PATCH', `/integrations/${id}`, { status: status === 'active' ? 'disabled' : 'active' }),
    onError: showError,
    onSuccess: (changed) => client.setQueryData(integrationQuery(api, id).queryKey, changed),
  })
  const remove = async () => {
    await api.send('DELETE', `/integrations/${id}`)
    showToast('Integration deleted.')
    await navigate({ to: '/w/$workspace/integrations', params: { workspace: api.workspace } })
    await client.invalidateQueries({ queryKey: [api.workspace, 'integrations', 'list'] })
  }
  return (
    <>
      <Button variant="default" loading={switching.isPending} onClick={() => switching.mutate()}>
        {status === 'active' ? 'Disable' : 'Enable'}
      </Button>
      <MoreMenu>
        <Menu.Item leftSection={<KeyIcon size={16} />} onClick={() => setDialog('sign')}>
          {is_signed ? 'Change signing' : 'Require signatures'}
        </Menu.Item>
        <Menu.Item color="red" leftSection={<TrashIcon size={16} />} onClick={() => setDialog('delete')}>
          Delete
        </Menu.Item>
      </MoreMenu>
      <Dialog is_open={dialog === 'sign'} onClose={close} title="Require signatures" size="lg">
        <SigningForm integration={integration} onSaved={close} onCancel={close} />
      </Dialog>
      <ConfirmDialog
        is_open={dialog === 'delete'}
        title="Delete this integration?"
        confirm_label="Delete integration"
        onClose={close}
        onConfirm={remove}
      >
        Its URL stops working and its log is deleted. Contacts are kept. This can’t be undone.
      </ConfirmDialog>
    </>
  )
}
