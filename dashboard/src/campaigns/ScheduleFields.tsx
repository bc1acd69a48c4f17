import { NumberInput, Select, TagsInput, TextInput } from '@mantine/core'
import { Disclosure } from '../kit/Disclosure.tsx'
import { ChevronIcon } from '../kit/icons.tsx'
import { time_zones } from '../kit/time-field.ts'
import type { Form } from './AgentFields.tsx'
import styles from './campaigns.module.css'
import { HoursEditor } from './HoursEditor.tsx'
import { RetryRules } from './RetryRules.tsx'

const options_shown_max = 100

interface ScheduleFieldsProps {
  form: Form
  /** Once a campaign was started, some fields can't be changed. */
  is_started?: boolean
}

/** When and how often contacts are reached. */
export const ScheduleFields = ({ form, is_started = false }: ScheduleFieldsProps) => (
  <>
    <HoursEditor {...form.getInputProps('windows')} value={form.values.windows} />
    {!is_started && (
      <Select
        label="Default time zone"
        description="For contacts whose time zone is not known, not even from their number. Without it they are not reached."
        placeholder="None"
        data={time_zones}
        limit={options_shown_max}
        searchable
        clearable
        clearButtonProps={{ 'aria-label': 'Clear time zone' }}
        {...form.getInputProps('time_zone')}
      />
    )}
    <TagsInput
      label="Holidays"
      description="Dates on which nobody is reached, such as 2026-12-25."
      {...(form.values.holidays.length === 0 && { placeholder: 'Year-month-day' })}
      {...form.getInputProps('holidays')}
    />
    <div className={styles.pair}>
      {!is_started && (
        <TextInput
          type="datetime-local"
          label="Starts at"
          description="Leave blank to begin when you start it."
          {...form.getInputProps('starts_at')}
        />
      )}
      <TextInput
        type="datetime-local"
        label="Ends at"
        description="Leave blank to go on until all are done."
        {...form.getInputProps('ends_at')}
      />
    </div>
    <PaceFields form={form} />
    <CapFields form={form} is_started={is_started} />
    <Disclosure
      summary={
        <>
          Retries by outcome <ChevronIcon size={17} />
        </>
      }
    >
      <RetryRules form={form} />
    </Disclosure>
    {form.errors.retry && (
      <p className={styles.error} role="alert">
        {form.errors.retry}
      </p>
    )}
  </>
)

/** The server checks the limits: a value that is out of range is shown with its error, and not changed. */
const number_props = {
  allowNegative: false,
  clampBehavior: 'none',
  hideControls: true,
  required: true,
} as const

const PaceFields = ({ form }: { form: Form }) => (
  <fieldset className={styles.fieldset}>
    <legend>Pace</legend>
    <div className={styles.three}>
      <NumberInput label="At the same time" {...number_props} {...form.getInputProps('pacing.in_flight_max')} />
      <NumberInput label="Starts per second" {...number_props} {...form.getInputProps('pacing.starts_per_second')} />
      <NumberInput
        label="Minutes to reach this rate"
        {...number_props}
        {...form.getInputProps('pacing.ramp_minutes')}
      />
    </div>
  </fieldset>
)

const CapFields = ({ form, is_started }: Required<ScheduleFieldsProps>) => (
  <fieldset className={styles.fieldset}>
    <legend>Attempts per contact</legend>
    <p className={styles.hint}>The limits per day and week count the attempts of all campaigns.</p>
    <div className={styles.four}>
      {!is_started && <NumberInput label="In total" {...number_props} {...form.getInputProps('attempts_max')} />}
      <NumberInput label="Per day" {...number_props} {...form.getInputProps('caps.per_day')} />
      <NumberInput label="Per week" {...number_props} {...form.getInputProps('caps.per_week')} />
      <NumberInput label="Hours between attempts" {...number_props} {...form.getInputProps('caps.gap_hours_min')} />
    </div>
  </fieldset>
)
