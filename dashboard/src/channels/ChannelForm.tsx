import { Button, NumberInput, Radio, Select, Switch, TagsInput, TextInput } from '@mantine/core'
import { type UseFormReturnType, useForm } from '@mantine/form'
import { useMutation, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { ChannelWithSettings } from '../../../server/channels/schema.ts'
import { useApi } from '../kit/api.ts'
import { useConflicts } from '../kit/Conflict.tsx'
import { formErrors } from '../kit/error-messages.ts'
import { FormErrors } from '../kit/FormErrors.tsx'
import { isSame } from '../kit/merge.ts'
import { PhoneField } from '../kit/PhoneField.tsx'
import { useToPhoneNumber } from '../kit/phone-number.ts'
import { ErrorAlert } from '../kit/states.tsx'
import { useUnsaved } from '../kit/unsaved.tsx'
import { AccountFields } from './AccountFields.tsx'
import { agentsQuery } from './channel.ts'
import { type ChannelValues, fields, toBody, toChanges, toValues } from './channel-values.ts'
import styles from './channels.module.css'

const labels = {
  agent_id: 'Agent',
  address: 'Phone number',
  origins: 'Websites',
  account_sid: 'Account SID',
  api_url: 'API URL',
  has_voice: 'Voice',
  tokens_per_day_max: 'Tokens per day',
  messages_per_minute_max: 'Messages per minute',
  messages_per_day_max: 'Messages per day',
}

interface ChannelFormProps {
  /** The channel to edit. Without it, the form creates one. */
  channel?: ChannelWithSettings
  onSaved: (channel: ChannelWithSettings) => unknown
}

export function ChannelForm({ channel, onSaved }: ChannelFormProps) {
  const api = useApi()
  const [before, setBefore] = useState(() => toValues(channel))
  const form = useForm<ChannelValues>({ initialValues: before })
  const setSaved = useUnsaved(!isSame(before, form.values))
  const toPhoneNumber = useToPhoneNumber()
  const conflicts = useConflicts({ labels })
  const saving = useMutation({
    mutationFn: (values: ChannelValues) =>
      channel
        ? api.update<ChannelWithSettings>(`/channels/${channel.id}`, async () => {
            // The channel alone lacks its settings, but its ETag changes with them.
            const current = await api.get<ChannelWithSettings>(`/channels/${channel.id}/settings`)
            return toChanges(before, await conflicts.choose({ before, mine: values, theirs: toValues(current) }))
          })
        : toPhoneNumber(values.address).then((address) =>
            api.send<ChannelWithSettings>('POST', '/channels', toBody({ ...values, address })),
          ),
    onError: (error) => form.setErrors(formErrors(error, fields).fields),
    onSuccess: (saved) => {
      setSaved()
      if (channel) {
        setBefore(toValues(saved))
        form.setValues(toValues(saved))
      }
      return onSaved(saved)
    },
  })
  const { provider, kind } = form.values
  const is_chat = kind === 'web_chat'
  return (
    <form className={styles.form} onSubmit={form.onSubmit((values) => saving.mutate(values))}>
      {conflicts.dialog}
      {saving.error && <ErrorAlert>{formErrors(saving.error, fields).message}</ErrorAlert>}
      {!channel && <KindField form={form} />}
      <TextInput
        label="Name"
        placeholder={provider === 'web' ? 'Website' : 'Support line'}
        required
        {...(!channel && { 'data-autofocus': true })}
        {...form.getInputProps('name')}
      />
      {!channel && provider !== 'web' && (
        <PhoneField label="Phone number" required {...form.getInputProps('address')} />
      )}
      <AgentField form={form} />
      {provider === 'web' && (
        <TagsInput
          label="Websites"
          description={
            is_chat
              ? 'Origins of the pages that may show the chat. Without one, only its own page shows it.'
              : 'Origins of the pages that may show it in a frame.'
          }
          {...(form.values.origins.length === 0 && { placeholder: 'https://example.com' })}
          {...form.getInputProps('origins')}
        />
      )}
      {is_chat && (
        <Switch
          label="Voice"
          description="Visitors can also talk to the agent, through their microphone."
          {...form.getInputProps('has_voice', { type: 'checkbox' })}
        />
      )}
      {provider === 'twilio' && <AccountFields form={form} channel={channel} />}
      {channel && <LimitFields form={form} />}
      <FormErrors errors={form.errors} labels={labels} />
      <Button type="submit" loading={saving.isPending} className={styles.submit}>
        {channel ? 'Save' : 'Create channel'}
      </Button>
    </form>
  )
}

type Form = UseFormReturnType<ChannelValues>

/** Each choice is a provider and a kind. */
const choices = [
  {
    provider: 'web',
    kind: 'web_chat',
    label: 'Web chat',
    description: 'A chat on your website, and a page of its own.',
  },
  {
    provider: 'web',
    kind: 'voice',
    label: 'Web voice',
    description: 'A page on which visitors talk through their microphone.',
  },
  {
    provider: 'twilio',
    kind: 'voice',
    label: 'Telephone by Twilio',
    description: 'Calls to and from a Twilio number.',
  },
  {
    provider: 'twilio',
    kind: 'sms',
    label: 'SMS by Twilio',
    description: 'Text messages to and from a Twilio number.',
  },
  {
    provider: 'simulator',
    kind: 'sms',
    label: 'SMS simulator',
    description: 'For testing: messages go to simulated people.',
  },
] as const

const choiceOf = ({ provider, kind }: Pick<ChannelValues, 'provider' | 'kind'>): string => `${provider} ${kind}`

const KindField = ({ form }: { form: Form }) => (
  <Radio.Group
    label="Kind"
    value={choiceOf(form.values)}
    error={form.errors.kind}
    onChange={(value) => {
      const { provider, kind } = choices.find((one) => choiceOf(one) === value) ?? choices[0]
      form.setValues({ provider, kind })
    }}
  >
    <div className={styles.choices}>
      {choices.map(({ label, description, ...choice }) => (
        <Radio key={label} value={choiceOf(choice)} label={label} description={description} />
      ))}
    </div>
  </Radio.Group>
)

function AgentField({ form }: { form: Form }) {
  const agents = useQuery(agentsQuery(useApi()))
  const is_optional = form.values.provider === 'simulator'
  const is_voice = form.values.kind === 'voice'
  const answers = is_voice ? 'Answers calls.' : 'Answers messages.'
  return (
    <Select
      label="Agent"
      description={is_optional ? `${answers} Without one, the channel only ${is_voice ? 'calls' : 'sends'}.` : answers}
      placeholder="Choose an agent"
      data={agents.data?.map(({ id: value, name: label }) => ({ value, label })) ?? []}
      searchable
      clearable={is_optional}
      allowDeselect={false}
      required={!is_optional}
      nothingFoundMessage={agents.isPending ? 'Loading' : 'No agents'}
      {...form.getInputProps('agent_id')}
    />
  )
}

/** The server checks the limits: a value that is out of range is shown with its error, and not changed. */
const number_props = {
  allowDecimal: false,
  allowNegative: false,
  clampBehavior: 'none',
  hideControls: true,
  thousandSeparator: ',',
} as const

/**
 * Edits the limits. An SMS channel is limited by the messages that it sends, others by the tokens that visitors and
 * callers can use.
 */
const LimitFields = ({ form }: { form: Form }) => (
  <div className={styles.pair}>
    {form.values.kind !== 'sms' ? (
      <NumberInput
        label="Tokens per day"
        placeholder="No limit"
        {...number_props}
        {...form.getInputProps('tokens_per_day_max')}
      />
    ) : (
      <>
        <NumberInput
          label="Messages per minute"
          required
          {...number_props}
          {...form.getInputProps('messages_per_minute_max')}
        />
        <NumberInput
          label="Messages per day"
          required
          {...number_props}
          {...form.getInputProps('messages_per_day_max')}
        />
      </>
    )}
  </div>
)
