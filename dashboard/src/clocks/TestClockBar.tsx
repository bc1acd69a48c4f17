import { Button, Loader, TextInput } from '@mantine/core'
import { type FormEvent, useState } from 'react'
import type { TestClock } from '../../../server/clocks/schema.ts'
import { formErrors } from '../kit/error-messages.ts'
import { formatTime } from '../kit/format.ts'
import { ClockIcon } from '../kit/icons.tsx'
import { useCanEdit } from '../kit/session.ts'
import styles from './clocks.module.css'
import { useAdvance } from './test-clock.ts'

const steps = [
  { name: '+1 hour', by_seconds: 3_600 },
  { name: '+1 day', by_seconds: 86_400 },
]

/** Shows the time of a test workspace, and advances it. */
export function TestClockBar({ clock, error }: { clock: TestClock | undefined; error: Error | null }) {
  const can_edit = useCanEdit()
  const advancing = useAdvance()
  const failure = advancing.error ?? error
  const is_advancing = clock?.status === 'advancing'
  return (
    <section className={styles.bar} aria-label="Test clock">
      <p className={styles.time} role="status">
        {is_advancing ? <Loader size={16} aria-hidden="true" /> : <ClockIcon size={16} />}
        <span>
          Test clock: <strong>{clock ? <time dateTime={clock.now}>{formatTime(clock.now)}</time> : '…'}</strong>
          {is_advancing && clock.target && `, advancing to ${formatTime(clock.target)}`}
        </span>
      </p>
      {can_edit && clock && (
        <div className={styles.controls}>
          {steps.map(({ name, by_seconds }) => (
            <Button
              key={name}
              size="xs"
              variant="default"
              disabled={is_advancing || advancing.isPending}
              onClick={() => advancing.mutate({ by_seconds })}
            >
              {name}
            </Button>
          ))}
          <AdvanceTo is_disabled={is_advancing || advancing.isPending} onSubmit={(to) => advancing.mutate({ to })} />
        </div>
      )}
      {failure && (
        <p className={styles.error} role="alert">
          {describe(failure)}
        </p>
      )}
    </section>
  )
}

function describe(error: Error): string {
  const { fields, message } = formErrors(error, ['to'])
  return fields.to ?? message ?? ''
}

/** The field has the browser's time zone, like all times in the dashboard. */
function AdvanceTo({ is_disabled, onSubmit }: { is_disabled: boolean; onSubmit: (to: string) => void }) {
  const [value, setValue] = useState('')
  const submit = (event: FormEvent) => {
    event.preventDefault()
    const time = new Date(value)
    if (!Number.isNaN(time.getTime())) onSubmit(time.toISOString())
  }
  return (
    <form className={styles.to} onSubmit={submit}>
      <TextInput
        type="datetime-local"
        size="xs"
        aria-label="Advance to"
        value={value}
        onChange={({ currentTarget }) => setValue(currentTarget.value)}
      />
      <Button type="submit" size="xs" variant="default" disabled={is_disabled || value === ''}>
        Advance
      </Button>
    </form>
  )
}
