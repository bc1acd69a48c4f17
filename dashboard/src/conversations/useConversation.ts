import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import type { Conversation, Turn } from '../../../server/conversations/schema.ts'
import { useApi } from '../kit/api.ts'
import { useStream } from '../kit/stream.ts'
import { addTurn, conversationQuery, turnsQuery } from './conversation.ts'

export type ConversationMessage =
  | { type: 'turn.started'; data: Pick<Turn, 'seq' | 'role'> }
  | { type: 'turn.delta'; data: Pick<Turn, 'seq' | 'text'> }
  | { type: 'turn.finished'; data: { turn: Turn } }
  | { type: 'conversation.updated'; data: { conversation: Conversation } }

export const conversation_message_types = [
  'turn.started',
  'turn.delta',
  'turn.finished',
  'conversation.updated',
] as const

/** A turn that is not finished, with what was said so far. In a call both sides may speak at once. */
export type OpenTurn = Pick<Turn, 'seq' | 'role' | 'text'>

/** Reads a conversation and its turns, and keeps them up to date by its stream. */
export function useConversation(id: string) {
  const api = useApi()
  const client = useQueryClient()
  const one = conversationQuery(api, id)
  const all = turnsQuery(api, id)
  const conversation = useQuery(one)
  const turns = useQuery(all)
  const { open_turns, receive } = useReceivedTurns(id)
  const refresh = () => {
    void client.invalidateQueries({ queryKey: one.queryKey })
    void client.invalidateQueries({ queryKey: all.queryKey })
  }
  const state = useStream<ConversationMessage>(api.workspace, {
    path: `/conversations/${id}/stream`,
    types: conversation_message_types,
    onMessages: (messages) => messages.forEach(receive),
    onPoll: refresh,
  })
  // A browser that has received no turn yet doesn't tell where to resume.
  // biome-ignore lint/correctness/useExhaustiveDependencies: after each connection
  useEffect(() => {
    if (state === 'connected') refresh()
  }, [state, id])
  return { conversation, turns, open_turns }
}

/** Applies what a stream says about a conversation. */
export function useReceivedTurns(id: string) {
  const api = useApi()
  const client = useQueryClient()
  const [open_turns, setOpenTurns] = useState<OpenTurn[]>([])
  const receive = (message: ConversationMessage) => {
    const { queryKey } = turnsQuery(api, id)
    if (message.type === 'turn.finished') addTurn(client, api, id, message.data.turn)
    if (message.type === 'conversation.updated') {
      client.setQueryData(conversationQuery(api, id).queryKey, message.data.conversation)
      // A turn is missing if an interrupted answer was written after the message that interrupted it, and the stream
      // has gone on.
      if (isIncomplete(client.getQueryData(queryKey))) void client.invalidateQueries({ queryKey })
    }
    setOpenTurns((open) => nextOpenTurns(open, message))
  }
  return { open_turns, receive }
}

const isIncomplete = (turns: Turn[] = []): boolean => turns.some(({ seq }, index) => seq !== index + 1)

function nextOpenTurns(open: OpenTurn[], message: ConversationMessage): OpenTurn[] {
  switch (message.type) {
    // A turn also starts again after a reconnection, before all that was said so far.
    case 'turn.started':
      return [...open.filter(({ seq }) => seq !== message.data.seq), { ...message.data, text: '' }]
    case 'turn.delta': {
      const { seq, text } = message.data
      const known = open.some((turn) => turn.seq === seq)
      if (!known) return [...open, { seq, role: 'agent', text }]
      return open.map((turn) => (turn.seq === seq ? { ...turn, text: turn.text + text } : turn))
    }
    case 'turn.finished':
      return open.filter(({ seq }) => seq > message.data.turn.seq)
    default:
      return message.data.conversation.is_answering ? open : open.filter(({ role }) => role === 'contact')
  }
}
