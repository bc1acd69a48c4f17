import { Badge, Button } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { type ReactNode, useContext, useEffect, useReducer, useState } from 'react'
import type { Call } from '../../../server/calls/schema.ts'
import { ContactName } from '../conversations/ContactName.tsx'
import styles from '../conversations/conversations.module.css'
import { Details } from '../conversations/Details.tsx'
import { useContactName } from '../conversations/useContactName.ts'
import { useApi } from '../kit/api.ts'
import { formatDuration } from '../kit/format.ts'
import { NowContext } from '../kit/now.ts'
import { RelativeTime } from '../kit/RelativeTime.tsx'
import { LoadError, LoadingSkeleton } from '../kit/states.tsx'
import { CallActions } from './CallActions.tsx'
import { CallFacts } from './CallFacts.tsx'
import { CallStatus } from './CallStatus.tsx'
import { callQuery, describeEnd, isOver, timeOf, toNamed } from './call.ts'
import { Direction } from './Direction.tsx'
import { EndedCall } from './EndedCall.tsx'
import { LiveCall } from './LiveCall.tsx'

const tick_ms = 1_000

/** Shows one call: the player and the transcript, or what is being said, and the facts beside it or in a drawer. */
export function CallPane({ id, back }: { id: string; back: ReactNode }) {
  const { data: call, error, refetch } = useQuery(callQuery(useApi(), id))
  if (call) return <LoadedCall call={call} back={back} />
  return (
    <div className={styles.middle}>
      <div className={styles.head}>{back}</div>
      <div className={styles.waiting}>
        {error ? <LoadError error={error} retry={refetch} noun="Call" /> : <LoadingSkeleton lines={6} />}
      </div>
    </div>
  )
}

function LoadedCall({ call, back }: { call: Call; back: ReactNode }) {
  const contact = useContactName(toNamed(call))
  const [are_facts_open, setFactsOpen] = useState(false)
  return (
    <>
      <section className={styles.middle} aria-label={`Call with ${contact}`}>
        <div className={styles.head}>
          {back}
          <div className={styles.headText}>
            <h1>
              <ContactName of={toNamed(call)} />
            </h1>
            <CallSummary call={call} />
          </div>
          <div className={styles.headActions}>
            <Button variant="default" size="xs" className={styles.factsButton} onClick={() => setFactsOpen(true)}>
              Details
            </Button>
            <CallActions call={call} />
          </div>
        </div>
        {call.redacted_at && <p className={styles.notice}>What was said has been erased.</p>}
        {isOver(call) ? <EndedCall call={call} contact={contact} /> : <LiveCall call={call} contact={contact} />}
      </section>
      <Details is_open={are_facts_open} onClose={() => setFactsOpen(false)}>
        <CallFacts call={call} />
      </Details>
    </>
  )
}

/** Summarizes how the call stands or ended, when, how long, and why it ended. */
const CallSummary = ({ call }: { call: Call }) => (
  <span className={styles.headFacts}>
    <CallStatus call={call} />
    <Direction call={call} />
    <span className={styles.when}>
      <RelativeTime time={timeOf(call)} />
    </span>
    {call.status === 'in_progress' && <RunningTime since={call.answered_at ?? timeOf(call)} />}
    {call.duration_ms !== null && <span className={styles.when}>{formatDuration(call.duration_ms)}</span>}
    {call.end_reason && call.status === 'completed' && (
      <span className={styles.when}>{describeEnd(call, call.end_reason)}</span>
    )}
    {call.is_test && (
      <Badge variant="light" size="sm" tt="none" fw={600}>
        Test call
      </Badge>
    )}
  </span>
)

/** Shows how long a call has lasted. In a test workspace it follows the clock. */
function RunningTime({ since }: { since: string }) {
  const now = useContext(NowContext)
  const [, tick] = useReducer((count: number) => count + 1, 0)
  useEffect(() => {
    const timer = setInterval(tick, tick_ms)
    return () => clearInterval(timer)
  }, [])
  return (
    <span role="timer" className={styles.when}>
      {formatDuration(now() - Date.parse(since))}
    </span>
  )
}
