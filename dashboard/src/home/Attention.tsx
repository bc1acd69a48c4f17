import { Skeleton } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import type { Campaign } from '../../../server/campaigns/schema.ts'
import type { Webhook } from '../../../server/webhooks/schema.ts'
import { channelsQuery } from '../channels/channel.ts'
import { formatWaiting, inboxQuery } from '../conversations/conversation.ts'
import { useApi, useWorkspaceId } from '../kit/api.ts'
import { formatCount, formatMinutes, formatNumber } from '../kit/format.ts'
import { useNow } from '../kit/now.ts'
import { Status, type Tone } from '../kit/Status.tsx'
import { useIsOwner } from '../kit/session.ts'
import styles from './home.module.css'
import { homeKey, refetch_ms } from './queries.ts'

/** A workspace can have this many webhooks. */
const webhooks_max = 100

/** Shows what somebody has to do something about. */
export function Attention() {
  const items = [useWaiting(), useWebhooks(), useChannels(), usePaused()]
  const shown = items.flatMap((item) => item ?? [])
  const is_loading = items.some((item) => item === undefined)
  return (
    <section aria-label="Needs attention" aria-busy={is_loading}>
      <h2 className={styles.heading}>Needs attention</h2>
      {is_loading ? (
        <Skeleton height={42} />
      ) : shown.length === 0 ? (
        <p className={styles.quiet}>Nothing right now.</p>
      ) : (
        <ul className={styles.attention}>
          {shown.map(({ id, tone, link }) => (
            <li key={id}>
              <Status tone={tone}>{link}</Status>
            </li>
          ))}
        </ul>
      )}
    </section>
  )
}

interface Item {
  id: string
  tone: Tone
  link: ReactNode
}

/** The items. They are undefined until they are read. */
type Items = Item[] | undefined

function useWaiting(): Items {
  const api = useApi()
  const now = useNow()
  const { data, isError } = useQuery({ ...inboxQuery(api), refetchInterval: refetch_ms })
  if (!data) return isError ? [] : undefined
  const since = data.data[0]?.waiting_since
  if (!since) return []
  const params = { workspace: api.workspace }
  const link = (
    <Link to="/w/$workspace/inbox" params={params} state={{ opens_to_answer: true }}>
      {formatWaiting(data)} waiting, longest {formatMinutes(now - Date.parse(since))}
    </Link>
  )
  return [{ id: 'waiting', tone: 'warning', link }]
}

function useWebhooks(): Items {
  const api = useApi()
  const is_owner = useIsOwner()
  const { data, isError } = useQuery({
    queryKey: [...homeKey(api), 'webhooks'],
    queryFn: ({ signal }) => api.list<Webhook>('/webhooks', { limit: webhooks_max }, signal),
    refetchInterval: refetch_ms,
    enabled: is_owner,
  })
  const workspace = useWorkspaceId()
  if (!data) return is_owner && !isError ? undefined : []
  const failing = data.data.filter(({ status, failing_since }) => status === 'active' && failing_since)
  const disabled = data.data.filter(({ disabled_reason }) => disabled_reason && disabled_reason !== 'asked')
  const link = (text: string) => (
    <Link to="/w/$workspace/webhooks" params={{ workspace }}>
      {text}
    </Link>
  )
  return [
    ...(failing.length > 0
      ? [{ id: 'failing', tone: 'danger' as const, link: link(`${formatCount(failing.length, 'webhook')} failing`) }]
      : []),
    ...(disabled.length > 0
      ? [
          {
            id: 'disabled',
            tone: 'neutral' as const,
            link: link(`${formatCount(disabled.length, 'webhook')} disabled after failures`),
          },
        ]
      : []),
  ]
}

function useChannels(): Items {
  const api = useApi()
  const { data, isError } = useQuery({ ...channelsQuery(api), refetchInterval: refetch_ms })
  if (!data) return isError ? [] : undefined
  const failing = data.data.filter(({ status }) => status === 'failing')
  if (failing.length === 0) return []
  const link = (
    <Link to="/w/$workspace/channels" params={{ workspace: api.workspace }}>
      {formatCount(failing.length, 'channel')} failing
    </Link>
  )
  return [{ id: 'channels', tone: 'danger', link }]
}

function usePaused(): Items {
  const api = useApi()
  const { data, isError } = useQuery({
    queryKey: [...homeKey(api), 'campaigns', 'paused'],
    queryFn: ({ signal }) => api.list<Campaign>('/campaigns', { status: 'paused', limit: 1 }, signal),
    refetchInterval: refetch_ms,
  })
  if (!data) return isError ? [] : undefined
  const { total } = data.pagination
  const [first] = data.data
  if (!first) return []
  const params = { workspace: api.workspace }
  const link =
    total === 1 ? (
      <Link to="/w/$workspace/campaigns/$id" params={{ ...params, id: first.id }}>
        Campaign “{first.name}” is paused
      </Link>
    ) : (
      <Link to="/w/$workspace/campaigns" params={params}>
        {formatNumber(total)} campaigns paused
      </Link>
    )
  return [{ id: 'paused', tone: 'warning', link }]
}
