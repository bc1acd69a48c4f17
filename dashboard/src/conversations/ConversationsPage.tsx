import { Anchor, Button } from '@mantine/core'
import { Link, useNavigate, useParams, useSearch } from '@tanstack/react-router'
import { CallPane } from '../calls/CallPane.tsx'
import { useApi } from '../kit/api.ts'
import { formatCount } from '../kit/format.ts'
import { ChatIcon } from '../kit/icons.tsx'
import { mergeLists, rowsOf, singleList } from '../kit/merged-lists.ts'
import { useTitle } from '../kit/Page.tsx'
import { EmptyState, LoadError, LoadingSkeleton } from '../kit/states.tsx'
import { ConversationFilters } from './ConversationFilters.tsx'
import { ConversationList } from './ConversationList.tsx'
import { ConversationPane } from './ConversationPane.tsx'
import styles from './conversations.module.css'
import { type ConversationSearch, listOf } from './search.ts'
import { toCallTalk, toConversationTalk, useCallList, useConversationList, useTalks } from './useTalks.ts'

const page_size = 30

/** Reads the filtered list. It has a total only if it comes from one list of the server. */
function useFiltered(search: ConversationSearch) {
  const { status, kind, is_test, outcome, search: words, ...both } = search
  const chosen = listOf(search)
  const common = { ...both, limit: page_size }
  const conversations = useConversationList({ ...common, status, kind, is_test }, chosen === 'conversations')
  const calls = useCallList({ ...common, outcome, search: words }, chosen === 'calls')
  const merged = mergeLists(useTalks(both, page_size, chosen === 'both'))
  if (chosen === 'both') return { ...merged, total: '' }
  const query = chosen === 'calls' ? calls : conversations
  const items = chosen === 'calls' ? rowsOf(calls).map(toCallTalk) : rowsOf(conversations).map(toConversationTalk)
  const total = query.data?.pages.at(-1)?.pagination.total
  return { ...singleList(query, items), total: total === undefined ? '' : formatCount(total, chosen.slice(0, -1)) }
}

export function ConversationsPage() {
  const api = useApi()
  const { id, call_id } = useParams({ strict: false })
  const navigate = useNavigate()
  const search = useSearch({ from: '/w/$workspace/talks' })
  const is_open = id !== undefined || call_id !== undefined
  // The open conversation has the page's main heading, because on a phone only that is shown.
  const Title = is_open ? 'h2' : 'h1'
  useTitle('Conversations')
  const list = useFiltered(search)
  const is_filtered = Object.keys(search).length > 0
  const params = { workspace: api.workspace }
  const filter = (search: ConversationSearch) => {
    if (call_id) return void navigate({ to: '/w/$workspace/calls/$call_id', params: { ...params, call_id }, search })
    void (id
      ? navigate({ to: '/w/$workspace/conversations/$id', params: { ...params, id }, search })
      : navigate({ to: '/w/$workspace/conversations', params, search }))
  }
  const back = (
    <Anchor
      className={styles.back}
      renderRoot={(props) => <Link to="/w/$workspace/conversations" params={params} search={true} {...props} />}
    >
      All conversations
    </Anchor>
  )
  return (
    <div className={styles.panes} data-fills-page data-open={is_open}>
      <div className={styles.left}>
        <div className={styles.leftHead}>
          <Title>Conversations</Title>
          {list.total && <span className={styles.total}>{list.total}</span>}
        </div>
        <ConversationFilters search={search} onChange={filter} />
        {list.error && list.items.length === 0 && <LoadError error={list.error} retry={list.refetch} />}
        {list.is_loading && !list.error && (
          <div className={styles.waiting}>
            <LoadingSkeleton lines={6} />
          </div>
        )}
        {!list.is_loading && !list.error && list.items.length === 0 && (
          <EmptyState icon={<ChatIcon size={24} />} title={is_filtered ? 'No results' : 'No conversations yet'}>
            {is_filtered ? 'Remove a filter to see more.' : 'Test or call an agent, or start one over the API.'}
          </EmptyState>
        )}
        {list.items.length > 0 && (
          <ConversationList label="Conversations" to="/w/$workspace/conversations/$id" talks={list.items} />
        )}
        {list.has_more && (
          <Button variant="subtle" m="sm" loading={list.is_loading_more} onClick={() => void list.showMore()}>
            Show more
          </Button>
        )}
      </div>
      {call_id && <CallPane key={call_id} id={call_id} back={back} />}
      {id && <ConversationPane key={id} id={id} back={back} />}
      {!is_open && (
        <div className={styles.nothing}>
          <EmptyState icon={<ChatIcon size={24} />} title="Choose a conversation" />
        </div>
      )}
    </div>
  )
}
