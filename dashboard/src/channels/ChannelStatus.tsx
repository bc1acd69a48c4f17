import type { Channel } from '../../../server/channels/schema.ts'
import { Status } from '../kit/Status.tsx'
import { status_names } from './channel.ts'

const tones = { active: 'success', failing: 'danger', disabled: 'neutral' } as const

export const ChannelStatus = ({ status }: Pick<Channel, 'status'>) => (
  <Status tone={tones[status]}>{status_names[status]}</Status>
)
