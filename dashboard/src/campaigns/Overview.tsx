import { Alert, Anchor } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import type { CallAnalytics } from '../../../server/analytics/schema.ts'
import type { Call } from '../../../server/calls/schema.ts'
import type { Campaign, Progress } from '../../../server/campaigns/schema.ts'
import { CallStatus } from '../calls/CallStatus.tsx'
import { ContactName } from '../conversations/ContactName.tsx'
import { useApi } from '../kit/api.ts'
import { formatMicros, formatNumber, formatTime } from '../kit/format.ts'
import { AlertIcon } from '../kit/icons.tsx'
import { useNow } from '../kit/now.ts'
import { Card, Stack } from '../kit/Page.tsx'
import { useCanEdit } from '../kit/session.ts'
import { LoadError, LoadingSkeleton } from '../kit/states.tsx'
import { AgentResults } from './AgentResults.tsx'
import { AttemptsChart } from './AttemptsChart.tsx'
import { CampaignCalls } from './CampaignCalls.tsx'
import { answeredName, campaignsKey, isFinal, progressQuery, refetch_ms } from './campaign.ts'
import styles from './campaigns.module.css'
import { sum } from './ForecastChart.tsx'
import { useForecast } from './forecast.ts'
import { OutcomeBar } from './OutcomeBar.tsx'
import { StatusAlert } from './StatusAlert.tsx'
import { countDone } from './StatusBar.tsx'
import { StatusParts } from './StatusParts.tsx'
import { validateOverviewSearch } from './search.ts'

/** Shows how a campaign goes, read again every other second. */
export function Overview({ campaign }: { campaign: Campaign }) {
  const { data, error, refetch } = useQuery(progressQuery(useApi(), campaign))
  const forecast = useForecast(campaign)
  const { outcome } = useSearch({ from: '/w/$workspace/campaigns/$id' })
  const navigate = useNavigate({ from: '/w/$workspace/campaigns/$id' })
  const choose = (chosen: string | undefined) =>
    void navigate({ search: validateOverviewSearch({ outcome: chosen }), resetScroll: false })
  const is_voice = campaign.kind === 'voice'
  if (!data) return error ? <LoadError error={error} retry={refetch} /> : <LoadingSkeleton lines={7} />
  return (
    <Stack>
      <StatusAlert campaign={campaign} />
      <section className={styles.form} aria-label="Progress">
        <Figures campaign={campaign} progress={data} end={describeEnd(campaign, forecast)} />
        <StatusParts campaign={campaign} by_status={data.by_status} />
        {data.not_enrolled > 0 && (
          <Alert color="yellow" icon={<AlertIcon />}>
            {formatNumber(data.not_enrolled)} contacts were not enrolled, because a campaign can have 1,000,000 at most.
          </Alert>
        )}
      </section>
      <Card title="Attempts">
        <AttemptsChart campaign={campaign} forecast={forecast.data} />
      </Card>
      {is_voice && data.in_flight > 0 && <CurrentCalls campaign={campaign} />}
      <div className={styles.columns}>
        <Card title="Attempts by outcome">
          <OutcomeBar by_outcome={data.by_outcome} {...(is_voice && { chosen: outcome, onChoose: choose })} />
        </Card>
        {is_voice && <AgentResults campaign={campaign} />}
      </div>
      {is_voice && <CampaignCalls campaign={campaign} outcome={outcome} />}
    </Stack>
  )
}

function describeEnd(campaign: Campaign, { data, error }: ReturnType<typeof useForecast>): string {
  if (!data) return error ? 'Not known' : 'Calculating…'
  if (!data.expected_end_at) return 'Not within a year'
  const end = formatTime(data.expected_end_at)
  return campaign.status === 'paused' ? `${end}, if resumed now` : end
}

function Figures({ campaign, progress, end }: { campaign: Campaign; progress: Progress; end: string }) {
  const cost = useCost(campaign)
  const can_edit = useCanEdit()
  const { total, by_status, by_outcome, in_flight } = progress
  const attempts = sum(Object.values(by_outcome))
  const answered = by_outcome[campaign.kind === 'voice' ? 'answered' : 'replied'] ?? 0
  const share = attempts === 0 ? '' : ` (${Math.round((100 * answered) / attempts)} %)`
  const figures: [string, string][] = [
    ['Done', `${formatNumber(countDone({ total, by_status }))} of ${formatNumber(total)}`],
    ['Reached', formatNumber(by_status.completed ?? 0)],
    ['Attempts', formatNumber(attempts)],
    [answeredName(campaign), `${formatNumber(answered)}${share}`],
    ['In progress', formatNumber(in_flight)],
    ...(cost ? [['Cost', formatMicros(cost)] as [string, string]] : []),
    ...(!isFinal(campaign) && can_edit ? [['Expected end', end] as [string, string]] : []),
  ]
  return (
    <dl className={styles.figures}>
      {figures.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  )
}

const day_ms = 86_400_000
const days_max = 399
const cost_refetch_ms = 30_000

/** Returns what the campaign's calls have cost, in millionths of the workspace's currency. */
function useCost(campaign: Campaign): number {
  const api = useApi()
  const now = useNow()
  const { data } = useQuery({
    queryKey: [...campaignsKey(api), 'cost', campaign.id],
    queryFn: async ({ signal }) => {
      const begin = Math.max(Date.parse(campaign.created_at), now - days_max * day_ms)
      const query = { interval: 'week', from: new Date(begin).toISOString(), group_by: 'campaign_id' }
      return api.get<CallAnalytics>('/analytics/calls', query, signal)
    },
    enabled: campaign.kind === 'voice',
    refetchInterval: isFinal(campaign) ? false : cost_refetch_ms,
  })
  return sum(
    data?.rows.filter(({ group }) => group.campaign_id === campaign.id).map(({ cost_micros }) => cost_micros) ?? [],
  )
}

const shown_max = 5

function CurrentCalls({ campaign: { id: campaign_id } }: { campaign: Campaign }) {
  const api = useApi()
  const { data } = useQuery({
    queryKey: [...campaignsKey(api), 'current', campaign_id],
    queryFn: ({ signal }) =>
      Promise.all(
        ['in_progress', 'ringing'].map((status) =>
          api.list<Call>('/calls', { campaign_id, status, limit: shown_max }, signal),
        ),
      ),
    refetchInterval: refetch_ms,
  })
  const calls = data?.flatMap(({ data }) => data).slice(0, shown_max) ?? []
  if (calls.length === 0) return null
  return (
    <Card title="Current calls">
      <ul className={styles.attempts}>
        {calls.map((call) => (
          <li key={call.id}>
            <Anchor
              renderRoot={(props) => (
                <Link
                  to="/w/$workspace/calls/$call_id"
                  params={{ workspace: api.workspace, call_id: call.id }}
                  {...props}
                />
              )}
            >
              <ContactName of={{ kind: 'voice', contact_id: call.contact_id, counterpart: null }} />
            </Anchor>
            <CallStatus call={call} />
          </li>
        ))}
      </ul>
    </Card>
  )
}
