import { ActionIcon, Button } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { CallPane } from '../calls/CallPane.tsx'
import { callOfConversationQuery } from '../calls/call.ts'
import { useApi } from '../kit/api.ts'
import { MoreIcon } from '../kit/icons.tsx'
import { lazyMenu } from '../kit/lazy-menu.tsx'
import { useCanEdit } from '../kit/session.ts'
import { LoadError, LoadingSkeleton } from '../kit/states.tsx'
import { ContactName } from './ContactName.tsx'
import { ConversationActions } from './ConversationActions.tsx'
import { ConversationFacts } from './ConversationFacts.tsx'
import { conversationQuery, toNamed } from './conversation.ts'
import styles from './conversations.module.css'
import { Details } from './Details.tsx'
import { HandedOverAnswer } from './HandedOverAnswer.tsx'
import { Kind } from './Kind.tsx'
import { StatusBadge } from './StatusBadge.tsx'
import { Transcript } from './Transcript.tsx'
import { UnverifiedNumber } from './UnverifiedNumber.tsx'
import { useChannelName } from './useChannelName.ts'
import { useContactName } from './useContactName.ts'
import { useConversation } from './useConversation.ts'
import { useMessageStatuses } from './useMessageStatuses.ts'
import { useNotes } from './useNotes.ts'
import { Wait } from './Wait.tsx'

const ConversationMenu = lazyMenu(async () => (await import('./ConversationMenu.tsx')).ConversationMenu)

const unknown = { kind: 'api', channel_id: null, contact_id: null, counterpart: null } as const

/** Shows one conversation. One by voice is shown as its call. */
export function ConversationPane({ id, back }: { id: string; back: ReactNode }) {
  const { data, error, refetch } = useQuery(conversationQuery(useApi(), id))
  if (!data) return <Waiting back={back} error={error} retry={refetch} noun="Conversation" />
  return data.kind === 'voice' ? <VoiceConversation id={id} back={back} /> : <TextConversation id={id} back={back} />
}

function VoiceConversation({ id, back }: { id: string; back: ReactNode }) {
  const { data: call, error, refetch } = useQuery(callOfConversationQuery(useApi(), id))
  if (!call) return <Waiting back={back} error={error} retry={refetch} noun="Call" />
  return <CallPane id={call.id} back={back} />
}

interface WaitingProps {
  back: ReactNode
  error: unknown
  retry: () => unknown
  noun: string
}

const Waiting = ({ back, error, retry, noun }: WaitingProps) => (
  <div className={styles.middle}>
    <div className={styles.head}>{back}</div>
    <div className={styles.waiting}>
      {error ? <LoadError error={error} retry={retry} noun={noun} /> : <LoadingSkeleton lines={6} />}
    </div>
  </div>
)

/** Shows the transcript with its actions, and the facts beside it or in a drawer. */
function TextConversation({ id, back }: { id: string; back: ReactNode }) {
  const can_edit = useCanEdit()
  const { conversation: found, turns, open_turns } = useConversation(id)
  const [are_facts_open, setFactsOpen] = useState(false)
  const conversation = found.data
  const contact = useContactName(conversation ? toNamed(conversation) : unknown)
  const channel = useChannelName(conversation ?? unknown)
  const notes = useNotes({ id, status: conversation?.status ?? 'open' })
  useMessageStatuses(id, turns.data)
  const error = found.error ?? turns.error
  if (!conversation || !turns.data) {
    const retry = () => Promise.all([found.refetch(), turns.refetch()])
    return <Waiting back={back} error={error} retry={retry} noun="Conversation" />
  }
  return (
    <>
      <section className={styles.middle} aria-label={`Conversation with ${contact}`}>
        <div className={styles.head}>
          {back}
          <div className={styles.headText}>
            <h1>
              <ContactName of={toNamed(conversation)} />
            </h1>
            <span className={styles.headFacts}>
              <StatusBadge status={conversation.status} />
              {conversation.waiting_since && <Wait since={conversation.waiting_since} />}
              {conversation.is_test && <span>Test chat</span>}
              <Kind kind={conversation.kind} channel={channel} />
            </span>
          </div>
          <div className={styles.headActions}>
            <Button variant="default" size="xs" className={styles.factsButton} onClick={() => setFactsOpen(true)}>
              Details
            </Button>
            {can_edit && <ConversationActions conversation={conversation} />}
            {can_edit && conversation.redacted_at === null && (
              <ConversationMenu
                conversation_id={id}
                target={
                  <ActionIcon variant="default" size={28} aria-label="More actions">
                    <MoreIcon size={16} />
                  </ActionIcon>
                }
              />
            )}
          </div>
        </div>
        <UnverifiedNumber conversation={conversation} />
        {conversation.redacted_at && <p className={styles.notice}>What was said has been erased.</p>}
        <Transcript
          turns={turns.data}
          open_turns={open_turns}
          is_answering={conversation.is_answering}
          own="agent"
          names={{ contact, agent: conversation.agent_name, human: 'Your team', system: 'System' }}
          notes={notes}
        />
        {can_edit && (
          <HandedOverAnswer
            conversation={conversation}
            label="Write an answer"
            hint={`${conversation.agent_name} answers. Hand over to answer yourself.`}
          />
        )}
      </section>
      <Details is_open={are_facts_open} onClose={() => setFactsOpen(false)}>
        <ConversationFacts conversation={conversation} />
      </Details>
    </>
  )
}
