import { Anchor } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import type { AuditEntry } from '../../../server/audit/schema.ts'
import { SubjectLink } from '../events/SubjectLink.tsx'
import { useWorkspaceId } from '../kit/api.ts'
import { CopyButton } from '../kit/CopyButton.tsx'
import { Drawer } from '../kit/Drawer.tsx'
import { Fact, FactList } from '../kit/FactList.tsx'
import { formatExactTime, formatNumber, formatTimeZone } from '../kit/format.ts'
import { describeAction } from './actions.ts'
import styles from './audit.module.css'
import { describeSubject, describeWho } from './describe.ts'
import type { AuditSearch } from './search.ts'

export function EntryDrawer({ entry, onClose }: { entry: AuditEntry | undefined; onClose: () => void }) {
  return (
    <Drawer
      is_open={entry !== undefined}
      label="Audit log entry"
      title={entry ? describeAction(entry) : ''}
      onClose={onClose}
    >
      {entry && <Details entry={entry} />}
    </Drawer>
  )
}

function Details({ entry }: { entry: AuditEntry }) {
  const { actor, subject, action, at, ip, request_id, count } = entry
  return (
    <FactList>
      <Fact name="By">
        {describeWho(entry)}
        {actor.id && <MoreLink search={{ actor_id: actor.id }}>All by this {actor_nouns[actor.type]}</MoreLink>}
      </Fact>
      {subject && (
        <Fact name="About">
          <SubjectLink {...subject} text={describeSubject(entry)} is_deleted={isGone(entry)} />
          {subject.id && <MoreLink search={{ subject_id: subject.id }}>All about this</MoreLink>}
        </Fact>
      )}
      <Fact name="Time">
        {formatExactTime(at)} {formatTimeZone(at)}
      </Fact>
      {count > 1 && <Fact name="Count">{formatNumber(count)} times within a minute</Fact>}
      <Fact name="IP address">{ip ?? 'None: done on the command line'}</Fact>
      {request_id && (
        <Fact name="Request ID">
          <code>{request_id}</code>
          <CopyButton value={request_id} label="Copy request ID" />
        </Fact>
      )}
      <Fact name="Operation">
        <code>{action}</code>
      </Fact>
    </FactList>
  )
}

const actor_nouns = {
  key: 'API key',
  person: 'person',
  agent: 'agent',
  integration: 'integration',
  operator: 'operator',
  system: 'system',
}

/**
 * Whether the subject was deleted: it has no name then. Conversations and calls may never have had one. An agent stays
 * when a test of it goes.
 */
const isGone = ({ action, subject }: AuditEntry): boolean =>
  (/\.delete$/.test(action) && action !== 'agent_tests.delete') ||
  (subject?.name === null && !/^(call|conversation|invitation)$/.test(subject.type))

const MoreLink = ({ search, children }: { search: AuditSearch; children: ReactNode }) => {
  const workspace = useWorkspaceId()
  const target = { to: '/w/$workspace/settings/audit-log', params: { workspace }, search } as const
  return (
    <Anchor className={styles.more} renderRoot={(props) => <Link {...target} {...props} />}>
      {children}
    </Anchor>
  )
}
