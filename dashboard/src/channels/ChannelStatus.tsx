import type { Channel } from '../../../server/channels/schema.ts'
import { status_names } from './channel.ts'
import styles from './channels.module.css'

export const ChannelStatus = ({ status }: Pick<Channel, 'status'>) => (
  <span className={styles.status} data-status={status}>
    {status_names[status]}
  </span>
)
