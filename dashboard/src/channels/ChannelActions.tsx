import { Button, Menu } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import type { ChannelWithSettings } from '../../../server/channels/schema.ts'
import { useApi } from '../kit/api.ts'
import { ConfirmDialog } from '../kit/ConfirmDialog.tsx'
import { TrashIcon } from '../kit/icons.tsx'
import { MoreMenu } from '../kit/MoreMenu.tsx'
import { showError, showToast } from '../kit/toast.ts'
import { channelsQuery, showChanged } from './channel.ts'

const disable_texts: Record<ChannelWithSettings['kind'], string> = {
  web_chat: 'Visitors can no longer chat.',
  sms: 'Messages are no longer received or sent. STOP still counts.',
  voice: 'Calls are no longer answered or placed.',
}
const delete_texts: Record<ChannelWithSettings['provider'], string> = {
  web: 'Its page and its snippet stop working. Conversations are kept.',
  twilio: 'Its URL stops working, and its token is deleted. Conversations are kept.',
  simulator: 'Conversations are kept.',
}

export function ChannelActions({ channel: { id, kind, provider, status } }: { channel: ChannelWithSettings }) {
  const api = useApi()
  const client = useQueryClient()
  const navigate = useNavigate()
  const [is_deleting, setDeleting] = useState(false)
  const [is_disabling, setDisabling] = useState(false)
  const is_disabled = status === 'disabled'
  const setStatus = async (status: 'active' | 'disabled') =>
    showChanged(client, api, await api.send<ChannelWithSettings>('PATCH', `/channels/${id}`, { status }))
  const enabling = useMutation({ mutationFn: () => setStatus('active'), onError: showError })
  const remove = async () => {
    await api.send('DELETE', `/channels/${id}`)
    showToast('Channel deleted.')
    await navigate({ to: '/w/$workspace/channels', params: { workspace: api.workspace } })
    await client.invalidateQueries(channelsQuery(api))
  }
  return (
    <>
      <Button
        variant="default"
        loading={enabling.isPending}
        onClick={() => (is_disabled ? enabling.mutate() : setDisabling(true))}
      >
        {is_disabled ? 'Enable' : 'Disable'}
      </Button>
      <MoreMenu>
        <Menu.Item color="red" leftSection={<TrashIcon size={16} />} onClick={() => setDeleting(true)}>
          Delete
        </Menu.Item>
      </MoreMenu>
      <ConfirmDialog
        is_open={is_deleting}
        title="Delete this channel?"
        confirm_label="Delete channel"
        onClose={() => setDeleting(false)}
        onConfirm={remove}
      >
        {delete_texts[provider]} This can’t be undone.
      </ConfirmDialog>
      <ConfirmDialog
        is_open={is_disabling}
        title="Disable this channel?"
        confirm_label="Disable channel"
        onClose={() => setDisabling(false)}
        onConfirm={() => setStatus('disabled')}
      >
        {disable_texts[kind]}
      </ConfirmDialog>
    </>
  )
}
