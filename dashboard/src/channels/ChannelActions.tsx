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

export function ChannelActions({ channel: { id, status } }: { channel: ChannelWithSettings }) {
  const api = useApi()
  const client = useQueryClient()
  const navigate = useNavigate()
  const [is_deleting, setDeleting] = useState(false)
  const is_disabled = status === 'disabled'
  const switching = useMutation({
    mutationFn: () =>
      api.send<ChannelWithSettings>('PATCH', `/channels/${id}`, { status: is_disabled ? 'active' : 'disabled' }),
    onError: showError,
    onSuccess: (changed) => showChanged(client, api, changed),
  })
  const remove = async () => {
    await api.send('DELETE', `/channels/${id}`)
    showToast('Channel deleted.')
    await navigate({ to: '/w/$workspace/channels', params: { workspace: api.workspace } })
    await client.invalidateQueries(channelsQuery(api))
  }
  return (
    <>
      <Button variant="default" loading={switching.isPending} onClick={() => switching.mutate()}>
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
        Its URL stops working, and its token is deleted. Conversations are kept.
      </ConfirmDialog>
    </>
  )
}
