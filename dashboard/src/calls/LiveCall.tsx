import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect } from 'react'
import type { Call } from '../../../server/calls/schema.ts'
import { conversationQuery, turnsQuery } from '../conversations/conversation.ts'
import styles from '../conversations/conversations.module.css'
import { HandedOverAnswer } from '../conversations/HandedOverAnswer.tsx'
import { Transcript } from '../conversations/Transcript.tsx'
import {
  type ConversationMessage,
  conversation_message_types,
  useReceivedTurns,
} from '../conversations/useConversation.ts'
import { useNotes } from '../conversations/useNotes.ts'
import { useApi } from '../kit/api.ts'
import { formatTime } from '../kit/format.ts'
import { PhoneIcon } from '../kit/icons.tsx'
import { useCanEdit, useIsTest } from '../kit/session.ts'
import { EmptyState } from '../kit/states.tsx'
import { useStream } from '../kit/stream.ts'
import { AdvanceClock } from './AdvanceClock.tsx'
import { callQuery, showChanged, status_names } from './call.ts'

type LiveMessage = ConversationMessage | { type: 'call.updated'; data: { call: Call } }

const types = [...conversation_message_types, 'call.updated'] as const

/** Shows a call that has not ended: what is said, as it is said. */
export function LiveCall({ call, contact }: { call: Call; contact: string }) {
  const is_test = useIsTest()
  const can_edit = useCanEdit()
  const { conversation, turns, open_turns } = useLiveCall(call)
  const notes = useNotes({ id: call.conversation_id, status: conversation?.status ?? 'open', is_call: true })
  return (
    <>
      {is_test && can_edit && <AdvanceClock call={call} />}
      {call.status === 'in_progress' ? (
        <Transcript
          turns={turns ?? []}
          open_turns={open_turns}
          is_answering={conversation?.is_answering ?? false}
          own="agent"
          names={{ contact, agent: call.agent_name, human: 'Your team', system: 'System' }}
          notes={notes}
          answering="Speaking…"
        />
      ) : (
        <div className={styles.transcript}>
          <EmptyState icon={<PhoneIcon size={24} />} title={status_names[call.status]}>
            <span role="status">{describeWait(call)}</span>
          </EmptyState>
        </div>
      )}
      {conversation && can_edit && call.status === 'in_progress' && (
        <HandedOverAnswer
          conversation={conversation}
          label="Write what the contact hears"
          hint={`${call.agent_name} speaks. Hand over to answer yourself.`}
        />
      )}
    </>
  )
}

function describeWait({ status, to, scheduled_at, agent_name }: Call): string {
  if (status === 'scheduled' && scheduled_at) return `${agent_name} calls ${to ?? ''} on ${formatTime(scheduled_at)}.`
  if (status === 'ringing') return `${to ?? 'The phone'} is ringing.`
  return 'The call is placed in a moment.'
}

function useLiveCall(call: Call) {
  const api = useApi()
  const client = useQueryClient()
  const id = call.conversation_id ?? ''
  const is_begun = call.conversation_id !== null
  const conversation = useQuery({ ...conversationQuery(api, id), enabled: is_begun })
  const turns = useQuery({ ...turnsQuery(api, id), enabled: is_begun })
  const { open_turns, receive } = useReceivedTurns(id)
  const refresh = () => {
    void client.invalidateQueries(callQuery(api, call.id))
    if (is_begun) void client.invalidateQueries(turnsQuery(api, id))
  }
  const state = useStream<LiveMessage>(api.workspace, {
    path: `/calls/${call.id}/live`,
    types,
    onMessages: (messages) => {
      for (const message of messages) {
        if (message.type === 'call.updated') showChanged(client, api, message.data.call)
        else receive(message)
      }
    },
    onPoll: refresh,
  })
  // The page is read again: a browser that has received no turn yet doesn't tell where to resume, and the stream also
  // ends with the call.
  // biome-ignore lint/correctness/useExhaustiveDependencies: after each connection and disconnection
  useEffect(() => {
    refresh()
  }, [state, call.id, id])
  return { conversation: conversation.data, turns: turns.data, open_turns }
}
