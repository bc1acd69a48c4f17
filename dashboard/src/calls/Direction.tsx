import { VisuallyHidden } from '@mantine/core'
import type { Call } from '../../../server/calls/schema.ts'
import styles from '../conversations/conversations.module.css'
import { IncomingCallIcon, OutgoingCallIcon } from '../kit/icons.tsx'
import { direction_names } from './call.ts'

interface DirectionProps {
  call: Pick<Call, 'direction'>
  /** Whether only the icon is shown. Screen readers get the words. */
  is_short?: boolean
}

/** "Outgoing call", with an icon. */
export function Direction({ call: { direction }, is_short = false }: DirectionProps) {
  const Icon = direction === 'outbound' ? OutgoingCallIcon : IncomingCallIcon
  const name = `${direction_names[direction]} call`
  return (
    <span className={styles.kind}>
      <Icon size={14} />
      {is_short ? <VisuallyHidden>{name}</VisuallyHidden> : name}
    </span>
  )
}
