import { ActionIcon, Button, Menu } from '@mantine/core'
import { useNavigate } from '@tanstack/react-router'
import { memo, useState } from 'react'
import type { AgentWithDraft } from '../../../server/agents/schema.ts'
import { CallButton } from '../calls/CallButton.tsx'
import { useApi } from '../kit/api.ts'
import { ConfirmDialog } from '../kit/ConfirmDialog.tsx'
import { MoreIcon, TrashIcon, UndoIcon } from '../kit/icons.tsx'
import { showError, showToast } from '../kit/toast.ts'
import { DeployDialog } from './DeployDialog.tsx'
import { draftNotSaved } from './useDraft.ts'
import { useRefreshAgents } from './useRefreshAgents.ts'

interface AgentActionsProps {
  agent: AgentWithDraft
  /** Whether the draft differs from what is live. */
  is_changed: boolean
  /** Saves the draft. Resolves to whether all of it is saved. */
  save: () => Promise<boolean>
}

/** The actions are not rendered again while the draft is typed. `save` saves the latest values in any case. */
export const AgentActions = memo(
  Actions,
  (one, other) => one.agent === other.agent && one.is_changed === other.is_changed,
)

function Actions({ agent, is_changed, save }: AgentActionsProps) {
  const api = useApi()
  const navigate = useNavigate()
  const refresh = useRefreshAgents()
  const [dialog, setDialog] = useState<'deploy' | 'roll_back' | 'delete'>()
  const close = () => setDialog(undefined)
  const path = `/agents/${agent.id}`
  const deploy = async () => {
    if (await save()) setDialog('deploy')
    else showError(draftNotSaved())
  }
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
      <CallButton agent_id={agent.id} size="xs" />
      <Button size="xs" disabled={!is_changed} onClick={() => void deploy()}>
        Deploy…
      </Button>
      <Menu position="bottom-end">
        <Menu.Target>
          <ActionIcon variant="default" size={30} aria-label="More actions">
            <MoreIcon size={16} />
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Item leftSection={<UndoIcon size={16} />} onClick={() => setDialog('roll_back')}>
            Roll back…
          </Menu.Item>
          <Menu.Item color="red" leftSection={<TrashIcon size={16} />} onClick={() => setDialog('delete')}>
            Delete
          </Menu.Item>
        </Menu.Dropdown>
      </Menu>
      <DeployDialog agent={agent} is_open={dialog === 'deploy'} onClose={close} />
      <ConfirmDialog
        is_open={dialog === 'roll_back'}
        title="Roll back this agent?"
        confirm_label="Roll back"
        onClose={close}
        onConfirm={rollBack}
      >
        The version that was live before {agent.deployed_version.version_label} is deployed again.
      </ConfirmDialog>
      <ConfirmDialog
        is_open={dialog === 'delete'}
        title="Delete this agent?"
        confirm_label="Delete agent"
        onClose={close}
        onConfirm={remove}
      >
        Its versions and deployments are deleted with it. This can’t be undone.
      </ConfirmDialog>
    </>
  )
}
