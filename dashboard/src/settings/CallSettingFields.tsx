import { NumberInput, Switch, TextInput } from '@mantine/core'
import type { UseFormReturnType } from '@mantine/form'
import styles from './settings.module.css'
import { price_names, prices, share_names, shares, type WorkspaceValues } from './workspace-values.ts'

type Form = UseFormReturnType<WorkspaceValues>

/** The server checks the limits: a value that is out of range is shown with its error, and not changed. */
const number_props = {
  allowDecimal: false,
  allowNegative: false,
  clampBehavior: 'none',
  hideControls: true,
} as const

export const LimitFields = ({ form }: { form: Form }) => (
  <>
    <NumberInput
      label="Calls at a time"
      description="How many calls can be queued, ringing or in progress at a time."
      required
      thousandSeparator=","
      {...number_props}
      {...form.getInputProps('settings.calls_in_flight_max')}
    />
    <NumberInput
      label="Tokens per day"
      description="How many tokens the agents of this workspace can use in a day."
      required
      thousandSeparator=","
      {...number_props}
      {...form.getInputProps('settings.tokens_per_day_max')}
    />
  </>
)

export const kept = [
  {
    name: 'conversations_keep_days',
    label: 'Delete conversations after',
    description: 'Days after the last message. Leave blank to keep conversations forever.',
  },
  {
    name: 'calls_keep_days',
    label: 'Delete calls after',
    description: 'With their transcripts and recordings. Leave blank to keep them forever.',
  },
  {
    name: 'recordings_keep_days',
    label: 'Delete recordings after',
    description: 'Leave blank to keep them forever.',
  },
  { name: 'tool_runs_keep_days', label: 'Delete tool runs after', description: 'Leave blank to keep them forever.' },
]

export const RetentionFields = ({ form }: { form: Form }) =>
  kept.map(({ name, label, description }) => (
    <NumberInput
      key={name}
      label={label}
      description={description}
      placeholder="Never"
      suffix=" days"
      {...number_props}
      {...form.getInputProps(`settings.${name}`)}
    />
  ))

export const QuietHoursFields = ({ form }: { form: Form }) => (
  <fieldset className={styles.group}>
    <legend>Quiet hours</legend>
    <p>Campaigns reach people, and agents call them back, only between these hours in the time zone of each person.</p>
    <TextInput label="From" placeholder="08:00" required {...form.getInputProps('settings.quiet_hours.start')} />
    <TextInput label="To" placeholder="21:00" required {...form.getInputProps('settings.quiet_hours.end')} />
    {form.errors['settings.quiet_hours'] && (
      <p className={styles.groupError} role="alert">
        {form.errors['settings.quiet_hours']}
      </p>
    )}
  </fieldset>
)

export const PriceFields = ({ form }: { form: Form }) => (
  <div className={styles.group}>
    <p>What you pay, to show the cost of calls.</p>
    <TextInput
      label="Currency"
      placeholder="USD"
      required
      maxLength={3}
      {...form.getInputProps('settings.currency')}
      error={form.errors['settings.prices.currency']}
    />
    {prices.map((name) => (
      <NumberInput
        key={name}
        label={price_names[name]}
        required
        {...number_props}
        allowDecimal
        decimalScale={6}
        {...form.getInputProps(`settings.prices.${name}`)}
      />
    ))}
  </div>
)

/** Edits settings that only test workspaces have. */
export const TestFields = ({ form }: { form: Form }) => (
  <>
    <Switch
      label="Allow models and tools over the network"
      description="Runs of a test may then differ from each other."
      {...form.getInputProps('settings.allows_network', { type: 'checkbox' })}
    />
    <fieldset className={styles.group}>
      <legend>Mix of simulated people</legend>
      <p>How calls and messages to numbers that end in 20 to 99 turn out. The sum must be 100 %.</p>
      {shares.map((name) => (
        <NumberInput
          key={name}
          label={share_names[name]}
          suffix=" %"
          required
          {...number_props}
          {...form.getInputProps(`settings.mix.${name}`)}
        />
      ))}
      {form.errors['settings.mix'] && (
        <p className={styles.groupError} role="alert">
          {form.errors['settings.mix']}
        </p>
      )}
    </fieldset>
  </>
)
