import { ActionIcon, Button, Menu } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import type { AgentVersion, AgentWithDraft } from '../../../server/agents/schema.ts'
import { CallButton } from '../calls/CallButton.tsx'
import { useApi } from '../kit/api.ts'
import { ConfirmDialog } from '../kit/ConfirmDialog.tsx'
import { MoreIcon, TrashIcon } from '../kit/icons.tsx'
import { useIsTest } from '../kit/session.ts'
import { showError, showToast } from '../kit/toast.ts'
import { TalkButton } from '../talk/TalkButton.tsx'
import { CompareDialog } from './CompareDialog.tsx'
import { draftNotSaved } from './useDraft.ts'
import { useRefreshAgents } from './useRefreshAgents.ts'

interface AgentActionsProps {
  agent: AgentWithDraft
  can_edit: boolean
  /** Saves the draft. Resolves to whether all is saved. */
  save: () => Promise<boolean>
}

export function AgentActions({ agent, can_edit, save }: AgentActionsProps) {
  const api = useApi()
  const navigate = useNavigate()
  const refresh = useRefreshAgents()
  const [dialog, setDialog] = useState<'compare' | 'roll_back' | 'delete'>()
  const close = () => setDialog(undefined)
  const is_test = useIsTest()
  const path = `/agents/${agent.id}`
  const publishing = useMutation({
    mutationFn: async () => {
      if (!(await save())) throw draftNotSaved()
      return await api.send<AgentVersion>('POST', `${path}/versions`, {})
    },
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
      <Button variant="default" size="xs" onClick={() => void save().then(() => setDialog('compare'))}>
        Compare
      </Button>
      {can_edit && (
        <>
          {!is_test && <TalkButton agent={agent} save={save} />}
          <CallButton agent_id={agent.id} size="xs" />
          <Button variant="default" size="xs" onClick={() => setDialog('roll_back')}>
            Roll back
          </Button>
          <Button
            size="xs"
            disabled={!agent.has_unpublished_changes}
            loading={publishing.isPending}
            onClick={() => publishing.mutate()}
          >
            Publish
          </Button>
          <Menu position="bottom-end">
            <Menu.Target>
              <ActionIcon variant="default" size={30} aria-label="More actions">
                <MoreIcon size={16} />
              </ActionIcon>
            </Menu.Target>
            <Menu.Dropdown>
              <Menu.Item color="red" leftSection={<TrashIcon size={16} />} onClick={() => setDialog('delete')}>
                Delete
              </Menu.Item>
            </Menu.Dropdown>
          </Menu>
        </>
      )}
      <CompareDialog agent={agent} is_open={dialog === 'compare'} onClose={close} />
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
