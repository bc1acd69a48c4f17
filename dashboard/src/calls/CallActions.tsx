import { ActionIcon, Button, Menu } from '@mantine/core'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import type { Call } from '../../../server/calls/schema.ts'
import { ConversationActions } from '../conversations/ConversationActions.tsx'
import { MakeTestItem } from '../conversations/ConversationMenu.tsx'
import { conversationQuery } from '../conversations/conversation.ts'
import { useApi } from '../kit/api.ts'
import { ConfirmDialog } from '../kit/ConfirmDialog.tsx'
import { HangUpIcon, MoreIcon, TrashIcon } from '../kit/icons.tsx'
import { useCanEdit, useIsOwner } from '../kit/session.ts'
import { showError, showToast } from '../kit/toast.ts'
import { callQuery, isOver, showChanged } from './call.ts'
import { DownloadMenu } from './DownloadMenu.tsx'

export function CallActions({ call }: { call: Call }) {
  const can_edit = useCanEdit()
  if (isOver(call)) {
    return (
      <>
        <DownloadMenu call={call} />
        <MoreActions call={call} />
      </>
    )
  }
  return can_edit ? <LiveActions call={call} /> : null
}

function LiveActions({ call }: { call: Call }) {
  const api = useApi()
  const client = useQueryClient()
  const is_answered = call.status === 'in_progress'
  const { data: conversation } = useQuery({
    ...conversationQuery(api, call.conversation_id ?? ''),
    enabled: is_answered && call.conversation_id !== null,
  })
  const ending = useMutation({
    mutationFn: () => api.send<Call>('POST', `/calls/${call.id}/${is_answered ? 'hang_up' : 'cancel'}`),
    onSuccess: (changed) => showChanged(client, api, changed),
    onError: (error) => {
      showError(error)
      // The call may have been answered or have ended meanwhile.
      void client.invalidateQueries(callQuery(api, call.id))
    },
  })
  return (
    <>
      {is_answered && conversation && <ConversationActions conversation={conversation} is_call />}
      <Button
        size="xs"
        color="red"
        leftSection={<HangUpIcon size={16} />}
        loading={ending.isPending}
        onClick={() => ending.mutate()}
      >
        {is_answered ? 'Hang up' : 'Cancel call'}
      </Button>
    </>
  )
}

/** Makes a test of the call. Owners can also erase its recording or what was said. */
function MoreActions({ call }: { call: Call }) {
  const api = useApi()
  const client = useQueryClient()
  const is_owner = useIsOwner()
  const can_edit = useCanEdit()
  const [dialog, setDialog] = useState<'recording' | 'redact'>()
  const close = () => setDialog(undefined)
  const has_recording = call.recording.status === 'ready'
  if (!can_edit || call.redacted_at) return null
  const conversation_id = call.turn_count > 0 ? call.conversation_id : null
  if (!is_owner && conversation_id === null) return null
  const deleteRecording = async () => {
    await api.send('DELETE', `/calls/${call.id}/recording`)
    await client.invalidateQueries(callQuery(api, call.id))
    showToast('Recording deleted.')
  }
  const redact = async () => {
    showChanged(client, api, await api.send<Call>('POST', `/calls/${call.id}/redact`))
    showToast('What was said has been erased.')
  }
  return (
    <>
      <Menu position="bottom-end">
        <Menu.Target>
          <ActionIcon variant="default" size={30} aria-label="More actions">
            <MoreIcon size={16} />
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown>
          {conversation_id !== null && <MakeTestItem conversation_id={conversation_id} />}
          {is_owner && has_recording && (
            <Menu.Item color="red" leftSection={<TrashIcon size={16} />} onClick={() => setDialog('recording')}>
              Delete recording
            </Menu.Item>
          )}
          {is_owner && (
            <Menu.Item color="red" leftSection={<TrashIcon size={16} />} onClick={() => setDialog('redact')}>
              Erase what was said
            </Menu.Item>
          )}
        </Menu.Dropdown>
      </Menu>
      <ConfirmDialog
        is_open={dialog === 'recording'}
        title="Delete this recording?"
        confirm_label="Delete recording"
        onClose={close}
        onConfirm={deleteRecording}
      >
        The transcript is kept. This can’t be undone.
      </ConfirmDialog>
      <ConfirmDialog
        is_open={dialog === 'redact'}
        title="Erase what was said?"
        confirm_label="Erase"
        onClose={close}
        onConfirm={redact}
      >
        This erases the transcript, the recording, the numbers, the results and the metadata of this call. This can’t be
        undone.
      </ConfirmDialog>
    </>
  )
}
