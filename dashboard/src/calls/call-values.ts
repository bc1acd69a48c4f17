import type { Channel } from '../../../server/channels/schema.ts'
import type { Contact } from '../../../server/contacts/schema.ts'
import { formatPhoneNumber } from '../kit/phone-number.ts'
import { fromFieldTime } from '../kit/time-field.ts'
import { fictionalNumber } from './people.ts'

/** The fields of the form that places a call. */
export interface CallValues {
  is_simulated: boolean
  simulate: string
  /** A number as people write it, or a contact as `contactOption` writes it. */
  to: string
  agent_id: string | null
  channel_id: string | null
  is_later: boolean
  /** The time as a field of the browser writes it: without a time zone. */
  scheduled_at: string
}

export const fields = ['simulate', 'to', 'agent_id', 'channel_id', 'scheduled_at']

interface Choices {
  agent_id: string | undefined
  agents: { id: string }[]
  channels: Channel[]
  is_test: boolean
}

export function initialValues({ agent_id, agents, channels, is_test }: Choices): CallValues {
  // A simulator calls nobody, so it is preselected only in a test workspace.
  const likely = channels.filter(({ provider }) => is_test || provider !== 'simulator')
  const channel = likely.length === 1 ? likely[0] : undefined
  const own = agents.find(({ id }) => id === channel?.agent_id) ?? (agents.length === 1 ? agents[0] : undefined)
  return {
    is_simulated: likely.length === 0,
    simulate: '00',
    to: '',
    agent_id: agent_id ?? own?.id ?? null,
    channel_id: channel?.id ?? null,
    is_later: false,
    scheduled_at: '',
  }
}

/** "Grace Hopper · +1 415 555 0101". */
export const contactOption = (name: string, phone_number: string): string =>
  `${name} · ${formatPhoneNumber(phone_number)}`

/** `number` is what was typed, as `typedNumber` finds it, in E.164. */
export function toBody(values: CallValues, contact: Contact | undefined, number: string): object {
  const { is_simulated, simulate, agent_id, channel_id, is_later, scheduled_at } = values
  return {
    agent_id,
    ...(contact
      ? { contact_id: contact.id }
      : { to: number === '' && is_simulated ? fictionalNumber(simulate) : number }),
    ...(is_simulated ? { simulate } : channel_id && { channel_id }),
    ...(is_later && { scheduled_at: fromFieldTime(scheduled_at) }),
  }
}

/** Returns the number in what was typed, without the name of a contact. */
export const typedNumber = ({ to }: CallValues): string => to.split(' · ').at(-1) ?? ''
