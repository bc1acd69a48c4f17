import { Button, TextInput } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import type { Conversation } from '../../../server/conversations/schema.ts'
import { useApi } from '../kit/api.ts'
import { ConfirmDialog } from '../kit/ConfirmDialog.tsx'
import { Dialog, FormButtons } from '../kit/Dialog.tsx'
import { showError } from '../kit/toast.ts'
import { useUnsaved } from '../kit/unsaved.tsx'
import { conversationQuery, listKey } from './conversation.ts'

const reason_length_max = 500

function useChange({ id }: Conversation) {
  const api = useApi()
  const client = useQueryClient()
  return async (action: string, body?: object) => {
    const changed = await api.send<Conversation>('POST', `/conversations/${id}/${action}`, body)
    client.setQueryData(conversationQuery(api, id).queryKey, changed)
    await client.invalidateQueries({ queryKey: listKey(api) })
  }
}

interface ConversationActionsProps {
  conversation: Conversation
  /** Whether it is a call, which is hung up instead of closed. */
  is_call?: boolean
}

export function ConversationActions({ conversation, is_call = false }: ConversationActionsProps) {
  const change = useChange(conversation)
  const [dialog, setDialog] = useState<'hand_over' | 'close'>()
  const closeDialog = () => setDialog(undefined)
  const takingBack = useMutation({
    mutationFn: () => change('take_back'),
    onError: showError,
  })
  if (conversation.status === 'closed') return null
  return (
    <>
      {conversation.status === 'open' ? (
        <Button variant="default" size="xs" onClick={() => setDialog('hand_over')}>
          Hand over
        </Button>
      ) : (
        <Button variant="default" size="xs" loading={takingBack.isPending} onClick={() => takingBack.mutate()}>
          Return to agent
        </Button>
      )}
      {!is_call && (
        <Button variant="default" size="xs" data-shortcut="e" onClick={() => setDialog('close')}>
          Close
        </Button>
      )}
      <Dialog is_open={dialog === 'hand_over'} onClose={closeDialog} title="Hand over to a person?">
        <HandOverForm
          onClose={closeDialog}
          onHandOver={async (reason) => {
            await change('hand_over', reason ? { reason } : {})
          }}
        />
      </Dialog>
      <ConfirmDialog
        is_open={dialog === 'close'}
        title="Close this conversation?"
        confirm_label="Close conversation"
        onClose={closeDialog}
        onConfirm={() => change('close')}
      >
        Nobody can add messages after that. This can’t be undone.
      </ConfirmDialog>
    </>
  )
}

interface HandOverFormProps {
  onClose: () => void
  onHandOver: (reason: string) => Promise<unknown>
}

function HandOverForm({ onClose, onHandOver }: HandOverFormProps) {
  const [reason, setReason] = useState('')
  const setSaved = useUnsaved(reason !== '')
  const handingOver = useMutation({
    mutationFn: () => onHandOver(reason.trim()),
    onError: showError,
    onSuccess: () => {
      setSaved()
      onClose()
    },
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    handingOver.mutate()
  }
  return (
    <form onSubmit={submit}>
      <TextInput
        label="Reason"
        description="Optional. Shown in the inbox."
        maxLength={reason_length_max}
        value={reason}
        onChange={({ currentTarget }) => setReason(currentTarget.value)}
        mb="lg"
        data-autofocus
      />
      <FormButtons label="Hand over" is_pending={handingOver.isPending} onCancel={onClose} />
    </form>
  )
}
