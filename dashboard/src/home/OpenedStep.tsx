import { useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import type { Agent } from '../../../server/agents/schema.ts'
import { NewCallForm } from '../calls/NewCallForm.tsx'
import { ChannelForm } from '../channels/ChannelForm.tsx'
import { showChanged } from '../channels/channel.ts'
import { useApi } from '../kit/api.ts'
import { Dialog } from '../kit/Dialog.tsx'
import { ProviderDialogs } from '../settings/ProviderDialogs.tsx'
import { TryChat } from './TryChat.tsx'

export type OpenedKind = 'chat' | 'call' | 'channel' | 'model'

interface OpenedStepProps {
  kind: OpenedKind
  agent: Agent | undefined
  onClose: () => void
}

/** Opens what a step is about: a chat, a call or a form. */
export function OpenedStep({ kind, agent, onClose }: OpenedStepProps) {
  const api = useApi()
  const client = useQueryClient()
  const navigate = useNavigate()
  if (kind === 'chat') return agent && <TryChat agent={agent} onClose={onClose} />
  if (kind === 'model') return <ProviderDialogs dialog={{ kind: 'create', has_default: false }} onChange={onClose} />
  return (
    <Dialog is_open title={kind === 'call' ? 'Test call' : 'New channel'} size="lg" onClose={onClose}>
      {kind === 'call' ? (
        <NewCallForm {...(agent && { agent_id: agent.id })} onClose={onClose} />
      ) : (
        <ChannelForm
          onSaved={async (channel) => {
            showChanged(client, api, channel)
            onClose()
            await navigate({
              to: '/w/$workspace/channels/$id',
              params: { workspace: api.workspace, id: channel.id },
            })
          }}
        />
      )}
    </Dialog>
  )
}
