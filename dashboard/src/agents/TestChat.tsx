import { Alert, Anchor, Button } from '@mantine/core'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { memo, useEffect, useRef, useState } from 'react'
import type { AgentWithDraft } from '../../../server/agents/schema.ts'
import type { Contact } from '../../../server/contacts/schema.ts'
import type { Conversation, Turn } from '../../../server/conversations/schema.ts'
import { addTurn, conversationQuery, turnsQuery } from '../conversations/conversation.ts'
import { MessageForm } from '../conversations/MessageForm.tsx'
import { Transcript } from '../conversations/Transcript.tsx'
import { useConversation } from '../conversations/useConversation.ts'
import type { Note } from '../conversations/useNotes.ts'
import { useApi } from '../kit/api.ts'
import { ChatIcon, RotateIcon } from '../kit/icons.tsx'
import { useIsTest } from '../kit/session.ts'
import { EmptyState, LoadError } from '../kit/states.tsx'
import { showError } from '../kit/toast.ts'
import { providersQuery } from '../settings/providers-query.ts'
import { TalkButton } from '../talk/TalkButton.tsx'
import styles from './agents.module.css'
import { ContactChoice } from './ContactChoice.tsx'
import { describeStep } from './script/script.ts'
import { type Draft, draftNotSaved } from './useDraft.ts'

interface TestChatProps {
  agent: AgentWithDraft
  draft: Draft
  /** Tells the step in which the script is. */
  onStep: (name: string | undefined) => void
}

/**
 * Talks to the draft as a contact would. It isn't rendered again while the draft is typed: `draft.save` saves the
 * latest values.
 */
export const TestChat = memo(Chats, (one, other) => {
  const [before, after] = [one.draft.values, other.draft.values]
  return (
    one.agent === other.agent && before.model === after.model && (before.script === null) === (after.script === null)
  )
})

function Chats({ agent, draft, onStep }: TestChatProps) {
  const api = useApi()
  const client = useQueryClient()
  const can_talk = !useIsTest()
  const saved_at = agent.updated_at
  const [contact, setContact] = useState<Contact>()
  const { id, started_at, begin, is_starting } = useTestConversation(agent, draft, contact?.id)
  const { data: conversation } = useQuery({ ...conversationQuery(api, id ?? ''), enabled: id !== undefined })
  const send = async (text: string) => {
    if (id === undefined) return await begin(text)
    addTurn(client, api, id, await api.send<Turn>('POST', `/conversations/${id}/messages`, { text }))
  }
  const start = () => void begin().catch(showError)
  return (
    <>
      <div className={styles.paneHead}>
        <h2 className={styles.paneTitle}>Test chat</h2>
        <div className={styles.editorActions}>
          {id && (
            <Button
              variant="default"
              size="xs"
              leftSection={<RotateIcon size={15} />}
              loading={is_starting}
              onClick={start}
            >
              Restart
            </Button>
          )}
          {can_talk && <TalkButton agent={agent} contact_id={contact?.id} save={draft.save} />}
        </div>
      </div>
      <div className={styles.contact}>
        <ContactChoice chosen={contact} onChoose={setContact} />
      </div>
      <ProviderNotice draft={draft} workspace={api.workspace} />
      {id && started_at !== saved_at && <p className={styles.notice}>The draft has changed. Restart to test it.</p>}
      {id ? (
        <Chat key={id} id={id} onStep={onStep} />
      ) : (
        <div className={styles.chatStart}>
          <EmptyState
            icon={<ChatIcon size={24} />}
            title="Test the draft"
            action={
              <Button variant="default" loading={is_starting} onClick={start}>
                Start chat
              </Button>
            }
          >
            Start to hear its greeting, or write first.
          </EmptyState>
        </div>
      )}
      <MessageForm
        label="Write as the contact"
        focus_key={id}
        is_disabled={conversation?.status === 'closed'}
        onSend={send}
      />
    </>
  )
}

/**
 * Starts and closes test conversations. The draft's `updated_at`, which changes with each save, tells whether one is
 * outdated.
 */
function useTestConversation(
  { id: agent_id, updated_at: saved_at }: AgentWithDraft,
  draft: Draft,
  contact_id: string | undefined,
) {
  const api = useApi()
  const client = useQueryClient()
  const [started, setStarted] = useState<{ id: string; saved_at: string }>()
  const latest_saved_at = useRef(saved_at)
  latest_saved_at.current = saved_at
  const id = started?.id
  const close = async (statuses: Conversation['status'][]) => {
    const status = id && client.getQueryData(conversationQuery(api, id).queryKey)?.status
    if (status && statuses.includes(status)) await api.send('POST', `/conversations/${id}/close`)
  }
  const starting = useMutation({
    mutationFn: async (message: string | undefined) => {
      if (!(await draft.save())) throw draftNotSaved()
      // Closing fails if the conversation has ended meanwhile, which doesn't matter.
      await close(['open', 'handed_over']).catch(() => {})
      const body = { agent_id, contact_id, use_draft: true, is_test: true, ...(message && { message }) }
      return await api.send<Conversation>('POST', '/conversations', body)
    },
    onSuccess: (conversation) => {
      client.setQueryData(conversationQuery(api, conversation.id).queryKey, conversation)
      client.setQueryData(turnsQuery(api, conversation.id).queryKey, [])
      setStarted({ id: conversation.id, saved_at: latest_saved_at.current })
    },
  })
  const closeOnLeave = useRef(close)
  closeOnLeave.current = close
  useEffect(
    () => () => {
      // If this fails, the conversation is closed when it has been idle. One that was handed over is in the inbox,
      // among test chats.
      closeOnLeave.current(['open']).catch(() => {})
    },
    [],
  )
  return {
    id,
    started_at: started?.saved_at,
    is_starting: starting.isPending,
    begin: (message?: string) => starting.mutateAsync(message),
  }
}

const names: Record<Turn['role'], string> = { contact: 'You', agent: 'Agent', human: 'Person', system: 'System' }

function Chat({ id, onStep }: { id: string } & Pick<TestChatProps, 'onStep'>) {
  const { workspace } = useApi()
  const { conversation, turns, open_turns } = useConversation(id)
  const step = turns.data?.findLast(({ script }) => script !== null)?.script?.step
  useEffect(() => {
    onStep(step)
    return () => onStep(undefined)
  }, [step, onStep])
  const { status = 'open', is_answering = false } = conversation.data ?? {}
  const error = conversation.error ?? turns.error
  if (error && !turns.data) return <LoadError error={error} />
  return (
    <>
      <Transcript
        turns={turns.data ?? []}
        open_turns={open_turns}
        is_answering={is_answering}
        own="contact"
        names={names}
        notes={stepNotes(turns.data ?? [])}
      />
      {status === 'handed_over' && (
        <p className={styles.notice}>
          Handed over to a person.{' '}
          <Anchor
            fz="inherit"
            underline="always"
            renderRoot={(props) => <Link to="/w/$workspace/inbox/$id" params={{ workspace, id }} {...props} />}
          >
            Answer in the inbox
          </Anchor>
        </p>
      )}
      {status === 'closed' && <p className={styles.notice}>The conversation has ended.</p>}
    </>
  )
}

/** Makes notes that say why the script came to each step, before what it said there. */
const stepNotes = (turns: Turn[]): Note[] =>
  turns.flatMap(({ seq, script, created_at }, index) => {
    if (!script) return []
    const at = turns[index - 1]?.created_at ?? new Date(Date.parse(created_at) - 1).toISOString()
    return [{ id: `step ${seq}`, at, text: describeStep(script) }]
  })

/** Explains that an agent without a script can't answer without a provider. */
function ProviderNotice({ draft: { values }, workspace }: { draft: Draft; workspace: string }) {
  const { data } = useQuery(providersQuery(useApi()))
  const needs_default = values.script === null && values.model === null
  if (!data || !needs_default || data.data.some(({ is_default }) => is_default)) return null
  return (
    <Alert color="gray" m="md" mb={0} title="No model provider">
      The agent can’t answer until you{' '}
      <Anchor
        fz="inherit"
        underline="always"
        renderRoot={(props) => <Link to="/w/$workspace/settings/providers" params={{ workspace }} {...props} />}
      >
        set up a default model provider
      </Anchor>
      . Scripts need none.
    </Alert>
  )
}
