import { type QueryClient, queryOptions } from '@tanstack/react-query'
import type { Conversation, ConversationQuery, Turn } from '../../../server/conversations/schema.ts'
import type { Api } from '../kit/api.ts'
import { formatNumber } from '../kit/format.ts'
import { readAll } from '../kit/read-all.ts'
import type { List } from '../kit/request.ts'

export type Status = Conversation['status']

export const status_names: Record<Status, string> = { open: 'Open', handed_over: 'Handed over', closed: 'Closed' }
export const statuses = Object.keys(status_names) as Status[]

export const kind_names: Record<Conversation['kind'], string> = {
  api: 'API',
  web_chat: 'Web chat',
  sms: 'SMS',
  voice: 'Call',
}

export const close_reason_names: Record<NonNullable<Conversation['close_reason']>, string> = {
  agent_ended: 'Ended by the agent',
  contact_ended: 'Ended by the contact',
  human_ended: 'Closed by a person',
  api: 'Closed over the API',
  idle: 'Closed after no messages',
  limit: 'Limit reached',
  opted_out: 'Contact opted out',
  agent_deleted: 'Agent deleted',
  error: 'Closed after an error',
}

/** Whether the number was typed by a visitor of a web chat. Nobody has checked that it is theirs. */
export const isUnverified = ({ kind, contact_id, counterpart }: Named): boolean =>
  kind === 'web_chat' && contact_id === null && counterpart !== null

/** The facts by which a conversation is named. */
export interface Named extends Pick<Conversation, 'kind' | 'contact_id' | 'counterpart'> {
  /** Whether someone tries the agent. */
  is_trial?: boolean
}

export const toNamed = (conversation: Conversation): Named => ({
  ...conversation,
  // Whoever talks to a draft tries the agent, too.
  is_trial: conversation.is_test || conversation.agent_version.id === null,
})

/** Up to this many turns of a conversation are shown. */
const turns_max = 10_000

/** The keys of all lists of conversations begin with this. */
export const listKey = (api: Api) => [api.workspace, 'conversations', 'list']

export const conversationQuery = (api: Api, id: string) =>
  queryOptions({
    queryKey: [api.workspace, 'conversations', 'one', id],
    queryFn: ({ signal }) => api.get<Conversation>(`/conversations/${id}`, {}, signal),
  })

export const turnsQuery = (api: Api, id: string) =>
  queryOptions({
    queryKey: [api.workspace, 'conversations', 'turns', id],
    // A turn that the stream has added since the server read the list must not disappear.
    queryFn: async ({ signal, client, queryKey }) => {
      const turns = await readAll<Turn>(api, `/conversations/${id}/turns`, { items_max: turns_max, signal })
      return merge(turns, client.getQueryData<Turn[]>(queryKey) ?? [])
    },
  })

/** Shows a turn at once. Until the turns are loaded it does nothing, because they will contain it. */
export function addTurn(client: QueryClient, api: Api, id: string, turn: Turn): void {
  client.setQueryData(turnsQuery(api, id).queryKey, (turns) => turns && merge(turns, [turn]))
}

/** Adds the turns that are missing. A turn that is there already stays as it is. */
function merge(turns: Turn[], added: Turn[]): Turn[] {
  const known = new Set(turns.map(({ seq }) => seq))
  const missing = added.filter(({ seq }) => !known.has(seq))
  return missing.length === 0 ? turns : [...turns, ...missing].sort((one, other) => one.seq - other.seq)
}

const inbox_max = 100

/**
 * Reads the inbox: the longest wait first, then the conversations that a person has answered. The first of them are
 * enough to show.
 */
export const inboxQuery = (
  api: Api,
  filters: Partial<Pick<ConversationQuery, 'kind' | 'channel_id' | 'is_test'>> = {},
) => {
  const query = { ...filters, status: 'handed_over', sort: 'waiting_since', limit: inbox_max }
  return queryOptions({
    queryKey: [...listKey(api), query],
    queryFn: ({ signal }) => api.list<Conversation>('/conversations', query, signal),
  })
}

/**
 * Writes how many conversations of the inbox wait for a person: "7", "100+" if only those were read, nothing for none.
 */
export function formatWaiting({ data, pagination: { total } }: List<Conversation>): string {
  const count = data.filter(({ waiting_since }) => waiting_since).length
  if (count === 0) return ''
  return `${formatNumber(count)}${count === data.length && count < total ? '+' : ''}`
}
