import { Anchor } from '@mantine/core'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useEffect, useRef } from 'react'
import type { Agent } from '../../../server/agents/schema.ts'
import type { Conversation, Turn } from '../../../server/conversations/schema.ts'
import { agentQuery } from '../agents/draft.ts'
import { addTurn } from '../conversations/conversation.ts'
import { MessageForm } from '../conversations/MessageForm.tsx'
import { Transcript } from '../conversations/Transcript.tsx'
import { useConversation } from '../conversations/useConversation.ts'
import { useApi } from '../kit/api.ts'
import { Drawer } from '../kit/Drawer.tsx'
import { useIsTest } from '../kit/session.ts'
import { LoadError, LoadingSkeleton } from '../kit/states.tsx'
import { TalkButton } from '../talk/TalkButton.tsx'
import styles from './home.module.css'

/** Begins at once a test chat with the agent as it is deployed. */
export function TryChat({ agent, onClose }: { agent: Agent; onClose: () => void }) {
  const api = useApi()
  const can_talk = !useIsTest()
  const { data: loaded } = useQuery({ ...agentQuery(api, agent.id), enabled: can_talk })
  const starting = useMutation({
    mutationFn: () => api.send<Conversation>('POST', '/conversations', { agent_id: agent.id, is_test: true }),
  })
  const begin = useRef(starting.mutate)
  useEffect(() => begin.current(), [])
  const id = starting.data?.id
  const close = () => {
    // If this fails, the conversation is closed when it has been idle.
    if (id) api.send('POST', `/conversations/${id}/close`).catch(() => {})
    onClose()
  }
  const link = (
    <div className={styles.links}>
      {can_talk && loaded && <TalkButton agent={loaded.data} save={async () => true} />}
      <Anchor
        renderRoot={(props) => (
          <Link to="/w/$workspace/agents/$id" params={{ workspace: api.workspace, id: agent.id }} {...props} />
        )}
      >
        Edit agent
      </Anchor>
    </div>
  )
  return (
    <Drawer is_open label={`Chat with ${agent.name}`} title={`Chat with ${agent.name}`} link={link} onClose={close}>
      <div className={styles.chat}>
        {starting.error && <LoadError error={starting.error} retry={() => starting.mutate()} />}
        {!id && !starting.error && <LoadingSkeleton />}
        {id && <Chat id={id} agent={agent} />}
      </div>
    </Drawer>
  )
}

function Chat({ id, agent }: { id: string; agent: Agent }) {
  const api = useApi()
  const client = useQueryClient()
  const { conversation, turns, open_turns } = useConversation(id)
  const { status = 'open', is_answering = false } = conversation.data ?? {}
  const names: Record<Turn['role'], string> = { contact: 'You', agent: agent.name, human: 'Person', system: 'System' }
  const send = async (text: string) =>
    addTurn(client, api, id, await api.send<Turn>('POST', `/conversations/${id}/messages`, { text }))
  const error = conversation.error ?? turns.error
  if (error && !turns.data) return <LoadError error={error} retry={turns.refetch} />
  return (
    <>
      <Transcript
        turns={turns.data ?? []}
        open_turns={open_turns}
        is_answering={is_answering}
        own="contact"
        names={names}
      />
      {status === 'closed' && <p className={styles.quiet}>The conversation has ended.</p>}
      <MessageForm label="Write as the contact" focus_key={id} is_disabled={status === 'closed'} onSend={send} />
    </>
  )
}
