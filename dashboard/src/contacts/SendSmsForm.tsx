import { Anchor, Select, Text } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useMutation, useQuery } from '@tanstack/react-query'
import { Link, useNavigate } from '@tanstack/react-router'
import type { Channel } from '../../../server/channels/schema.ts'
import type { Contact } from '../../../server/contacts/schema.ts'
import type { Conversation } from '../../../server/conversations/schema.ts'
import { agentsQuery, channelOption, channelsQuery } from '../channels/channel.ts'
import { explainRefusal } from '../consent/consent.ts'
import { useApi } from '../kit/api.ts'
import { FormButtons } from '../kit/Dialog.tsx'
import { formErrors } from '../kit/error-messages.ts'
import { Stack } from '../kit/Page.tsx'
import { formatPhoneNumber } from '../kit/phone-number.ts'
import { ParleyError } from '../kit/request.ts'
import { useIsOwner, useIsTest } from '../kit/session.ts'
import { ErrorAlert, LoadError, LoadingSkeleton } from '../kit/states.tsx'

interface SendSmsFormProps {
  contact: Contact
  onClose: () => void
}

export const canSendSms = ({ kind, status }: Channel): boolean => kind === 'sms' && status === 'active'

/** Starts a conversation in which the agent writes first. */
export function SendSmsForm({ contact, onClose }: SendSmsFormProps) {
  const api = useApi()
  const agents = useQuery(agentsQuery(api))
  const channels = useQuery(channelsQuery(api))
  const error = agents.error ?? channels.error
  if (!agents.data || !channels.data) {
    if (!error) return <LoadingSkeleton lines={3} />
    return <LoadError error={error} retry={() => Promise.all([agents.refetch(), channels.refetch()])} />
  }
  const usable = channels.data.data.filter(canSendSms)
  if (usable.length === 0) return <NoChannel />
  if (agents.data.length === 0) return <Text>There is no agent yet. Create one under Agents.</Text>
  return <Form contact={contact} agents={agents.data} channels={usable} onClose={onClose} />
}

function NoChannel() {
  const { workspace } = useApi()
  const is_owner = useIsOwner()
  return (
    <Text>
      No SMS channel is active.{' '}
      {is_owner ? (
        <Anchor
          underline="always"
          renderRoot={(props) => <Link to="/w/$workspace/channels" params={{ workspace }} {...props} />}
        >
          Connect an SMS channel
        </Anchor>
      ) : (
        'An owner can set one up under Channels.'
      )}
    </Text>
  )
}

interface FormProps extends SendSmsFormProps {
  agents: { id: string; name: string }[]
  channels: Channel[]
}

function Form({ contact, agents, channels, onClose }: FormProps) {
  const api = useApi()
  const navigate = useNavigate()
  const is_test = useIsTest()
  // A simulator reaches no real people, so it is chosen by itself only in a test workspace.
  const likely = channels.filter(({ provider }) => is_test || provider !== 'simulator')
  const channel = likely.length === 1 ? likely[0] : undefined
  const agent = agents.find(({ id }) => id === channel?.agent_id) ?? (agents.length === 1 ? agents[0] : undefined)
  const form = useForm({ initialValues: { channel_id: channel?.id ?? null, agent_id: agent?.id ?? null } })
  const sending = useMutation({
    mutationFn: (values: typeof form.values) =>
      api.send<Conversation>('POST', '/conversations', { ...values, contact_id: contact.id }).catch((error) => {
        throw explainRefusal(error)
      }),
    onError: (error) => form.setErrors(formErrors(error, fields).fields),
    onSuccess: ({ id }) => {
      onClose()
      void navigate({ to: '/w/$workspace/conversations/$id', params: { workspace: api.workspace, id } })
    },
  })
  return (
    <form onSubmit={form.onSubmit((values) => sending.mutate(values))}>
      <Stack>
        {sending.error && <SendError error={sending.error} />}
        <Text>The agent writes to {formatPhoneNumber(contact.phone_number)} first, and answers the replies.</Text>
        <Select
          label="Channel"
          placeholder="Choose a channel"
          required
          data={channels.map(channelOption)}
          {...form.getInputProps('channel_id')}
        />
        <Select
          label="Agent"
          placeholder="Choose an agent"
          required
          searchable
          data={agents.map(({ id, name }) => ({ value: id, label: name }))}
          {...form.getInputProps('agent_id')}
        />
        <FormButtons
          label="Start conversation"
          is_pending={sending.isPending}
          is_disabled={form.values.agent_id === null || form.values.channel_id === null}
          errors={form.errors}
          labels={{ agent_id: 'Agent', channel_id: 'Channel' }}
          onCancel={onClose}
        />
      </Stack>
    </form>
  )
}

const fields = ['agent_id', 'channel_id']

/** An open conversation on the same channel is linked. */
function SendError({ error }: { error: Error }) {
  const { workspace } = useApi()
  const { message } = formErrors(error, fields)
  const id = error instanceof ParleyError ? error.details.conversation_id : undefined
  if (!message) return null
  return (
    <ErrorAlert>
      {message}{' '}
      {typeof id === 'string' && (
        <Anchor
          renderRoot={(props) => <Link to="/w/$workspace/conversations/$id" params={{ workspace, id }} {...props} />}
        >
          Open conversation
        </Anchor>
      )}
    </ErrorAlert>
  )
}
