import { Anchor, Switch } from '@mantine/core'
import { useMediaQuery } from '@mantine/hooks'
import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate, useParams, useSearch } from '@tanstack/react-router'
import { useEffect } from 'react'
import { useApi } from '../kit/api.ts'
import { formatNumber } from '../kit/format.ts'
import { InboxIcon } from '../kit/icons.tsx'
import { useTitle } from '../kit/Page.tsx'
import { EmptyState, LoadError, LoadingSkeleton } from '../kit/states.tsx'
import { ConversationFilters } from './ConversationFilters.tsx'
import { ConversationList } from './ConversationList.tsx'
import { ConversationPane } from './ConversationPane.tsx'
import { inboxQuery } from './conversation.ts'
import styles from './conversations.module.css'
import type { ConversationSearch } from './search.ts'
import { useIsSoundOn } from './sound.ts'
import { toConversationTalk } from './useTalks.ts'

/** Shows the conversations that wait for a person. */
export function InboxPage() {
  const api = useApi()
  const { id } = useParams({ strict: false })
  const [is_sound_on, setSoundOn] = useIsSoundOn()
  const navigate = useNavigate()
  const { kind, channel_id, is_test } = useSearch({ from: '/w/$workspace/inbox' })
  const filters = { ...(kind && { kind }), ...(channel_id && { channel_id }), ...(is_test && { is_test }) }
  const is_filtered = Object.keys(filters).length > 0
  const { data, error, isPending, refetch } = useQuery(inboxQuery(api, filters))
  const params = { workspace: api.workspace }
  const filter = (search: ConversationSearch) =>
    void (id
      ? navigate({ to: '/w/$workspace/inbox/$id', params: { ...params, id }, search })
      : navigate({ to: '/w/$workspace/inbox', params, search }))
  useOpenFirst(id, data?.data[0]?.id)
  // The open conversation has the page's main heading, because on a phone only that is shown.
  const Title = id ? 'h2' : 'h1'
  useTitle('Inbox')
  const more = data ? data.pagination.total - data.data.length : 0
  return (
    <div className={styles.panes} data-fills-page data-open={id !== undefined}>
      <div className={styles.left}>
        <div className={styles.leftHead}>
          <Title>Inbox</Title>
          <Switch
            label="Sound"
            size="xs"
            checked={is_sound_on}
            onChange={({ currentTarget }) => setSoundOn(currentTarget.checked)}
          />
        </div>
        <ConversationFilters search={filters} onChange={filter} is_inbox />
        {error && !data && <LoadError error={error} retry={refetch} />}
        {isPending && (
          <div className={styles.waiting}>
            <LoadingSkeleton lines={6} />
          </div>
        )}
        {data?.data.length === 0 && (
          <EmptyState icon={<InboxIcon size={24} />} title={is_filtered ? 'No results' : 'Nobody is waiting'}>
            {is_filtered ? 'Remove a filter to see more.' : 'Conversations that need a person appear here.'}
          </EmptyState>
        )}
        {data && data.data.length > 0 && (
          <ConversationList label="Inbox" to="/w/$workspace/inbox/$id" talks={data.data.map(toConversationTalk)} />
        )}
        {more > 0 && <p className={styles.notice}>And {formatNumber(more)} more.</p>}
      </div>
      {id ? (
        <ConversationPane
          key={id}
          id={id}
          back={
            <Anchor
              className={styles.back}
              renderRoot={(props) => <Link to="/w/$workspace/inbox" params={params} search={true} {...props} />}
            >
              Inbox
            </Anchor>
          }
        />
      ) : (
        <div className={styles.nothing} />
      )}
    </div>
  )
}

/** Opens the first conversation, unless one is open. On a phone the list is shown first. */
function useOpenFirst(id: string | undefined, first: string | undefined): void {
  const { workspace } = useApi()
  const navigate = useNavigate()
  const is_wide = useMediaQuery('(min-width: 769px)', undefined, { getInitialValueInEffect: false })
  useEffect(() => {
    if (id || !first || !is_wide) return
    const to = '/w/$workspace/inbox/$id'
    void navigate({ to, params: { workspace, id: first }, search: true, state: true, replace: true })
  }, [id, first, is_wide, workspace, navigate])
}
