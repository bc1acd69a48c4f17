import { Button, Menu, Modal } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import type { AgentVersion, AgentWithDraft } from '../../../server/agents/schema.ts'
import { useApi } from '../kit/api.ts'
import { ConfirmDialog } from '../kit/ConfirmDialog.tsx'
import { ChevronIcon, TrashIcon, UndoIcon } from '../kit/icons.tsx'
import { showError, showToast } from '../kit/toast.ts'
import { AgentForm } from './AgentForm.tsx'
import { useRefreshAgents } from './useRefreshAgents.ts'

export function AgentActions({ agent }: { agent: AgentWithDraft }) {
  const api = useApi()
  const navigate = useNavigate()
  const refresh = useRefreshAgents()
  const [dialog, setDialog] = useState<'edit' | 'roll_back' | 'delete'>()
  const close = () => setDialog(undefined)
  const path = `/agents/${agent.id}`
  const publishing = useMutation({
    mutationFn: () => api.send<AgentVersion>('POST', `${path}/versions`, {}),
    onError: showError,
    onSuccess: ({ version_label }) => {
      showToast(`${version_label} published.`)
      return refresh()
    },
  })
  const rollBack = async () => {
    await api.send('POST', `${path}/rollback`)
    showToast('Rolled back.')
    await refresh()
  }
  const remove = async () => {
    await api.send('DELETE', path)
    showToast('Agent deleted.')
    await navigate({ to: '/w/$workspace/agents', params: { workspace: api.workspace } })
    await refresh()
  }
  return (
    <>
      <Button variant="default" onClick={() => setDialog('edit')}>
        Edit draft
      </Button>
      {agent.has_unpublished_changes && (
        <Button loading={publishing.isPending} onClick={() => publishing.mutate()}>
          Publish
        </Button>
      )}
      <Menu position="bottom-end">
        <Menu.Target>
          <Button variant="default" rightSection={<ChevronIcon size={17} />}>
            More
          </Button>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Item leftSection={<UndoIcon size={16} />} onClick={() => setDialog('roll_back')}>
            Roll back
          </Menu.Item>
          <Menu.Item color="red" leftSection={<TrashIcon size={16} />} onClick={() => setDialog('delete')}>
            Delete
          </Menu.Item>
        </Menu.Dropdown>
      </Menu>
      <Modal opened={dialog === 'edit'} onClose={close} title="Edit draft" size="lg">
        <AgentForm agent={agent} onSaved={close} />
      </Modal>
      <ConfirmDialog
        is_open={dialog === 'roll_back'}
        title="Roll back this agent?"
        confirm_label="Roll back"
        onClose={close}
        onConfirm={rollBack}
      >
        The version that was deployed before {agent.deployed_version.version_label} is deployed again.
      </ConfirmDialog>
      <ConfirmDialog
        is_open={dialog === 'delete'}
        title="Delete this agent?"
        confirm_label="Delete agent"
        onClose={close}
        onConfirm={remove}
      >
        Its versions and deployments are deleted with it.
      </ConfirmDialog>
    </>
  )
}
