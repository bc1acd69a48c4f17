import { Button, Loader, TextInput } from '@mantine/core'
import { type FormEvent, type ReactNode, useState } from 'react'
import type { Advance, TestClock } from '../../../server/clocks/schema.ts'
import { formErrors } from '../kit/error-messages.ts'
import { formatExactTime, formatTimeZone } from '../kit/format.ts'
import { ClockIcon } from '../kit/icons.tsx'
import { useCanEdit } from '../kit/session.ts'
import { toFieldTime } from '../kit/time-field.ts'
import styles from './clocks.module.css'
import { useAdvance } from './test-clock.ts'

const minute_ms = 60_000

const steps = [
  { name: '+1 hour', by_seconds: 3_600 },
  { name: '+1 day', by_seconds: 86_400 },
]

/** Shows the time of a test workspace, and advances it. */
export function TestClockBar({ clock, error }: { clock: TestClock | undefined; error: Error | null }) {
  const can_edit = useCanEdit()
  const advancing = useAdvance()
  const [chosen, setChosen] = useState('')
  const failure = advancing.error ?? error
  const is_advancing = clock?.status === 'advancing'
  const is_disabled = is_advancing || advancing.isPending
  const advance = (input: Advance) => advancing.mutate(input, { onSuccess: () => setChosen('') })
  return (
    <section className={styles.bar} aria-label="Test clock">
      <p className={styles.time} role="status">
        {is_advancing ? <Loader size={16} aria-hidden="true" /> : <ClockIcon size={16} />}
        <span>
          Test clock: <strong>{clock ? <time dateTime={clock.now}>{formatClock(clock.now)}</time> : '…'}</strong>
          {is_advancing && clock.target && (
            <>
              , advancing to <span className={styles.whole}>{formatClock(clock.target)}</span>
            </>
          )}
        </span>
      </p>
      {can_edit && clock && (
        <div className={styles.controls}>
          {steps.map(({ name, by_seconds }) => (
            <Button
              key={name}
              size="xs"
              variant="default"
              disabled={is_disabled}
              onClick={() => advance({ by_seconds })}
            >
              {name}
            </Button>
          ))}
          <AdvanceTo
            value={chosen}
            min={nextMinute(clock.now)}
            is_disabled={is_disabled}
            onChange={setChosen}
            onSubmit={(to) => advance({ to })}
          />
        </div>
      )}
      {(failure || clock?.error) && (
        <p className={styles.error} role="alert">
          {failure ? describe(failure, advancing.variables?.to, clock) : clock?.error}
        </p>
      )}
    </section>
  )
}

const formatClock = (time: string): string => `${formatExactTime(time)} ${formatTimeZone(time)}`

/** The server's text has the time in UTC. */
function describe(error: Error, to: string | undefined, clock: TestClock | undefined): ReactNode {
  const { fields, message } = formErrors(error, ['to'])
  if (!fields.to || !to || !clock || Date.parse(to) > Date.parse(clock.now)) return fields.to ?? message
  return (
    <>
      Choose a time after <span className={styles.whole}>{formatExactTime(clock.now)}</span>.
    </>
  )
}

/** The first whole minute after the time, as the field writes it: without seconds, in the browser's time zone. */
function nextMinute(time: string): string {
  const next = (Math.floor(Date.parse(time) / minute_ms) + 1) * minute_ms
  return toFieldTime(new Date(next).toISOString())
}

interface AdvanceToProps {
  value: string
  min: string
  is_disabled: boolean
  onChange: (value: string) => void
  onSubmit: (to: string) => void
}

/** The field has the browser's time zone, like all times in the dashboard. */
function AdvanceTo({ value, min, is_disabled, onChange, onSubmit }: AdvanceToProps) {
  const submit = (event: FormEvent) => {
    event.preventDefault()
    const time = new Date(value)
    if (!Number.isNaN(time.getTime())) onSubmit(time.toISOString())
  }
  return (
    // Not validated by the browser: a time before the minimum gets an error message in the bar.
    <form className={styles.to} onSubmit={submit} noValidate>
      <TextInput
        type="datetime-local"
        size="xs"
        label="Advance to"
        classNames={{ root: styles.field ?? '' }}
        min={min}
        value={value}
        onChange={({ currentTarget }) => onChange(currentTarget.value)}
      />
      <Button type="submit" size="xs" variant="default" disabled={is_disabled || value === ''}>
        Advance
      </Button>
    </form>
  )
}
