import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import type { Conversation, Turn } from '../../../server/conversations/schema.ts'
import { useApi } from '../kit/api.ts'
import { useStream } from '../kit/stream.ts'
import { addTurn, conversationQuery, turnsQuery } from './conversation.ts'

type StreamMessage =
  | { type: 'turn.started'; data: Pick<Turn, 'seq' | 'role'> }
  | { type: 'turn.delta'; data: Pick<Turn, 'seq' | 'text'> }
  | { type: 'turn.finished'; data: { turn: Turn } }
  | { type: 'conversation.updated'; data: { conversation: Conversation } }

const types = ['turn.started', 'turn.delta', 'turn.finished', 'conversation.updated'] as const

/** What the agent has said so far in a turn that is not finished. */
export type OpenTurn = Pick<Turn, 'seq' | 'text'>

/** A conversation and its turns, kept up to date by its stream. */
export function useConversation(id: string) {
  const api = useApi()
  const client = useQueryClient()
  const one = conversationQuery(api, id)
  const all = turnsQuery(api, id)
  const conversation = useQuery(one)
  const turns = useQuery(all)
  const [open_turn, setOpenTurn] = useState<OpenTurn>()
  const receive = (message: StreamMessage) => {
    if (message.type === 'turn.finished') addTurn(client, api, id, message.data.turn)
    if (message.type === 'conversation.updated') {
      client.setQueryData(one.queryKey, message.data.conversation)
      // An interrupted answer is written after the message that interrupted it, and the stream has gone on.
      if (isIncomplete(client.getQueryData(all.queryKey))) void client.invalidateQueries({ queryKey: all.queryKey })
    }
    setOpenTurn((open) => nextOpenTurn(open, message))
  }
  const state = useStream<StreamMessage>(api.workspace, {
    path: `/conversations/${id}/stream`,
    types,
    onMessages: (messages) => messages.forEach(receive),
  })
  // A browser that has received no turn yet doesn't tell where to resume.
  // biome-ignore lint/correctness/useExhaustiveDependencies: after each connection
  useEffect(() => {
    if (state !== 'connected') return
    void client.invalidateQueries({ queryKey: one.queryKey })
    void client.invalidateQueries({ queryKey: all.queryKey })
  }, [state, id])
  return { conversation, turns, open_turn }
}

const isIncomplete = (turns: Turn[] = []): boolean => turns.some(({ seq }, index) => seq !== index + 1)

function nextOpenTurn(open: OpenTurn | undefined, message: StreamMessage): OpenTurn | undefined {
  switch (message.type) {
    // Also after a reconnection, before all that was said so far.
    case 'turn.started':
      return message.data.role === 'agent' ? { seq: message.data.seq, text: '' } : open
    case 'turn.delta': {
      const { seq, text } = message.data
      return { seq, text: open?.seq === seq ? open.text + text : text }
    }
    case 'turn.finished':
      return open && message.data.turn.seq >= open.seq ? undefined : open
    default:
      return message.data.conversation.is_answering ? open : undefined
  }
}
