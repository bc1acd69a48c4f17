import { SegmentedControl, Select, Text, TextInput } from '@mantine/core'
import { type UseFormReturnType, useForm } from '@mantine/form'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import type { Call } from '../../../server/calls/schema.ts'
import type { Channel } from '../../../server/channels/schema.ts'
import type { Contact } from '../../../server/contacts/schema.ts'
import { agentsQuery, channelOption, channelsQuery } from '../channels/channel.ts'
import { explainRefusal } from '../consent/consent.ts'
import { useApi } from '../kit/api.ts'
import { FormButtons } from '../kit/Dialog.tsx'
import { formErrors } from '../kit/error-messages.ts'
import { Stack } from '../kit/Page.tsx'
import { formatPhoneNumber, useToPhoneNumber } from '../kit/phone-number.ts'
import { useIsTest } from '../kit/session.ts'
import { ErrorAlert, LoadError, LoadingSkeleton } from '../kit/states.tsx'
import { useUnsaved } from '../kit/unsaved.tsx'
import { showChanged } from './call.ts'
import { type CallValues, fields, initialValues, toBody, typedNumber } from './call-values.ts'
import { NumberField } from './NumberField.tsx'
import { simulated_people } from './people.ts'

interface NewCallFormProps {
  /** The contact to call. Without it, the form asks. */
  contact?: Contact
  /** The agent that calls. Without it, the form asks. */
  agent_id?: string
  onClose: () => void
}

/** Places a call now or later, or simulates one. */
export function NewCallForm(props: NewCallFormProps) {
  const api = useApi()
  const agents = useQuery(agentsQuery(api))
  const channels = useQuery(channelsQuery(api))
  const error = agents.error ?? channels.error
  if (!agents.data || !channels.data) {
    if (!error) return <LoadingSkeleton lines={4} />
    return <LoadError error={error} retry={() => Promise.all([agents.refetch(), channels.refetch()])} />
  }
  if (agents.data.length === 0) return <Text>There is no agent yet. Create one under Agents.</Text>
  const usable = channels.data.data.filter(
    ({ kind, status, capabilities }) => kind === 'voice' && status === 'active' && capabilities.outbound,
  )
  return <Form {...props} agents={agents.data} channels={usable} />
}

const labels = {
  simulate: 'Simulate a call with',
  to: 'Phone number or contact',
  agent_id: 'Agent',
  channel_id: 'Channel',
  scheduled_at: 'Call at',
}

interface FormProps extends NewCallFormProps {
  agents: { id: string; name: string }[]
  channels: Channel[]
}

type Form = UseFormReturnType<CallValues>

function Form({ contact, agent_id, agents, channels, onClose }: FormProps) {
  const api = useApi()
  const client = useQueryClient()
  const navigate = useNavigate()
  const is_test = useIsTest()
  const form = useForm<CallValues>({ initialValues: initialValues({ agent_id, agents, channels, is_test }) })
  const setSaved = useUnsaved(form.isDirty())
  const toPhoneNumber = useToPhoneNumber()
  const calling = useMutation({
    mutationFn: async (values: CallValues) => {
      const number = await toPhoneNumber(typedNumber(values))
      return await api.send<Call>('POST', '/calls', toBody(values, contact, number)).catch((error) => {
        throw explainRefusal(error)
      })
    },
    onError: (error) => form.setErrors(formErrors(error, fields).fields),
    onSuccess: (call) => {
      showChanged(client, api, call)
      setSaved()
      onClose()
      void navigate({ to: '/w/$workspace/calls/$call_id', params: { workspace: api.workspace, call_id: call.id } })
    },
  })
  const { is_simulated, is_later } = form.values
  const verb = is_simulated ? 'Simulate call' : 'Call'
  return (
    <form onSubmit={form.onSubmit((values) => calling.mutate(values))}>
      <Stack>
        {calling.error && <ErrorAlert>{formErrors(calling.error, fields).message}</ErrorAlert>}
        <LineField form={form} channels={channels} />
        {contact ? (
          <Text>
            The agent {is_simulated ? 'talks to a simulated person instead of' : 'calls'}{' '}
            {formatPhoneNumber(contact.phone_number)}.
          </Text>
        ) : (
          <NumberField form={form} />
        )}
        {agent_id === undefined && (
          <Select
            label="Agent"
            placeholder="Choose an agent"
            required
            searchable
            data={agents.map(({ id, name }) => ({ value: id, label: name }))}
            {...form.getInputProps('agent_id')}
          />
        )}
        {!is_simulated && channels.length > 1 && (
          <Select
            label="Channel"
            placeholder="Choose a channel"
            required
            data={channels.map(channelOption)}
            {...form.getInputProps('channel_id')}
          />
        )}
        <WhenField form={form} />
        {is_test && (
          <Text size="sm" c="dimmed">
            The clock of this test workspace stands still. Advance it to let the call happen.
          </Text>
        )}
        <FormButtons
          label={is_later ? 'Schedule call' : verb}
          is_pending={calling.isPending}
          is_disabled={form.values.agent_id === null}
          errors={form.errors}
          labels={labels}
          hidden={[...(agent_id === undefined ? [] : ['agent_id']), ...(channels.length > 1 ? [] : ['channel_id'])]}
          onCancel={onClose}
        />
      </Stack>
    </form>
  )
}

/** The number is called over a channel, or a simulated person answers instead. */
const LineField = ({ form, channels }: { form: Form; channels: Channel[] }) => (
  <>
    {channels.length > 0 ? (
      <SegmentedControl
        fullWidth
        aria-label="Who answers"
        data={[
          { value: 'number', label: 'Call the number' },
          { value: 'simulate', label: 'Simulate' },
        ]}
        value={form.values.is_simulated ? 'simulate' : 'number'}
        onChange={(value) => form.setFieldValue('is_simulated', value === 'simulate')}
      />
    ) : (
      <Text size="sm" c="dimmed">
        No voice channel is active, so a simulated person answers.
      </Text>
    )}
    {form.values.is_simulated && (
      <Select
        label="Simulate a call with"
        data={simulated_people}
        allowDeselect={false}
        searchable
        {...form.getInputProps('simulate')}
      />
    )}
  </>
)

/** Chooses a time in the browser's time zone, like all times in the dashboard. */
const WhenField = ({ form }: { form: Form }) => (
  <>
    <SegmentedControl
      fullWidth
      aria-label="When"
      data={[
        { value: 'now', label: 'Now' },
        { value: 'later', label: 'Later' },
      ]}
      value={form.values.is_later ? 'later' : 'now'}
      onChange={(value) => form.setFieldValue('is_later', value === 'later')}
    />
    {form.values.is_later && (
      <TextInput type="datetime-local" label="Call at" required {...form.getInputProps('scheduled_at')} />
    )}
  </>
)
