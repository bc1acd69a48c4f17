import { useInfiniteQuery } from '@tanstack/react-query'
import type { Call } from '../../../server/calls/schema.ts'
import type { Enrollment } from '../../../server/campaigns/schema.ts'
import type { Consent } from '../../../server/consent/schema.ts'
import type { Contact } from '../../../server/contacts/schema.ts'
import type { Conversation } from '../../../server/conversations/schema.ts'
import type { Event } from '../../../server/events/schema.ts'
import { contactEnrollmentsQuery } from '../campaigns/campaign.ts'
import { consentsQuery } from '../consent/consent.ts'
import { useTalks } from '../conversations/useTalks.ts'
import { useApi } from '../kit/api.ts'
import { endOf, mergeLists, rowsOf } from '../kit/merged-lists.ts'
import { pagesQuery } from '../kit/pages.ts'
import { useCanEdit } from '../kit/session.ts'

export type TimelineItem = { id: string; time: string } & (
  | { type: 'created' }
  | { type: 'changed'; event: Event; fields: string[] }
  | { type: 'conversation'; conversation: Conversation }
  | { type: 'call'; call: Call }
  | { type: 'consent'; consent: Consent }
  | { type: 'enrolled'; enrollment: Enrollment }
)

export const timeline_page_size = 10

/** Reads what happened with a contact, newest first. */
export function useTimeline(contact: Contact) {
  const api = useApi()
  const { id } = contact
  const can_edit = useCanEdit()
  const events_key = [api.workspace, 'contacts', 'events', id]
  const events = useInfiniteQuery(
    pagesQuery<Event>(api, events_key, '/events', { resource_id: id, limit: timeline_page_size }),
  )
  const talks = useTalks({ contact_id: id }, timeline_page_size)
  const enrollments = useInfiniteQuery(contactEnrollmentsQuery(api, id))
  const consents = useInfiniteQuery({ ...consentsQuery(api, id), enabled: can_edit })
  const changes = rowsOf(events)
  const entries = rowsOf(consents)
  const created: TimelineItem = { id: 'created', time: contact.created_at, type: 'created' }
  return mergeLists<TimelineItem>([
    // The creation is shown from the contact itself, because events are deleted after a while.
    {
      query: events,
      items: [...changes.flatMap(fromEvent), created],
      end: endOf(changes, ({ created_at }) => created_at),
    },
    ...talks,
    {
      query: enrollments,
      items: rowsOf(enrollments).map(fromEnrollment),
      end: endOf(rowsOf(enrollments), ({ created_at }) => created_at),
    },
    ...(can_edit
      ? [{ query: consents, items: entries.map(fromConsent), end: endOf(entries, ({ created_at }) => created_at) }]
      : []),
  ])
}

function fromEvent(event: Event): TimelineItem[] {
  const { id, created_at: time, previous } = event
  const fields = Object.keys(previous ?? {})
  return fields.length > 0 ? [{ id, time, type: 'changed', event, fields }] : []
}

const fromConsent = (consent: Consent): TimelineItem => ({
  id: consent.id,
  time: consent.created_at,
  type: 'consent',
  consent,
})

const fromEnrollment = (enrollment: Enrollment): TimelineItem => ({
  id: enrollment.id,
  time: enrollment.created_at,
  type: 'enrolled',
  enrollment,
})
