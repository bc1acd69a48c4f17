import type { Event } from '../../../server/events/schema.ts'
import { SubjectLink } from './SubjectLink.tsx'

/** Links to what the event is about, if it has a page. */
export function EventLink({ event: { type, resource_id }, text }: { event: Event; text: string }) {
  const [noun = '', verb] = type.split('.')
  return <SubjectLink type={noun} id={resource_id} text={text} is_deleted={verb === 'deleted'} />
}
