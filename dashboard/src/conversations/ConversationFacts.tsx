import { Anchor, Badge } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import type { Conversation } from '../../../server/conversations/schema.ts'
import { contactName, contactQuery } from '../contacts/contact.ts'
import { useApi } from '../kit/api.ts'
import { formatNumber, formatTime } from '../kit/format.ts'
import { LoadError, LoadingSkeleton } from '../kit/states.tsx'
import { close_reason_names, isUnverified } from './conversation.ts'
import styles from './conversations.module.css'
import { Kind } from './Kind.tsx'
import { StatusBadge } from './StatusBadge.tsx'
import { useChannelName } from './useChannelName.ts'

/** The contact, and what is known about the conversation. */
export function ConversationFacts({ conversation }: { conversation: Conversation }) {
  const { workspace } = useApi()
  const { status, hand_over_reason, close_reason, summary, usage, agent_version } = conversation
  const channel = useChannelName(conversation)
  const tokens = usage.input_tokens + usage.output_tokens
  return (
    <>
      {(hand_over_reason || summary) && (
        <Facts title="Summary">
          <Fact name="Reason">{hand_over_reason}</Fact>
          <Fact name="Summary">{summary}</Fact>
        </Facts>
      )}
      {conversation.contact_id ? (
        <ContactFacts id={conversation.contact_id} />
      ) : (
        <Facts title="Contact">
          <Fact name={isUnverified(conversation) ? 'Unverified number' : 'Contact'}>
            {conversation.counterpart ?? 'Unknown'}
          </Fact>
        </Facts>
      )}
      <Facts title="Conversation">
        <Fact name="Status">
          <StatusBadge status={status} />
        </Fact>
        <Fact name="Closed">{close_reason && close_reason_names[close_reason]}</Fact>
        <Fact name="Agent">
          <Anchor
            fz="inherit"
            renderRoot={(props) => (
              <Link to="/w/$workspace/agents/$id" params={{ workspace, id: conversation.agent_id }} {...props} />
            )}
          >
            {conversation.agent_name}
          </Anchor>
        </Fact>
        <Fact name="Version">{agent_version.id === null ? 'Draft' : agent_version.version_label}</Fact>
        <Fact name="Kind">
          <Kind kind={conversation.kind} />
        </Fact>
        <Fact name="Channel">{channel}</Fact>
        <Fact name="Number">{conversation.kind === 'sms' && conversation.counterpart}</Fact>
        <Fact name="Started">{formatTime(conversation.created_at)}</Fact>
        <Fact name="Turns">{formatNumber(conversation.turn_count)}</Fact>
        <Fact name="Tokens">
          {tokens > 0 && `${formatNumber(usage.input_tokens)} in, ${formatNumber(usage.output_tokens)} out`}
        </Fact>
        <Fact name="ID">
          <code>{conversation.id}</code>
        </Fact>
      </Facts>
      <Members title="Results" members={conversation.results} />
      <Members title="Variables" members={conversation.variables} />
      <Members title="Metadata" members={conversation.metadata} />
    </>
  )
}

function ContactFacts({ id }: { id: string }) {
  const api = useApi()
  const { data: contact, error, refetch } = useQuery(contactQuery(api, id))
  const params = { workspace: api.workspace }
  return (
    <Facts title="Contact">
      {error && <LoadError error={error} retry={refetch} noun="Contact" />}
      {!contact && !error && <LoadingSkeleton lines={3} />}
      {contact && (
        <>
          <Fact name="Name">
            <Anchor
              fz="inherit"
              renderRoot={(props) => <Link to="/w/$workspace/contacts/$id" params={{ ...params, id }} {...props} />}
            >
              {contactName(contact) || contact.phone_number}
            </Anchor>
          </Fact>
          <Fact name="Phone">{contact.phone_number}</Fact>
          <Fact name="Email">{contact.email}</Fact>
          <Fact name="Company">{contact.company}</Fact>
          <Fact name="Tags">
            {contact.tags.length > 0 &&
              contact.tags.map((tag) => (
                <Badge key={tag} variant="default" tt="none" fw={500} mr={4}>
                  {tag}
                </Badge>
              ))}
          </Fact>
          <Fact name="Notes">{contact.notes}</Fact>
          <Fact name="History">
            <Anchor
              fz="inherit"
              renderRoot={(props) => (
                <Link to="/w/$workspace/conversations" params={params} search={{ contact_id: id }} {...props} />
              )}
            >
              All conversations
            </Anchor>
          </Fact>
        </>
      )}
    </Facts>
  )
}

function Members({ title, members }: { title: string; members: Record<string, unknown> }) {
  const entries = Object.entries(members)
  if (entries.length === 0) return null
  return (
    <Facts title={title}>
      {entries.map(([name, value]) => (
        <Fact key={name} name={name}>
          {typeof value === 'string' ? value : JSON.stringify(value)}
        </Fact>
      ))}
    </Facts>
  )
}

const Facts = ({ title, children }: { title: string; children: ReactNode }) => (
  <section className={styles.facts} aria-label={title}>
    <h2>{title}</h2>
    <dl>{children}</dl>
  </section>
)

/** Shows nothing without a value. */
const Fact = ({ name, children }: { name: string; children: ReactNode }) =>
  children ? (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  ) : null
