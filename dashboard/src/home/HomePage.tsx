import { SegmentedControl } from '@mantine/core'
import { useLocalStorage } from '@mantine/hooks'
import { useQuery } from '@tanstack/react-query'
import type { Conversation } from '../../../server/conversations/schema.ts'
import { useApi } from '../kit/api.ts'
import { Page } from '../kit/Page.tsx'
import { useCanEdit } from '../kit/session.ts'
import { LoadError, LoadingSkeleton } from '../kit/states.tsx'
import { Activity } from './Activity.tsx'
import { Attention } from './Attention.tsx'
import { Checklist } from './Checklist.tsx'
import styles from './home.module.css'
import { LastCalls, lastCallsQuery } from './LastCalls.tsx'
import { homeKey } from './queries.ts'
import { RunningCampaigns } from './RunningCampaigns.tsx'
import { type Period, periods, Tiles } from './Tiles.tsx'

/** Shows a checklist until all is set up, and figures of operations as soon as somebody has called or written. */
export function HomePage() {
  const api = useApi()
  const can_edit = useCanEdit()
  const [period, setPeriod] = useLocalStorage<Period>({ key: 'parley-home-period', defaultValue: '7d' })
  const calls = useQuery(lastCallsQuery(api))
  const conversations = useQuery({
    queryKey: [...homeKey(api), 'conversations'],
    queryFn: ({ signal }) => api.list<Conversation>('/conversations', { limit: 1 }, signal),
  })
  const error = calls.error ?? conversations.error
  const is_loaded = calls.data !== undefined && conversations.data !== undefined
  const is_used = is_loaded && calls.data.pagination.total + conversations.data.pagination.total > 0
  const retry = () => Promise.all([calls.refetch(), conversations.refetch()])
  const choice = (
    <SegmentedControl
      aria-label="Time range"
      data={Object.entries(periods).map(([value, { label }]) => ({ value, label }))}
      value={period}
      onChange={(value) => setPeriod(value as Period)}
    />
  )
  return (
    <Page title="Home" actions={is_used && choice}>
      {error && !is_loaded && <LoadError error={error} retry={retry} />}
      {!error && !is_loaded && <LoadingSkeleton lines={6} />}
      {is_loaded && (
        <div className={styles.home}>
          {can_edit && <Checklist is_compact={is_used} />}
          {is_used && (
            <>
              <Attention />
              <Tiles period={period} />
            </>
          )}
          <div className={styles.columns} data-single={!is_used || undefined}>
            {is_used && (
              <div className={styles.column}>
                <RunningCampaigns />
                <LastCalls />
              </div>
            )}
            <Activity />
          </div>
        </div>
      )}
    </Page>
  )
}
