import { Button } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import type { Call } from '../../../server/calls/schema.ts'
import { testClockQuery, useAdvance } from '../clocks/test-clock.ts'
import { useApi } from '../kit/api.ts'
import { errorMessage } from '../kit/error-messages.ts'
import { useNow } from '../kit/now.ts'
import styles from './calls.module.css'

const step_ms = 5 * 60_000

/** Advances the clock of a test workspace, where a call goes on only when the clock does. */
export function AdvanceClock({ call }: { call: Call }) {
  const now = useNow()
  const advancing = useAdvance()
  const { data: clock } = useQuery(testClockQuery(useApi()))
  const scheduled_at = Date.parse(call.scheduled_at ?? '')
  const is_ahead = call.status === 'scheduled' && scheduled_at > now
  const advance = () =>
    advancing.mutate(is_ahead ? { to: new Date(scheduled_at + step_ms).toISOString() } : { by_seconds: step_ms / 1000 })
  return (
    <div className={styles.clock}>
      <span>The clock of this test workspace stands still. The call goes on when you advance it.</span>
      <Button
        size="xs"
        variant="default"
        loading={advancing.isPending || clock?.status === 'advancing'}
        onClick={advance}
      >
        {is_ahead ? 'Advance to 5 minutes after the call' : 'Advance the clock by 5 minutes'}
      </Button>
      {advancing.error && (
        <span className={styles.clockError} role="alert">
          {errorMessage(advancing.error)}
        </span>
      )}
    </div>
  )
}
