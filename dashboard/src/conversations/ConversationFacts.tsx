import { Anchor } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import type { Conversation } from '../../../server/conversations/schema.ts'
import { useApi } from '../kit/api.ts'
import { Fact } from '../kit/FactList.tsx'
import { formatNumber, formatTime } from '../kit/format.ts'
import { formatPhoneNumber } from '../kit/phone-number.ts'
import { ContactName } from './ContactName.tsx'
import { close_reason_names, isUnverified, toNamed } from './conversation.ts'
import { ContactFacts, Facts, Members } from './Facts.tsx'
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
            <ContactName of={toNamed(conversation)} />
          </Fact>
        </Facts>
      )}
      <Facts title="Conversation">
        <Fact name="Status">
          <StatusBadge status={status} />
        </Fact>
        <Fact name="Waiting">{conversation.waiting_since && `Since ${formatTime(conversation.waiting_since)}`}</Fact>
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
        <Fact name="Number">{conversation.kind === 'sms' && formatPhoneNumber(conversation.counterpart ?? '')}</Fact>
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
