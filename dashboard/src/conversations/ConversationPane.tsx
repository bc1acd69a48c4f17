import { Button, Drawer } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import type { Turn } from '../../../server/conversations/schema.ts'
import { explainRefusal } from '../consent/consent.ts'
import { useApi } from '../kit/api.ts'
import { useCanEdit } from '../kit/session.ts'
import { LoadError, LoadingSkeleton } from '../kit/states.tsx'
import { useContactName } from './ContactName.tsx'
import { ConversationActions } from './ConversationActions.tsx'
import { ConversationFacts } from './ConversationFacts.tsx'
import { addTurn, listKey } from './conversation.ts'
import styles from './conversations.module.css'
import { Kind } from './Kind.tsx'
import { MessageForm } from './MessageForm.tsx'
import { StatusBadge } from './StatusBadge.tsx'
import { Transcript } from './Transcript.tsx'
import { UnverifiedNumber } from './UnverifiedNumber.tsx'
import { useChannelName } from './useChannelName.ts'
import { useConversation } from './useConversation.ts'
import { useMessageStatuses } from './useMessageStatuses.ts'

const unknown = { kind: 'api', channel_id: null, contact_id: null, counterpart: null } as const

/** One conversation: the transcript with its actions, and the facts beside it or in a drawer. */
export function ConversationPane({ id, back }: { id: string; back: ReactNode }) {
  const api = useApi()
  const client = useQueryClient()
  const can_edit = useCanEdit()
  const { conversation: found, turns, open_turn } = useConversation(id)
  const [are_facts_open, setFactsOpen] = useState(false)
  const conversation = found.data
  const contact = useContactName(conversation ?? unknown)
  const channel = useChannelName(conversation ?? unknown)
  useMessageStatuses(id, turns.data)
  const error = found.error ?? turns.error
  if (!conversation || !turns.data) {
    return (
      <div className={styles.middle}>
        <div className={styles.head}>{back}</div>
        <div className={styles.waiting}>
          {error ? (
            <LoadError
              error={error}
              retry={() => Promise.all([found.refetch(), turns.refetch()])}
              noun="Conversation"
            />
          ) : (
            <LoadingSkeleton lines={6} />
          )}
        </div>
      </div>
    )
  }
  const answer = async (text: string) => {
    const turn = await api.send<Turn>('POST', `/conversations/${id}/answers`, { text }).catch((error) => {
      throw explainRefusal(error)
    })
    addTurn(client, api, id, turn)
    await client.invalidateQueries({ queryKey: listKey(api) })
  }
  return (
    <>
      <section className={styles.middle} aria-label={`Conversation with ${contact}`}>
        <div className={styles.head}>
          {back}
          <div className={styles.headText}>
            <h1>{contact}</h1>
            <span className={styles.headFacts}>
              <StatusBadge status={conversation.status} />
              <Kind kind={conversation.kind} channel={channel} />
            </span>
          </div>
          <div className={styles.headActions}>
            <Button variant="default" size="xs" className={styles.factsButton} onClick={() => setFactsOpen(true)}>
              Details
            </Button>
            {can_edit && <ConversationActions conversation={conversation} />}
          </div>
        </div>
        <UnverifiedNumber conversation={conversation} />
        {conversation.redacted_at && <p className={styles.notice}>What was said has been erased.</p>}
        <Transcript
          turns={turns.data}
          open_turn={open_turn}
          is_answering={conversation.is_answering}
          own="agent"
          names={{ contact, agent: conversation.agent_name, human: 'Your team', system: 'System' }}
        />
        {can_edit && conversation.status === 'handed_over' && <MessageForm label="Write an answer" onSend={answer} />}
        {can_edit && conversation.status === 'open' && (
          <p className={styles.notice}>{conversation.agent_name} answers. Hand over to answer yourself.</p>
        )}
      </section>
      <aside className={styles.right} aria-label="Details">
        <ConversationFacts conversation={conversation} />
      </aside>
      <Drawer
        opened={are_facts_open}
        onClose={() => setFactsOpen(false)}
        position="right"
        size={360}
        title="Details"
        lockScroll={false}
        closeButtonProps={{ 'aria-label': 'Close' }}
      >
        <ConversationFacts conversation={conversation} />
      </Drawer>
    </>
  )
}
