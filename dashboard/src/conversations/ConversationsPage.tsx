import { Anchor, Button } from '@mantine/core'
import { useInfiniteQuery } from '@tanstack/react-query'
import { Link, useNavigate, useParams, useSearch } from '@tanstack/react-router'
import type { Conversation } from '../../../server/conversations/schema.ts'
import { useApi } from '../kit/api.ts'
import { formatCount } from '../kit/format.ts'
import { ChatIcon } from '../kit/icons.tsx'
import { useTitle } from '../kit/Page.tsx'
import { pagesQuery } from '../kit/pages.ts'
import { EmptyState, LoadError, LoadingSkeleton } from '../kit/states.tsx'
import { ConversationFilters } from './ConversationFilters.tsx'
import { ConversationList } from './ConversationList.tsx'
import { ConversationPane } from './ConversationPane.tsx'
import { listKey } from './conversation.ts'
import styles from './conversations.module.css'
import type { ConversationSearch } from './search.ts'

const page_size = 30

export function ConversationsPage() {
  const api = useApi()
  const { id } = useParams({ strict: false })
  const navigate = useNavigate()
  const search = useSearch({ from: '/w/$workspace/conversations' })
  // The open conversation has the page's main heading, because on a phone only that is shown.
  const Title = id ? 'h2' : 'h1'
  useTitle('Conversations')
  const query = { ...search, sort: '-last_turn_at', limit: page_size }
  const list = useInfiniteQuery(pagesQuery<Conversation>(api, listKey(api), '/conversations', query))
  const all = list.data?.pages.flatMap(({ data }) => data)
  const total = list.data?.pages.at(-1)?.pagination.total
  const is_filtered = Object.keys(search).length > 0
  const params = { workspace: api.workspace }
  const filter = (search: ConversationSearch) =>
    void (id
      ? navigate({ to: '/w/$workspace/conversations/$id', params: { ...params, id }, search })
      : navigate({ to: '/w/$workspace/conversations', params, search }))
  return (
    <div className={styles.panes} data-fills-page data-open={id !== undefined}>
      <div className={styles.left}>
        <div className={styles.leftHead}>
          <Title>Conversations</Title>
          {total !== undefined && <span className={styles.total}>{formatCount(total, 'conversation')}</span>}
        </div>
        <ConversationFilters search={search} onChange={filter} />
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
