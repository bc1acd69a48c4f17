import { NumberInput, Select, TagsInput, TextInput } from '@mantine/core'
import { Disclosure } from '../kit/Disclosure.tsx'
import { formatNumber } from '../kit/format.ts'
import { browser_zone, time_zones } from '../kit/time-field.ts'
import type { Form } from './AgentFields.tsx'
import { outcome_names } from './campaign.ts'
import type { CampaignValues } from './campaign-values.ts'
import styles from './campaigns.module.css'
import { HoursEditor } from './HoursEditor.tsx'
import { RetryRules } from './RetryRules.tsx'

const options_shown_max = 100

interface ScheduleFieldsProps {
  form: Form
  /** Whether the campaign was started: some fields can't be changed then. */
  is_started?: boolean
}

/** Edits when and how often contacts are reached. */
export const ScheduleFields = ({ form, is_started = false }: ScheduleFieldsProps) => (
  <>
    <HoursEditor {...form.getInputProps('windows')} value={form.values.windows} />
    {!is_started && (
      <Select
        label="Default time zone"
        description="For contacts without a known time zone. Without it, they are not contacted."
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
      description="Nobody is contacted on these dates, such as 2026-12-25."
      {...(form.values.holidays.length === 0 && { placeholder: 'Year-month-day' })}
      {...form.getInputProps('holidays')}
    />
    <div className={styles.pair}>
      {!is_started && (
        <TextInput
          type="datetime-local"
          label="Starts at"
          description={`In ${browser_zone}. Leave blank to begin when you start the campaign.`}
          {...form.getInputProps('starts_at')}
        />
      )}
      <TextInput
        type="datetime-local"
        label="Ends at"
        description={`In ${browser_zone}. Leave blank to continue until all contacts are done.`}
        {...form.getInputProps('ends_at')}
      />
    </div>
    <LimitFields form={form} is_started={is_started} />
  </>
)

const limit_names = /^(pacing|caps|attempts_max|retry)\b/

/** Edits pace, limits and retries, folded behind a sentence with their values. */
function LimitFields({ form, is_started }: Required<ScheduleFieldsProps>) {
  const has_errors = Object.keys(form.errors).some((name) => limit_names.test(name))
  return (
    <Disclosure
      is_field
      has_errors={has_errors}
      summary={
        <>
          <span className={styles.sentence}>{describeLimits(form.values)}</span>
          <span className={styles.change}>Change</span>
        </>
      }
    >
      <PaceFields form={form} />
      <CapFields form={form} is_started={is_started} />
      <fieldset className={styles.fieldset}>
        <legend>Retries by outcome</legend>
        <RetryRules form={form} />
        {form.errors.retry && (
          <p className={styles.error} role="alert">
            {form.errors.retry}
          </p>
        )}
      </fieldset>
    </Disclosure>
  )
}

/** "Up to 10 calls at a time, 1 new per second. 4 attempts per contact …" */
function describeLimits({ kind, pacing, caps, attempts_max, retry }: CampaignValues): string {
  const noun = kind === 'voice' ? 'call' : 'message'
  const number = (value: number | string) => (typeof value === 'number' ? formatNumber(value) : value || '–')
  const rules = retry.map(({ outcome }) => outcome_names[outcome].toLowerCase()).join(', ')
  return [
    `Up to ${number(pacing.in_flight_max)} ${noun}s at a time and ${number(pacing.starts_per_second)} new per second`,
    ...(Number(pacing.ramp_minutes) > 0 ? [`, after a ramp-up of ${number(pacing.ramp_minutes)} min`] : []),
    `. Up to ${number(attempts_max)} attempts per contact, ${number(caps.per_day)} a day and ${number(caps.per_week)} a week`,
    `, at least ${number(caps.gap_hours_min)} h apart. `,
    retry.length === 0 ? 'Default retries.' : `Own retries for ${rules}.`,
  ].join('')
}

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
    <div className={styles.pair}>
      <NumberInput label="At the same time" {...number_props} {...form.getInputProps('pacing.in_flight_max')} />
      <NumberInput label="Starts per second" {...number_props} {...form.getInputProps('pacing.starts_per_second')} />
      <NumberInput label="Ramp-up (minutes)" {...number_props} {...form.getInputProps('pacing.ramp_minutes')} />
    </div>
  </fieldset>
)

const CapFields = ({ form, is_started }: Required<ScheduleFieldsProps>) => (
  <fieldset className={styles.fieldset}>
    <legend>Contact limits</legend>
    <p className={styles.hint}>Limits per day and week count the attempts of all campaigns.</p>
    <div className={styles.pair}>
      {!is_started && <NumberInput label="Attempts" {...number_props} {...form.getInputProps('attempts_max')} />}
      <NumberInput label="Per day" {...number_props} {...form.getInputProps('caps.per_day')} />
      <NumberInput label="Per week" {...number_props} {...form.getInputProps('caps.per_week')} />
      <NumberInput label="Hours between attempts" {...number_props} {...form.getInputProps('caps.gap_hours_min')} />
    </div>
  </fieldset>
)
