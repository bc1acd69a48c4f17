import { Anchor, Button } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import type { Call } from '../../../server/calls/schema.ts'
import type { Enrollment } from '../../../server/campaigns/schema.ts'
import type { Contact } from '../../../server/contacts/schema.ts'
import type { Conversation } from '../../../server/conversations/schema.ts'
import { CallStatus } from '../calls/CallStatus.tsx'
import { describeEnd, timeOf } from '../calls/call.ts'
import { EnrollmentStatus } from '../campaigns/CampaignStatus.tsx'
import { campaignQuery } from '../campaigns/campaign.ts'
import { TestBadge } from '../clocks/TestBadge.tsx'
import { ConsentEvidence } from '../consent/ConsentEvidence.tsx'
import { describeConsent, source_phrases } from '../consent/consent.ts'
import { kind_names } from '../conversations/conversation.ts'
import { KindIcon } from '../conversations/Kind.tsx'
import { LastWords } from '../conversations/LastWords.tsx'
import { StatusBadge } from '../conversations/StatusBadge.tsx'
import { describeActor } from '../events/describe.ts'
import { useApi } from '../kit/api.ts'
import { formatDuration } from '../kit/format.ts'
import {
  BlockIcon,
  CheckIcon,
  EditIcon,
  IncomingCallIcon,
  MegaphoneIcon,
  OutgoingCallIcon,
  PlusIcon,
} from '../kit/icons.tsx'
import { Card } from '../kit/Page.tsx'
import { RelativeTime } from '../kit/RelativeTime.tsx'
import { LoadError, LoadingSkeleton } from '../kit/states.tsx'
import { contact_fields } from './contact-fields.ts'
import { source_names } from './search.ts'
import styles from './timeline.module.css'
import { type TimelineItem, useTimeline } from './useTimeline.ts'

export function Timeline({ contact }: { contact: Contact }) {
  const { items, is_loading, error, refetch, has_more, is_loading_more, showMore } = useTimeline(contact)
  return (
    <Card title="Timeline">
      {error && <LoadError error={error} retry={refetch} />}
      {is_loading && !error && <LoadingSkeleton lines={4} />}
      {!is_loading && !error && (
        <>
          <ol className={styles.items} aria-label="Timeline">
            {items.map((item) => (
              <ItemView key={item.id} item={item} contact={contact} />
            ))}
          </ol>
          {has_more && (
            <Button variant="subtle" size="xs" loading={is_loading_more} onClick={() => void showMore()}>
              Show more
            </Button>
          )}
        </>
      )}
    </Card>
  )
}

function ItemView({ item, contact }: { item: TimelineItem; contact: Contact }) {
  switch (item.type) {
    case 'created':
      return (
        <Item icon={<PlusIcon size={15} />} time={item.time} title="Contact created">
          Source: {source_names[contact.source]}
        </Item>
      )
    case 'changed':
      return (
        <Item icon={<EditIcon size={15} />} time={item.time} title={`Changed ${item.fields.map(fieldName).join(', ')}`}>
          {describeActor(item.event)}
        </Item>
      )
    case 'consent': {
      const { consent } = item
      const Icon = consent.status === 'revoked' ? BlockIcon : CheckIcon
      return (
        <Item
          icon={<Icon size={15} />}
          time={item.time}
          title={`${describeConsent(consent)} ${source_phrases[consent.source]}`}
        >
          <ConsentEvidence evidence={consent.evidence} />
        </Item>
      )
    }
    case 'conversation':
      return <ConversationItem conversation={item.conversation} time={item.time} />
    case 'call':
      return <CallItem call={item.call} />
    case 'enrolled':
      return <EnrolledItem enrollment={item.enrollment} />
  }
}

function ConversationItem({ conversation, time }: { conversation: Conversation; time: string }) {
  const { workspace } = useApi()
  const { id, kind, agent_name, status, is_test } = conversation
  return (
    <Item
      icon={<KindIcon kind={kind} size={15} />}
      time={time}
      title={
        <>
          <Anchor
            fz="inherit"
            fw="inherit"
            renderRoot={(props) => <Link to="/w/$workspace/conversations/$id" params={{ workspace, id }} {...props} />}
          >
            {kind === 'api' ? 'Conversation' : kind_names[kind]} with {agent_name}
          </Anchor>
          <StatusBadge status={status} />
          {is_test && <TestBadge>Test</TestBadge>}
        </>
      }
    >
      <LastWords conversation={conversation} />
    </Item>
  )
}

function CallItem({ call }: { call: Call }) {
  const { workspace } = useApi()
  const Icon = call.direction === 'outbound' ? OutgoingCallIcon : IncomingCallIcon
  return (
    <Item
      icon={<Icon size={15} />}
      time={timeOf(call)}
      title={
        <>
          <Anchor
            fz="inherit"
            fw="inherit"
            renderRoot={(props) => (
              <Link to="/w/$workspace/calls/$call_id" params={{ workspace, call_id: call.id }} {...props} />
            )}
          >
            Call with {call.agent_name}
          </Anchor>
          <CallStatus call={call} />
          {call.is_test && <TestBadge>Simulated</TestBadge>}
        </>
      }
    >
      {[
        ...(call.duration_ms === null ? [] : [formatDuration(call.duration_ms)]),
        ...(call.end_reason && call.status === 'completed' ? [describeEnd(call, call.end_reason)] : []),
      ].join(' · ')}
    </Item>
  )
}

function EnrolledItem({ enrollment }: { enrollment: Enrollment }) {
  const api = useApi()
  const { id, campaign_id, status, created_at } = enrollment
  const { data } = useQuery(campaignQuery(api, campaign_id))
  return (
    <Item
      icon={<MegaphoneIcon size={15} />}
      time={created_at}
      title={
        <>
          <Anchor
            fz="inherit"
            fw="inherit"
            renderRoot={(props) => (
              <Link
                to="/w/$workspace/campaigns/$id/contacts"
                params={{ workspace: api.workspace, id: campaign_id }}
                search={{ enrollment: id }}
                {...props}
              />
            )}
          >
            Added to {data?.name ?? 'a campaign'}
          </Anchor>
          <EnrollmentStatus status={status} />
        </>
      }
    />
  )
}

interface ItemProps {
  icon: ReactNode
  time: string
  title: ReactNode
  children?: ReactNode
}

const Item = ({ icon, time, title, children }: ItemProps) => (
  <li>
    <span className={styles.icon}>{icon}</span>
    <span className={styles.title}>{title}</span>
    <span className={styles.when}>
      <RelativeTime time={time} />
    </span>
    <span className={styles.more}>{children}</span>
  </li>
)

const fieldName = (name: string): string =>
  contact_fields.find(({ value }) => value === name)?.label.toLowerCase() ?? name.replaceAll('_', ' ')
