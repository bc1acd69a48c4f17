import { useQueryClient } from '@tanstack/react-query'
import { useLocation } from '@tanstack/react-router'
import { useState } from 'react'
import type { Conversation, Turn } from '../../../server/conversations/schema.ts'
import { explainRefusal } from '../consent/consent.ts'
import { useApi } from '../kit/api.ts'
import { addTurn, conversationQuery, listKey } from './conversation.ts'
import styles from './conversations.module.css'
import { MessageForm } from './MessageForm.tsx'

interface HandedOverAnswerProps {
  conversation: Conversation
  label: string
  /** The text while the agent answers. */
  hint: string
}

/** The field in which a person answers once the conversation is handed over. */
export function HandedOverAnswer({ conversation: { id, status }, label, hint }: HandedOverAnswerProps) {
  const api = useApi()
  const client = useQueryClient()
  const takes_focus = useTakesFocus(status === 'handed_over')
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
  if (status === 'handed_over')
    return <MessageForm label={label} keep_as={id} onSend={answer} focus_key={takes_focus ? id : undefined} />
  return status === 'open' ? <p className={styles.notice}>{hint}</p> : null
}

/** Decides whether the field takes the focus when the conversation is opened. Later the focus stays where it is. */
function useTakesFocus(can_answer: boolean): boolean {
  const opens_to_answer = useLocation({ select: ({ state }) => state.opens_to_answer === true })
  const [takes_focus] = useState(() => can_answer && opens_to_answer && !hasScreenKeyboard() && isFocusFree())
  return takes_focus
}

const hasScreenKeyboard = (): boolean => matchMedia('(pointer: coarse)').matches

/**
 * Whether nothing has the focus but a link that was clicked. After j and k the row keeps the focus, so that these keys
 * go on.
 */
function isFocusFree(): boolean {
  const { activeElement: focused, body } = document
  return !focused || focused === body || focused.matches('a:not(:focus-visible)')
}
