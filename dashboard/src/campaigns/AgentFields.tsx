import { Anchor, MultiSelect, Radio, Select, TextInput } from '@mantine/core'
import type { UseFormReturnType } from '@mantine/form'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useEffect } from 'react'
import { agentsQuery, channelOption, channelsQuery } from '../channels/channel.ts'
import { useApi, useWorkspaceId } from '../kit/api.ts'
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

/** Choices are read again, so that what was created a moment ago can be chosen too. */
const fresh = { refetchOnMount: 'always' } as const

/** Chooses who reaches the contacts, and how. */
export function AgentFields({ form }: { form: Form }) {
  const agents = useQuery({ ...agentsQuery(useApi()), ...fresh })
  const [first, second] = agents.data ?? []
  const only_id = second ? undefined : first?.id
  // biome-ignore lint/correctness/useExhaustiveDependencies: the form is another object after each change
  useEffect(() => {
    if (only_id && !form.values.agent_id) form.setFieldValue('agent_id', only_id)
  }, [only_id])
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
      description={usable?.length === 0 ? <NoChannel /> : describeChoice(usable)}
      withAsterisk={usable !== undefined && usable.length > 1}
      data={usable?.map(channelOption) ?? []}
      nothingFoundMessage={channels.isPending ? 'Loading' : 'No active channel of this kind'}
      {...form.getInputProps('channel_ids')}
    />
  )
}

/** Links to the channels in a tab of its own, so that what was filled in stays. */
function NoChannel() {
  const workspace = useWorkspaceId()
  return (
    <>
      There is no active channel of this kind. The campaign can’t start without one.{' '}
      <Anchor
        fz="inherit"
        underline="always"
        renderRoot={(props) => <Link to="/w/$workspace/channels" params={{ workspace }} target="_blank" {...props} />}
      >
        Open Channels
      </Anchor>
    </>
  )
}

function describeChoice(usable: { name: string }[] | undefined): string {
  return usable?.length === 1 ? `Leave blank to use ${usable[0]?.name}.` : 'Channels are used in turn.'
}

const Choices = ({ names }: { names: Record<string, string> }) => (
  <div className={styles.choices}>
    {Object.entries(names).map(([value, label]) => (
      <Radio key={value} value={value} label={label} />
    ))}
  </div>
)
