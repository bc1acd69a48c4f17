import { useInfiniteQuery } from '@tanstack/react-query'
import type { Consent } from '../../../server/consent/schema.ts'
import type { Contact } from '../../../server/contacts/schema.ts'
import type { Conversation } from '../../../server/conversations/schema.ts'
import type { Event } from '../../../server/events/schema.ts'
import { consentsQuery } from '../consent/consent.ts'
import { listKey } from '../conversations/conversation.ts'
import { useApi } from '../kit/api.ts'
import { pagesQuery } from '../kit/pages.ts'
import { useCanEdit } from '../kit/session.ts'

export type TimelineItem = { id: string; time: string } & (
  | { type: 'created' }
  | { type: 'changed'; fields: string[] }
  | { type: 'conversation'; conversation: Conversation }
  | { type: 'consent'; consent: Consent }
)

const page_size = 10

/**
 * What happened with a contact, newest first. It comes from several lists, each loaded as far as the person asks for: items
 * older than the end of a list that has more are held back, because others may belong before them.
 */
export function useTimeline(contact: Contact) {
  const api = useApi()
  const { id } = contact
  const can_edit = useCanEdit()
  const events_key = [api.workspace, 'contacts', 'events', id]
  const events = useInfiniteQuery(pagesQuery<Event>(api, events_key, '/events', { resource_id: id, limit: page_size }))
  const conversations = useInfiniteQuery(
    pagesQuery<Conversation>(api, [...listKey(api), 'of_contact'], '/conversations', {
      ...{ contact_id: id, sort: '-last_turn_at', limit: page_size },
    }),
  )
  const consents = useInfiniteQuery({ ...consentsQuery(api, id), enabled: can_edit })
  const lists = [
    { query: events, items: rowsOf(events).map(fromEvent) },
    { query: conversations, items: rowsOf(conversations).map(fromConversation) },
    ...(can_edit ? [{ query: consents, items: rowsOf(consents).map(fromConsent) }] : []),
  ]
  const unfinished = lists.filter(({ query }) => query.hasNextPage)
  const complete_since = Math.max(...unfinished.map(endOf))
  const created: TimelineItem = { id: 'created', time: contact.created_at, type: 'created' }
  const items = [...lists.flatMap(({ items }) => items), created]
    .filter(({ time }) => Date.parse(time) >= complete_since)
    // Its creation is shown from the contact itself, because events are deleted after a while.
    .filter((item) => item.type !== 'changed' || item.fields.length > 0)
    .sort((one, other) => Date.parse(other.time) - Date.parse(one.time))
  return {
    items,
    is_loading: lists.some(({ query }) => query.isPending),
    error: lists.find(({ query }) => query.error)?.query.error,
    refetch: () => Promise.all(lists.map(({ query }) => query.refetch())),
    has_more: unfinished.length > 0,
    is_loading_more: lists.some(({ query }) => query.isFetchingNextPage),
    showMore: () =>
      Promise.all(unfinished.filter((list) => endOf(list) >= complete_since).map(({ query }) => query.fetchNextPage())),
  }
}

const rowsOf = <Row>({ data }: { data?: { pages: { data: Row[] }[] } | undefined }): Row[] =>
  data?.pages.flatMap(({ data }) => data) ?? []

const endOf = ({ items }: { items: TimelineItem[] }): number => Date.parse(items.at(-1)?.time ?? '')

const fromEvent = ({ id, created_at: time, previous }: Event): TimelineItem => ({
  ...{ id, time, type: 'changed', fields: Object.keys(previous ?? {}) },
})

/** Conversations in which nothing was said yet come last in their list. */
const fromConversation = (conversation: Conversation): TimelineItem => ({
  ...{ id: conversation.id, time: conversation.last_turn_at ?? conversation.created_at },
  ...{ type: 'conversation', conversation },
})

const fromConsent = (consent: Consent): TimelineItem => ({
  ...{ id: consent.id, time: consent.created_at, type: 'consent', consent },
})
