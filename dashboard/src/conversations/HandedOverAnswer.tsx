import { useQueryClient } from '@tanstack/react-query'
import type { Conversation, Turn } from '../../../server/conversations/schema.ts'
import { explainRefusal } from '../consent/consent.ts'
import { useApi } from '../kit/api.ts'
import { addTurn, conversationQuery, listKey } from './conversation.ts'
import styles from './conversations.module.css'
import { MessageForm } from './MessageForm.tsx'

interface HandedOverAnswerProps {
  conversation: Conversation
  label: string
  /** Shown while the agent answers. */
  hint: string
}

/** Where a person answers once the conversation is handed over. */
export function HandedOverAnswer({ conversation: { id, status }, label, hint }: HandedOverAnswerProps) {
  const api = useApi()
  const client = useQueryClient()
  const answer = async (text: string) => {
    const turn = await api.send<Turn>('POST', `/conversations/${id}/answers`, { text }).catch((error) => {
      throw explainRefusal(error)
    })
    addTurn(client, api, id, turn)
    await Promise.all([
      client.invalidateQueries({ queryKey: conversationQuery(api, id).queryKey }),
      client.invalidateQueries({ queryKey: listKey(api) }),
    ])
  }
  if (status === 'handed_over') return <MessageForm label={label} keep_as={id} onSend={answer} />
  return status === 'open' ? <p className={styles.notice}>{hint}</p> : null
}
