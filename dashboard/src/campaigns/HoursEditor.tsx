import { ActionIcon, CloseButton } from '@mantine/core'
import { Disclosure } from '../kit/Disclosure.tsx'
import { ChevronIcon, PlusIcon } from '../kit/icons.tsx'
import styles from './campaigns.module.css'
import { type Day, day_names, days, default_hours, type Hours, type Week } from './hours.ts'
import { WeekGrid } from './WeekGrid.tsx'
import week_styles from './week.module.css'

interface HoursEditorProps {
  value: Week
  onChange: (week: Week) => void
  error?: string | undefined
}

/** Edits the hours of a week, painted or typed to the minute. */
export const HoursEditor = ({ value: week, onChange, error }: HoursEditorProps) => (
  <fieldset className={styles.fieldset}>
    <legend>Hours</legend>
    <p className={styles.hint}>In the contact’s time zone. The quiet hours of the workspace always apply.</p>
    <WeekGrid week={week} onChange={onChange} />
    {error && (
      <p className={styles.error} role="alert">
        {error}
      </p>
    )}
    <Disclosure
      is_field
      summary={
        <>
          Exact times <ChevronIcon size={16} />
        </>
      }
    >
      <ExactTimes week={week} onChange={onChange} />
    </Disclosure>
  </fieldset>
)

/** Edits the hours as times. A day may have several ranges, and an end before the start is on the next day. */
function ExactTimes({ week, onChange }: { week: Week; onChange: (week: Week) => void }) {
  const set = (day: Day, hours: Hours[]) => onChange({ ...week, [day]: hours })
  return days.map((day) => (
    <div key={day} className={week_styles.exact}>
      <span>{day_names[day]}</span>
      <div className={week_styles.ranges}>
        {week[day].length === 0 && <span className={styles.hint}>Closed</span>}
        {week[day].map((hours, index) => (
          <HoursFields
            // biome-ignore lint/suspicious/noArrayIndexKey: hours have no identity but their place
            key={index}
            name={index === 0 ? day_names[day] : `${day_names[day]}, ${index + 1}`}
            hours={hours}
            onChange={(changed) => set(day, week[day].with(index, changed))}
            onRemove={() => set(day, week[day].toSpliced(index, 1))}
          />
        ))}
      </div>
      <ActionIcon
        variant="subtle"
        color="gray"
        aria-label={`Add hours on ${day_names[day]}`}
        onClick={() => set(day, [...week[day], default_hours])}
      >
        <PlusIcon size={16} />
      </ActionIcon>
    </div>
  ))
}

interface HoursFieldsProps {
  name: string
  hours: Hours
  onChange: (hours: Hours) => void
  onRemove: () => void
}

const HoursFields = ({ name, hours, onChange, onRemove }: HoursFieldsProps) => (
  <span className={week_styles.range}>
    <input
      type="time"
      className={week_styles.time}
      aria-label={`${name}, start`}
      value={hours.start}
      onChange={({ currentTarget }) => onChange({ ...hours, start: currentTarget.value })}
    />
    <span aria-hidden="true">–</span>
    <input
      type="time"
      className={week_styles.time}
      aria-label={`${name}, end`}
      value={hours.end}
      onChange={({ currentTarget }) => onChange({ ...hours, end: currentTarget.value })}
    />
    <CloseButton size="sm" aria-label={`Remove ${name}`} onClick={onRemove} />
  </span>
)
