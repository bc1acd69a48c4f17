import type { Call } from '../../../server/calls/schema.ts'
import styles from '../conversations/conversations.module.css'
import { IncomingCallIcon, OutgoingCallIcon } from '../kit/icons.tsx'
import { direction_names } from './call.ts'

/** "Outgoing call", with an icon. */
export function Direction({ call: { direction } }: { call: Pick<Call, 'direction'> }) {
  const Icon = direction === 'outbound' ? OutgoingCallIcon : IncomingCallIcon
  return (
    <span className={styles.kind}>
      <Icon size={14} />
      {direction_names[direction]} call
    </span>
  )
}
