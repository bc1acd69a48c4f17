import { Button, Loader, Popover, TextInput, UnstyledButton } from '@mantine/core'
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

/** Shows the time of a test workspace. A click opens what advances it. */
export function TestClockChip({ clock, error }: { clock: TestClock | undefined; error: Error | null }) {
  const can_edit = useCanEdit()
  const advancing = useAdvance()
  const [chosen, setChosen] = useState('')
  const failure = advancing.error ?? error
  const is_advancing = clock?.status === 'advancing'
  const is_disabled = is_advancing || advancing.isPending
  const advance = (input: Advance) => advancing.mutate(input, { onSuccess: () => setChosen('') })
  const message = failure ? describe(failure, advancing.variables?.to, clock) : clock?.error
  return (
    <section className={styles.clock} aria-label="Test clock">
      <Popover position="right-start" trapFocus returnFocus disabled={!can_edit || !clock}>
        <Popover.Target>
          <UnstyledButton className={styles.chip} data-failed={Boolean(message) || undefined}>
            {is_advancing ? <Loader size={14} aria-hidden="true" /> : <ClockIcon size={14} />}
            <span className={styles.chipText}>
              <span className={styles.visuallyHidden}>Test clock: </span>
              {clock ? <time dateTime={clock.now}>{formatClock(clock.now)}</time> : '…'}
            </span>
          </UnstyledButton>
        </Popover.Target>
        <Popover.Dropdown className={styles.controls}>
          {clock && (
            <>
              <div className={styles.steps}>
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
              </div>
              <AdvanceTo
                value={chosen}
                min={nextMinute(clock.now)}
                is_disabled={is_disabled}
                onChange={setChosen}
                onSubmit={(to) => advance({ to })}
              />
            </>
          )}
          {message && (
            <p className={styles.error} role="alert">
              {message}
            </p>
          )}
        </Popover.Dropdown>
      </Popover>
      <p className={styles.target} role="status">
        {is_advancing && clock.target && `advancing to ${formatClock(clock.target)}`}
      </p>
    </section>
  )
}

const formatClock = (time: string): string => `${formatExactTime(time)} ${formatTimeZone(time)}`

/**
 * Describes an error. A time that is too early is written in the browser's time zone, because the server's text has it
 * in UTC.
 */
function describe(error: Error, to: string | undefined, clock: TestClock | undefined): ReactNode {
  const { fields, message } = formErrors(error, ['to'])
  if (!fields.to || !to || !clock || Date.parse(to) > Date.parse(clock.now)) return fields.to ?? message
  return (
    <>
      Choose a time after <span className={styles.whole}>{formatExactTime(clock.now)}</span>.
    </>
  )
}

/**
 * Returns the first whole minute after the time, as the field writes it: without seconds, in the browser's time zone.
 */
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

/** Advances the clock to a time in the browser's time zone, like all times in the dashboard. */
function AdvanceTo({ value, min, is_disabled, onChange, onSubmit }: AdvanceToProps) {
  const submit = (event: FormEvent) => {
    event.preventDefault()
    const time = new Date(value)
    if (!Number.isNaN(time.getTime())) onSubmit(time.toISOString())
  }
  return (
    // The browser doesn't validate: a time before the minimum gets an error message in the bar.
    <form className={styles.to} onSubmit={submit} noValidate>
      <TextInput
        type="datetime-local"
        size="xs"
        label="Advance to"
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
