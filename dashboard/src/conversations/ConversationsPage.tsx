import { Anchor, Button, Select } from '@mantine/core'
import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { Link, useNavigate, useParams, useSearch } from '@tanstack/react-router'
import type { Agent } from '../../../server/agents/schema.ts'
import type { Conversation } from '../../../server/conversations/schema.ts'
import { useApi } from '../kit/api.ts'
import { formatCount } from '../kit/format.ts'
import { ChatIcon } from '../kit/icons.tsx'
import { useTitle } from '../kit/Page.tsx'
import { EmptyState, LoadError, LoadingSkeleton } from '../kit/states.tsx'
import { useContactName } from './ContactName.tsx'
import { ConversationList } from './ConversationList.tsx'
import { ConversationPane } from './ConversationPane.tsx'
import { listKey, status_names, statuses } from './conversation.ts'
import styles from './conversations.module.css'
import type { ConversationSearch } from './search.ts'

const page_size = 30

export function ConversationsPage() {
  const api = useApi()
  const { id } = useParams({ strict: false })
  const { status, agent_id, contact_id } = useSearch({ from: '/w/$workspace/conversations' })
  // The open conversation has the page's main heading, because on a phone only that is shown.
  const Title = id ? 'h2' : 'h1'
  useTitle('Conversations')
  const query = { status, agent_id, contact_id, sort: '-last_turn_at', limit: page_size }
  const list = useInfiniteQuery({
    queryKey: [...listKey(api), query],
    queryFn: ({ pageParam, signal }) =>
      api.list<Conversation>('/conversations', { ...query, cursor: pageParam }, signal),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ pagination }) => pagination.next_cursor ?? undefined,
  })
  const all = list.data?.pages.flatMap(({ data }) => data)
  const total = list.data?.pages.at(-1)?.pagination.total
  const is_filtered = status !== undefined || agent_id !== undefined || contact_id !== undefined
  const params = { workspace: api.workspace }
  return (
    <div className={styles.panes} data-fills-page data-open={id !== undefined}>
      <div className={styles.left}>
        <div className={styles.leftHead}>
          <Title>Conversations</Title>
          {total !== undefined && <span className={styles.total}>{formatCount(total, 'conversation')}</span>}
        </div>
        <Filters />
        {list.error && <LoadError error={list.error} retry={list.refetch} />}
        {list.isPending && (
          <div className={styles.waiting}>
            <LoadingSkeleton lines={6} />
          </div>
        )}
        {all?.length === 0 && (
          <EmptyState icon={<ChatIcon size={24} />} title={is_filtered ? 'No results' : 'No conversations yet'}>
            {is_filtered ? 'Remove a filter to see more.' : 'Test an agent, or start one over the API.'}
          </EmptyState>
        )}
        {all && all.length > 0 && (
          <ConversationList label="Conversations" to="/w/$workspace/conversations/$id" conversations={all} />
        )}
        {list.hasNextPage && (
          <Button variant="subtle" m="sm" loading={list.isFetchingNextPage} onClick={() => void list.fetchNextPage()}>
            Show more
          </Button>
        )}
      </div>
      {id ? (
        <ConversationPane
          key={id}
          id={id}
          back={
            <Anchor
              className={styles.back}
              renderRoot={(props) => <Link to="/w/$workspace/conversations" params={params} search={true} {...props} />}
            >
              All conversations
            </Anchor>
          }
        />
      ) : (
        <div className={styles.nothing}>
          <EmptyState icon={<ChatIcon size={24} />} title="Choose a conversation" />
        </div>
      )}
    </div>
  )
}

function Filters() {
  const api = useApi()
  const navigate = useNavigate()
  const { id } = useParams({ strict: false })
  const search = useSearch({ from: '/w/$workspace/conversations' })
  const agents = useQuery({
    queryKey: [api.workspace, 'agents', 'choices'],
    queryFn: ({ signal }) => api.list<Agent>('/agents', { limit: 100 }, signal),
  })
  const contact = useContactName({ contact_id: search.contact_id ?? null, counterpart: null })
  const filter = (changed: { [name in keyof ConversationSearch]: ConversationSearch[name] | undefined }) => {
    const wanted = Object.fromEntries(
      Object.entries({ ...search, ...changed }).filter(([, value]) => value !== undefined),
    )
    const { workspace } = api
    void (id
      ? navigate({ to: '/w/$workspace/conversations/$id', params: { workspace, id }, search: wanted })
      : navigate({ to: '/w/$workspace/conversations', params: { workspace }, search: wanted }))
  }
  return (
    <div className={styles.filters}>
      <Select
        aria-label="Status"
        placeholder="All statuses"
        size="xs"
        clearable
        clearButtonProps={{ 'aria-label': 'Clear status' }}
        data={statuses.map((value) => ({ value, label: status_names[value] }))}
        value={search.status ?? null}
        onChange={(value) => filter({ status: statuses.find((one) => one === value) })}
      />
      <Select
        aria-label="Agent"
        placeholder="All agents"
        size="xs"
        clearable
        clearButtonProps={{ 'aria-label': 'Clear agent' }}
        searchable
        data={agents.data?.data.map(({ id: value, name: label }) => ({ value, label })) ?? []}
        value={search.agent_id ?? null}
        onChange={(value) => filter({ agent_id: value ?? undefined })}
      />
      {search.contact_id && (
        <Button variant="default" size="xs" onClick={() => filter({ contact_id: undefined })}>
          With {contact} ✕
        </Button>
      )}
    </div>
  )
}
