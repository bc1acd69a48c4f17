import { MultiSelect, Radio, Select, TextInput } from '@mantine/core'
import type { UseFormReturnType } from '@mantine/form'
import { useQuery } from '@tanstack/react-query'
import { agentsQuery, channelsQuery } from '../channels/channel.ts'
import { useApi } from '../kit/api.ts'
import { consent_names, kind_names, voicemail_names } from './campaign.ts'
import type { CampaignValues } from './campaign-values.ts'
import styles from './campaigns.module.css'

export type Form = UseFormReturnType<CampaignValues>

export const NameField = ({ form }: { form: Form }) => (
  <TextInput
    label="Name"
    description="Only your team sees this."
    placeholder="Spring appointments"
    required
    maxLength={200}
    {...form.getInputProps('name')}
  />
)

/** What was created a moment ago can be chosen too. */
const fresh = { refetchOnMount: 'always' } as const

/** Who reaches the contacts, and how. */
export function AgentFields({ form }: { form: Form }) {
  const agents = useQuery({ ...agentsQuery(useApi()), ...fresh })
  return (
    <>
      <Radio.Group
        label="Contact people by"
        {...form.getInputProps('kind')}
        onChange={(kind) => form.setValues({ kind: kind === 'sms' ? 'sms' : 'voice', channel_ids: [] })}
      >
        <Choices names={kind_names} />
      </Radio.Group>
      <Select
        label="Agent"
        description="Uses the version that is live at the time of each attempt."
        placeholder="Choose an agent"
        data={agents.data?.map(({ id: value, name: label }) => ({ value, label })) ?? []}
        searchable
        allowDeselect={false}
        required
        nothingFoundMessage={agents.isPending ? 'Loading' : 'No agents'}
        {...form.getInputProps('agent_id')}
      />
      <ChannelField form={form} />
      <Radio.Group
        label="Who may be contacted"
        description="Contacts who have opted out are never contacted."
        {...form.getInputProps('consent')}
      >
        <Choices names={consent_names} />
      </Radio.Group>
      {form.values.kind === 'voice' && (
        <Radio.Group label="When a voicemail answers" {...form.getInputProps('voicemail')}>
          <Choices names={voicemail_names} />
        </Radio.Group>
      )}
    </>
  )
}

function ChannelField({ form }: { form: Form }) {
  const channels = useQuery({ ...channelsQuery(useApi()), ...fresh })
  const usable = channels.data?.data.filter(
    ({ kind, status, capabilities }) =>
      kind === form.values.kind && status === 'active' && (kind === 'sms' || capabilities.outbound),
  )
  return (
    <MultiSelect
      searchable
      label="Channels"
      description={describeChoice(usable)}
      withAsterisk={usable !== undefined && usable.length > 1}
      data={
        usable?.map(({ id: value, name, address }) => ({ value, label: address ? `${name} · ${address}` : name })) ?? []
      }
      nothingFoundMessage={channels.isPending ? 'Loading' : 'No active channel of this kind'}
      {...form.getInputProps('channel_ids')}
    />
  )
}

function describeChoice(usable: { name: string }[] | undefined): string {
  if (usable?.length === 0) return 'There is no active channel of this kind. The campaign can’t start without one.'
  return usable?.length === 1 ? `Leave blank to use ${usable[0]?.name}.` : 'Channels are used in turn.'
}

const Choices = ({ names }: { names: Record<string, string> }) => (
  <div className={styles.choices}>
    {Object.entries(names).map(([value, label]) => (
      <Radio key={value} value={value} label={label} />
    ))}
  </div>
)
