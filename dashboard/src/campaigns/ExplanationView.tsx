import { Anchor, TextInput } from '@mantine/core'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { type ReactNode, useState } from 'react'
import type { Explanation, RuleName } from '../../../server/campaigns/explain-schema.ts'
import type { Campaign, Enrollment } from '../../../server/campaigns/schema.ts'
import { useApi } from '../kit/api.ts'
import { errorMessage } from '../kit/error-messages.ts'
import { formatExactTime, formatTime } from '../kit/format.ts'
import { AlertIcon, BlockIcon, CheckIcon, ClockIcon } from '../kit/icons.tsx'
import { ErrorAlert, LoadingSkeleton } from '../kit/states.tsx'
import { browser_zone, fromFieldTime } from '../kit/time-field.ts'
import { campaignsKey, reachedBy, reasonName } from './campaign.ts'
import styles from './campaigns.module.css'

type Verdict = Explanation['rules'][number]['verdict']

const rule_names: Record<RuleName, string> = {
  campaign: 'Campaign',
  consent: 'Consent',
  conversation: 'Open conversations',
  attempts: 'Attempts left',
  caps: 'Contact limits',
  quiet_hours: 'Quiet hours',
  windows: 'Campaign hours',
  breaker: 'Circuit breaker',
  pacing: 'Pace',
}
const verdict_names: Record<Verdict, string> = {
  pass: 'Passes',
  defer: 'Waiting',
  skip: 'Skips',
  fail: 'Fails',
  expire: 'Expires',
  done: 'Done',
}
const verdict_icons: Record<Verdict, ReactNode> = {
  pass: <CheckIcon size={15} />,
  defer: <ClockIcon size={15} />,
  skip: <BlockIcon size={15} />,
  fail: <AlertIcon size={15} />,
  expire: <AlertIcon size={15} />,
  done: <CheckIcon size={15} />,
}

interface ExplanationViewProps {
  campaign: Campaign
  enrollment: Enrollment
}

/** Explains why a contact is reached or not, now or at a later time. */
export function ExplanationView({ campaign, enrollment: { id, updated_at } }: ExplanationViewProps) {
  const api = useApi()
  const [at, setAt] = useState('')
  const query = at === '' ? {} : { at: fromFieldTime(at) }
  const { data, error } = useQuery({
    queryKey: [...campaignsKey(api), 'explain', id, updated_at, query],
    queryFn: ({ signal }) => api.get<Explanation>(`/enrollments/${id}/explain`, query, signal),
    placeholderData: keepPreviousData,
  })
  return (
    <section className={styles.form} aria-label="Explanation">
      <TextInput
        type="datetime-local"
        label="Check another time"
        description={browser_zone}
        value={at}
        onChange={({ currentTarget }) => setAt(currentTarget.value)}
      />
      {error && <ErrorAlert>{errorMessage(error)}</ErrorAlert>}
      {!data && !error && <LoadingSkeleton lines={6} />}
      {data && !error && (
        <>
          <p className={styles.verdict} role="status">
            {describeVerdict(campaign, data)}
          </p>
          <ol className={styles.rules} aria-label="Rules">
            {data.rules.map(({ rule, verdict, because }) => (
              <li key={rule} data-verdict={verdict}>
                <span className={styles.mark}>{verdict_icons[verdict]}</span>
                <div>
                  <strong>{rule_names[rule]}</strong>
                  <span className={styles.ruleVerdict}>{verdict_names[verdict]}</span>
                  <p>{withTimes(because)}</p>
                </div>
              </li>
            ))}
          </ol>
          <Attempts attempts={data.attempts} />
        </>
      )}
    </section>
  )
}

/** Writes the times in a sentence of the API as the dashboard writes them. */
const withTimes = (text: string): string => text.replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, formatExactTime)

function describeVerdict(campaign: Campaign, { verdict, next_attempt_at, rules }: Explanation): string {
  switch (verdict) {
    case 'attempt':
      return `Would be ${reachedBy(campaign)}.`
    case 'defer':
      return `Waiting${next_attempt_at ? ` until ${formatExactTime(next_attempt_at)}` : ''}${because(rules)}.`
    case 'skip':
      return 'Would be skipped.'
    case 'fail':
      return 'Would fail: no attempt is left.'
    case 'expire':
      return 'Would expire: the campaign is over.'
    case 'done':
      return 'Nothing is left to do.'
  }
}

/** Names the first rule for which the contact waits: ": campaign hours". */
function because(rules: Explanation['rules']): string {
  const waiting = rules.find(({ verdict }) => verdict === 'defer')
  return waiting ? `: ${rule_names[waiting.rule].toLowerCase()}` : ''
}

function Attempts({ attempts }: Pick<Explanation, 'attempts'>) {
  const { workspace } = useApi()
  if (attempts.length === 0) return <p className={styles.hint}>No attempts yet.</p>
  return (
    <section className={styles.part} aria-label="Attempts">
      <h3>Attempts</h3>
      <ol className={styles.attempts}>
        {attempts.map(({ attempt, at, outcome, call_id, conversation_id }) => (
          <li key={attempt}>
            <span>
              {attempt}. {outcome ? reasonName(outcome) : 'In progress'}
            </span>
            <span className={styles.hint}>{formatTime(at)}</span>
            {call_id && (
              <Anchor
                fz="sm"
                renderRoot={(props) => (
                  <Link to="/w/$workspace/calls/$call_id" params={{ workspace, call_id }} {...props} />
                )}
              >
                Open call
              </Anchor>
            )}
            {conversation_id && (
              <Anchor
                fz="sm"
                renderRoot={(props) => (
                  <Link to="/w/$workspace/conversations/$id" params={{ workspace, id: conversation_id }} {...props} />
                )}
              >
                Open conversation
              </Anchor>
            )}
          </li>
        ))}
      </ol>
    </section>
  )
}
