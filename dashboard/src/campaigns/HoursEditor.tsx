import { ActionIcon, Button, Checkbox, CloseButton } from '@mantine/core'
import { PlusIcon } from '../kit/icons.tsx'
import styles from './campaigns.module.css'
import { type Day, day_names, days, default_hours, type Hours, type Week } from './hours.ts'

interface HoursEditorProps {
  value: Week
  onChange: (week: Week) => void
  error?: string | undefined
}

/** The hours of each day of the week. A day may have several, such as before and after lunch. */
export function HoursEditor({ value: week, onChange, error }: HoursEditorProps) {
  const first = days.find((day) => week[day].length > 0)
  const set = (day: Day, hours: Hours[]) => onChange({ ...week, [day]: hours })
  const copyFirst = () =>
    first && onChange(Object.fromEntries(days.map((day) => [day, week[day].length > 0 ? week[first] : []])) as Week)
  return (
    <fieldset className={styles.fieldset}>
      <legend>Hours</legend>
      <p className={styles.hint}>
        In the contact’s time zone. The quiet hours of the workspace always apply. An end before the start is on the
        next day.
      </p>
      <div className={styles.week}>
        {days.map((day) => (
          <div key={day} className={styles.day}>
            <Checkbox
              label={day_names[day]}
              checked={week[day].length > 0}
              onChange={({ currentTarget }) => set(day, currentTarget.checked ? [default_hours] : [])}
            />
            <div className={styles.ranges}>
              {week[day].length === 0 && <span className={styles.hint}>Closed</span>}
              {week[day].map((hours, index) => (
                <HoursFields
                  // biome-ignore lint/suspicious/noArrayIndexKey: hours have no identity but their place
                  key={index}
                  name={index === 0 ? day_names[day] : `${day_names[day]}, ${index + 1}`}
                  hours={hours}
                  onChange={(changed) => set(day, week[day].with(index, changed))}
                  {...(index > 0 && { onRemove: () => set(day, week[day].toSpliced(index, 1)) })}
                />
              ))}
            </div>
            {week[day].length > 0 && (
              <ActionIcon
                variant="subtle"
                color="gray"
                aria-label={`Add hours on ${day_names[day]}`}
                onClick={() => set(day, [...week[day], default_hours])}
              >
                <PlusIcon size={16} />
              </ActionIcon>
            )}
          </div>
        ))}
      </div>
      {first && (
        <Button variant="subtle" size="compact-sm" onClick={copyFirst}>
          Copy {day_names[first]} to all open days
        </Button>
      )}
      {error && (
        <p className={styles.error} role="alert">
          {error}
        </p>
      )}
    </fieldset>
  )
}

interface HoursFieldsProps {
  name: string
  hours: Hours
  onChange: (hours: Hours) => void
  onRemove?: () => void
}

const HoursFields = ({ name, hours, onChange, onRemove }: HoursFieldsProps) => (
  <span className={styles.range}>
    <input
      type="time"
      className={styles.time}
      aria-label={`${name}, start`}
      value={hours.start}
      onChange={({ currentTarget }) => onChange({ ...hours, start: currentTarget.value })}
    />
    <span aria-hidden="true">–</span>
    <input
      type="time"
      className={styles.time}
      aria-label={`${name}, end`}
      value={hours.end}
      onChange={({ currentTarget }) => onChange({ ...hours, end: currentTarget.value })}
    />
    {onRemove && <CloseButton size="sm" aria-label={`Remove ${name}`} onClick={onRemove} />}
  </span>
)
