import type { Conversation } from '../../../server/conversations/schema.ts'
import { Status } from '../kit/Status.tsx'
import { status_names } from './conversation.ts'

const tones = { open: 'success', handed_over: 'warning', closed: 'neutral' } as const

export const StatusBadge = ({ status }: Pick<Conversation, 'status'>) => (
  <Status tone={tones[status]}>{status_names[status]}</Status>
)
