import type { Conversation } from '../../../server/conversations/schema.ts'
import { ChatIcon, CodeIcon, PhoneIcon, SmsIcon } from '../kit/icons.tsx'
import { kind_names } from './conversation.ts'
import styles from './conversations.module.css'

const icons: Record<Conversation['kind'], typeof ChatIcon> = {
  api: CodeIcon,
  web_chat: ChatIcon,
  sms: SmsIcon,
  voice: PhoneIcon,
}

export function KindIcon({ kind, size }: Pick<Conversation, 'kind'> & { size: number }) {
  const Icon = icons[kind]
  return <Icon size={size} />
}

/** Shows how the contact takes part, and on which channel if its name is known. */
export const Kind = ({ kind, channel }: Pick<Conversation, 'kind'> & { channel?: string | undefined }) => (
  <span className={styles.kind}>
    <KindIcon kind={kind} size={14} />
    {kind_names[kind]}
    {channel && ` · ${channel}`}
  </span>
)
